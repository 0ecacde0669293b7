// SPDX-License-Identifier: GPL-2.0
/*
 * mpbench-flows LIST INTERVALS ZERO_NS: open many connections at given times.
 *
 * One process owns both ends of every connection, and enters the network namespace
 * (/run/netns/HOST) of an end before it makes the end's socket. LIST is text, one
 * item per line:
 *
 *   mpbench-flows 1
 *   digest TEXT
 *   entry NUMBER tcp|mptcp CONTROLLER forward|reverse READ_BYTES INTERVAL_NS
 *   listen ENTRY HOST ADDRESS PORT
 *   flow ENTRY USER HOST SOURCE|- SERVER ADDRESS PORT BYTES START_NS END_NS
 *
 * Entries have numbers below 1000. A flow of 0 bytes sends until END_NS. Any other flow sends its bytes and then closes; one that is not complete at END_NS
 * is given up. Times count from ZERO_NS of the monotonic clock. Data go from HOST to
 * SERVER, or back if the entry says reverse.
 *
 * The receiver is woken by the first byte, later by READ_BYTES, and by the end of the
 * data (SO_RCVLOWAT); it copies nothing (MSG_TRUNC). A flow is complete when the
 * receiver reads the end of the data. A flow that is given up, or that has sent for
 * its time, ends at once, with a reset at both ends.
 *
 * The standard output gets one line per flow when all have ended, INTERVALS one line
 * per flow and interval in which bytes arrived. results/README.md describes both.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define SOL_MPTCP_INFO 284
#define MPTCP_INFO_OPTION 1
#define FORMAT 1
#define MOST_ENTRIES 1000
#define MOST_HOSTS 1024
#define MOST_LISTENERS 65536
#define BUCKETS 65536
#define BACKLOG 65535
#define SEND_BYTES (128 * 1024)
#define RECEIVE_BYTES (1 << 20)
#define EVENTS 64
#define NEVER INT64_MAX

enum role { CLIENT, SERVER, LISTENER, TIMER };

struct entry {
	int protocol, reverse, read_bytes;
	char controller[16];
	int64_t interval_ns;
};

struct host {
	char name[64];
	int namespace;
};

struct listener {
	int entry, fd;
	struct in_addr address;
	uint16_t port;
};

struct flow {
	int entry, user, from, to, fd[2], subflows, ended;
	struct sockaddr_in source, target;
	uint64_t bytes, sent, received, interval_bytes;
	int64_t start, end, interval;
	int64_t began, connected, first, completed, closed;
	char error[24];
	struct flow *next;
};

static struct entry entries[MOST_ENTRIES];
static struct host hosts[MOST_HOSTS];
static struct listener *listeners;
static struct flow *flows, *buckets[BUCKETS];
static int n_hosts, n_listeners, n_flows, n_open;
static int *by_start, *by_end;
static char digest[80];
static int64_t zero_ns;
static int poll_fd, timer_fd;
static FILE *intervals;
static char zeros[SEND_BYTES], discarded[RECEIVE_BYTES];

static void die(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("mpbench-flows: ", stderr);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(1);
}

/* Time since the beginning of the traffic. */
static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec - zero_ns;
}

static void *new_array(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		die("no memory for %zu objects", count);
	return memory;
}

/* The number of a host; a new one gets its namespace opened. */
static int host_number(const char *name)
{
	char path[128];
	int i;

	for (i = 0; i < n_hosts; i++)
		if (!strcmp(hosts[i].name, name))
			return i;
	if (n_hosts == MOST_HOSTS)
		die("more than %d hosts", MOST_HOSTS);
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	hosts[i].namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (hosts[i].namespace < 0)
		die("%s: %s", path, strerror(errno));
	snprintf(hosts[i].name, sizeof(hosts[i].name), "%s", name);
	n_hosts++;
	return i;
}

static void enter(int host)
{
	static int present = -1;

	if (host == present)
		return;
	if (setns(hosts[host].namespace, CLONE_NEWNET))
		die("setns %s: %s", hosts[host].name, strerror(errno));
	present = host;
}

static struct sockaddr_in address_of(const char *text, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (strcmp(text, "-") && inet_pton(AF_INET, text, &address.sin_addr) != 1)
		die("not an address: %s", text);
	return address;
}

static void set_options(const struct entry *entry, int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, entry->controller,
		       strlen(entry->controller)))
		die("congestion control %s: %s", entry->controller, strerror(errno));
}

static int new_socket(const struct entry *entry, int host)
{
	int fd, kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

	enter(host);
	fd = socket(AF_INET, kind, entry->protocol);
	if (fd < 0)
		die("socket on %s: %s", hosts[host].name, strerror(errno));
	set_options(entry, fd);
	return fd;
}

static void watch(int fd, uint32_t events, enum role role, int number, int command)
{
	struct epoll_event event = { .events = events };

	event.data.u64 = (uint64_t)number << 2 | role;
	if (epoll_ctl(poll_fd, command, fd, &event))
		die("epoll: %s", strerror(errno));
}

static void add_listener(int entry, const char *name, const char *text, int port)
{
	struct sockaddr_in address = address_of(text, port);
	struct listener *one = &listeners[n_listeners];
	int on = 1;

	if (n_listeners == MOST_LISTENERS)
		die("more than %d listeners", MOST_LISTENERS);
	one->entry = entry;
	one->address = address.sin_addr;
	one->port = port;
	one->fd = new_socket(&entries[entry], host_number(name));
	setsockopt(one->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(one->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(one->fd, BACKLOG))
		die("listen on %s port %d: %s", name, port, strerror(errno));
	watch(one->fd, EPOLLIN, LISTENER, n_listeners++, EPOLL_CTL_ADD);
}

static int word_in(const char *word, const char *first, const char *second)
{
	if (strcmp(word, first) && strcmp(word, second))
		die("%s: neither %s nor %s", word, first, second);
	return !strcmp(word, second);
}

static int checked_entry(int number)
{
	if (number < 0 || number >= MOST_ENTRIES || !entries[number].interval_ns)
		die("no entry %d", number);
	return number;
}

static void read_entry(const char *line)
{
	struct entry new = { 0 }, *entry = &new;
	char protocol[8], direction[8];
	int number;

	if (sscanf(line, "entry %d %7s %15s %7s %d %" SCNd64, &number, protocol,
		   entry->controller, direction, &entry->read_bytes,
		   &entry->interval_ns) != 6 ||
	    number < 0 || number >= MOST_ENTRIES || entry->interval_ns <= 0)
		die("not an entry: %.100s", line);
	entry->protocol = word_in(protocol, "tcp", "mptcp") ? IPPROTO_MPTCP : 0;
	entry->reverse = word_in(direction, "forward", "reverse");
	entries[number] = new;
}

static void read_listener(const char *line)
{
	char host[64], address[20];
	int entry, port;

	if (sscanf(line, "listen %d %63s %19s %d", &entry, host, address, &port) != 4)
		die("not a listener: %.100s", line);
	add_listener(checked_entry(entry), host, address, port);
}

static void read_flow(const char *line)
{
	char from[64], source[20], to[64], address[20];
	static int size;
	struct flow *flow;
	int port;

	if (n_flows == size) {
		size = size ? 2 * size : 1024;
		flows = realloc(flows, size * sizeof(*flows));
		if (!flows)
			die("no memory for %d flows", size);
	}
	flow = &flows[n_flows];
	memset(flow, 0, sizeof(*flow));
	if (sscanf(line,
		   "flow %d %d %63s %19s %63s %19s %d %" SCNu64 " %" SCNd64 " %" SCNd64,
		   &flow->entry, &flow->user, from, source, to, address, &port,
		   &flow->bytes, &flow->start, &flow->end) != 10)
		die("not a flow: %.100s", line);
	checked_entry(flow->entry);
	flow->from = host_number(from);
	flow->to = host_number(to);
	flow->source = address_of(source, 0);
	flow->target = address_of(address, port);
	flow->fd[CLIENT] = flow->fd[SERVER] = -1;
	flow->began = flow->connected = flow->first = -1;
	flow->completed = flow->closed = flow->interval = -1;
	n_flows++;
}

static void read_list(const char *name)
{
	FILE *file = fopen(name, "re");
	char line[512];
	int format;

	if (!file)
		die("%s: %s", name, strerror(errno));
	if (!fgets(line, sizeof(line), file) ||
	    sscanf(line, "mpbench-flows %d", &format) != 1 || format != FORMAT)
		die("%s: not a list of format %d", name, FORMAT);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "flow ", 5))
			read_flow(line);
		else if (!strncmp(line, "listen ", 7))
			read_listener(line);
		else if (!strncmp(line, "entry ", 6))
			read_entry(line);
		else if (sscanf(line, "digest %79s", digest) != 1)
			die("%s: not understood: %.100s", name, line);
	}
	fclose(file);
}

static int earlier_start(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;

	if (flows[a].start != flows[b].start)
		return flows[a].start < flows[b].start ? -1 : 1;
	return a - b;
}

static int earlier_end(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;

	if (flows[a].end != flows[b].end)
		return flows[a].end < flows[b].end ? -1 : 1;
	return a - b;
}

static void sort_flows(void)
{
	int i;

	by_start = new_array(n_flows, sizeof(int));
	by_end = new_array(n_flows, sizeof(int));
	for (i = 0; i < n_flows; i++)
		by_start[i] = by_end[i] = i;
	qsort(by_start, n_flows, sizeof(int), earlier_start);
	qsort(by_end, n_flows, sizeof(int), earlier_end);
}

/* Accepted connections are found by the address and port of their client. */
static struct flow **bucket(struct in_addr address, uint16_t port)
{
	uint32_t key = ntohl(address.s_addr) * 2654435761u + ntohs(port) * 40503u;

	return &buckets[(key >> 8) % BUCKETS];
}

static int same_client(const struct flow *flow, const struct sockaddr_in *client)
{
	return flow->source.sin_addr.s_addr == client->sin_addr.s_addr &&
	       flow->source.sin_port == client->sin_port;
}

static void forget(struct flow *flow)
{
	struct flow **at = bucket(flow->source.sin_addr, flow->source.sin_port);

	for (; *at; at = &(*at)->next)
		if (*at == flow) {
			*at = flow->next;
			return;
		}
}

static void note_interval(struct flow *flow)
{
	if (flow->interval_bytes)
		fprintf(intervals, "%d,%" PRId64 ",%" PRIu64 "\n", (int)(flow - flows),
			flow->interval, flow->interval_bytes);
	flow->interval_bytes = 0;
}

/* The number of subflows; 0 for an MPTCP connection that fell back to TCP. */
static int count_subflows(const struct flow *flow)
{
	unsigned char info[256] = { 0 };
	socklen_t length = sizeof(info);

	if (flow->connected < 0)
		return 0;
	if (entries[flow->entry].protocol != IPPROTO_MPTCP)
		return 1;
	if (getsockopt(flow->fd[CLIENT], SOL_MPTCP_INFO, MPTCP_INFO_OPTION, info,
		       &length))
		return 0;
	return 1 + info[0];
}

/* Close both ends; `at` is when, and `error` why if not as asked. */
static void end_flow(struct flow *flow, int64_t at, const char *error, int reset)
{
	struct linger linger = { .l_onoff = 1 };
	int i;

	if (flow->ended)
		return;
	flow->ended = 1;
	flow->closed = at;
	snprintf(flow->error, sizeof(flow->error), "%s", error);
	note_interval(flow);
	if (flow->fd[CLIENT] >= 0) {
		flow->subflows = count_subflows(flow);
		forget(flow);
	}
	for (i = 0; i < 2; i++) {
		if (flow->fd[i] < 0)
			continue;
		if (reset)
			setsockopt(flow->fd[i], SOL_SOCKET, SO_LINGER, &linger,
				   sizeof(linger));
		close(flow->fd[i]);
		flow->fd[i] = -1;
	}
	n_open--;
}

static void fail(struct flow *flow, int error)
{
	char text[24];
	const char *name = strerrorname_np(error);

	snprintf(text, sizeof(text), "%s", name ? name : "unknown");
	end_flow(flow, now(), text, 1);
}

/* Send until the socket takes no more; close the direction after the last byte. */
static void send_more(struct flow *flow, int fd)
{
	while (!flow->bytes || flow->sent < flow->bytes) {
		uint64_t left = flow->bytes ? flow->bytes - flow->sent : SEND_BYTES;
		ssize_t done = send(fd, zeros, left < SEND_BYTES ? left : SEND_BYTES,
				    MSG_NOSIGNAL);

		if (done < 0) {
			if (errno != EAGAIN && errno != EINTR)
				fail(flow, errno);
			if (errno != EINTR)
				return;
			continue;
		}
		flow->sent += done;
		if (flow->bytes && flow->sent == flow->bytes)
			shutdown(fd, SHUT_WR);
	}
}

static void count(struct flow *flow, int64_t at, uint64_t bytes)
{
	int64_t interval = at / entries[flow->entry].interval_ns;

	if (interval != flow->interval)
		note_interval(flow);
	flow->interval = interval;
	flow->interval_bytes += bytes;
	flow->received += bytes;
}

/* Read what is there; a flow ends with the end of its data. */
static void receive(struct flow *flow, int fd)
{
	ssize_t done = recv(fd, discarded, RECEIVE_BYTES, MSG_TRUNC);
	int low = entries[flow->entry].read_bytes;
	int64_t at;

	if (done < 0) {
		if (errno != EAGAIN && errno != EINTR)
			fail(flow, errno);
		return;
	}
	at = now();
	if (done) {
		count(flow, at, done);
		if (flow->first < 0) {
			flow->first = at;
			if (low > 1)
				setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
		}
		return;
	}
	if (flow->bytes && flow->received == flow->bytes) {
		flow->completed = at;
		end_flow(flow, at, "", 0);
	} else {
		end_flow(flow, at, "closed early", 1);
	}
}

static void open_flow(int number)
{
	struct flow *flow = &flows[number], **at;
	const struct entry *entry = &entries[flow->entry];
	socklen_t length = sizeof(flow->source);
	int fd, on = 1;

	fd = flow->fd[CLIENT] = new_socket(entry, flow->from);
	if (flow->source.sin_addr.s_addr) {
		setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
		if (bind(fd, (struct sockaddr *)&flow->source, length))
			die("bind on %s: %s", hosts[flow->from].name, strerror(errno));
	}
	flow->began = now();
	if (connect(fd, (struct sockaddr *)&flow->target, sizeof(flow->target)) &&
	    errno != EINPROGRESS) {
		fail(flow, errno);
		return;
	}
	if (getsockname(fd, (struct sockaddr *)&flow->source, &length))
		die("getsockname: %s", strerror(errno));
	at = bucket(flow->source.sin_addr, flow->source.sin_port);
	flow->next = *at;
	*at = flow;
	watch(fd, EPOLLOUT | EPOLLET, CLIENT, number, EPOLL_CTL_ADD);
}

static void client_ready(struct flow *flow, uint32_t events)
{
	int error = 0, fd = flow->fd[CLIENT];
	socklen_t length = sizeof(error);

	if (events & EPOLLERR)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (error) {
		fail(flow, error);
		return;
	}
	if (flow->connected < 0) {
		if (events & EPOLLHUP || !(events & EPOLLOUT))
			return;
		flow->connected = now();
		if (entries[flow->entry].reverse)
			watch(fd, EPOLLIN, CLIENT, flow - flows, EPOLL_CTL_MOD);
	}
	if (entries[flow->entry].reverse)
		receive(flow, fd);
	else
		send_more(flow, fd);
}

static void server_ready(struct flow *flow)
{
	if (entries[flow->entry].reverse)
		send_more(flow, flow->fd[SERVER]);
	else
		receive(flow, flow->fd[SERVER]);
}

static void accept_all(const struct listener *listener)
{
	const struct entry *entry = &entries[listener->entry];
	struct linger linger = { .l_onoff = 1 };
	struct sockaddr_in client;
	struct flow *flow;
	socklen_t length;
	int fd;

	for (;;) {
		length = sizeof(client);
		fd = accept4(listener->fd, (struct sockaddr *)&client, &length,
			     SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			if (errno == ECONNABORTED || errno == EINTR)
				continue;
			if (errno != EAGAIN)
				die("accept: %s", strerror(errno));
			return;
		}
		flow = *bucket(client.sin_addr, client.sin_port);
		while (flow && !(same_client(flow, &client) && flow->fd[SERVER] < 0 &&
				 flow->target.sin_port == htons(listener->port) &&
				 flow->target.sin_addr.s_addr == listener->address.s_addr))
			flow = flow->next;
		if (!flow) {
			/* It was given up before it was accepted. */
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
			close(fd);
			continue;
		}
		flow->fd[SERVER] = fd;
		set_options(entry, fd);
		watch(fd, entry->reverse ? EPOLLOUT | EPOLLET : EPOLLIN, SERVER,
		      flow - flows, EPOLL_CTL_ADD);
	}
}

static void dispatch(const struct epoll_event *event)
{
	int number = event->data.u64 >> 2;
	struct flow *flow = &flows[number];
	uint64_t ticks;

	switch (event->data.u64 & 3) {
	case TIMER:
		if (read(timer_fd, &ticks, sizeof(ticks)) < 0)
			return;
		break;
	case LISTENER:
		accept_all(&listeners[number]);
		break;
	case CLIENT:
		if (!flow->ended)
			client_ready(flow, event->events);
		break;
	case SERVER:
		if (!flow->ended)
			server_ready(flow);
		break;
	}
}

static void set_timer(int64_t due)
{
	struct itimerspec when = { 0 };
	int64_t at = due + zero_ns;

	if (due != NEVER) {
		when.it_value.tv_sec = at / 1000000000;
		when.it_value.tv_nsec = at % 1000000000;
	}
	if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL))
		die("timer: %s", strerror(errno));
}

/* What has arrived by the end of a flow counts. */
static void give_up(struct flow *flow)
{
	int fd = flow->fd[entries[flow->entry].reverse ? CLIENT : SERVER];
	ssize_t done;

	while (fd >= 0 && (done = recv(fd, discarded, RECEIVE_BYTES, MSG_TRUNC)) > 0)
		count(flow, flow->end, done);
	end_flow(flow, flow->end, flow->bytes ? "timeout" : "", 1);
}

static void run(void)
{
	int started = 0, ended = 0, i, ready;
	struct epoll_event events[EVENTS];
	int64_t due, set = NEVER;

	for (n_open = n_flows; n_open;) {
		while (started < n_flows && flows[by_start[started]].start <= now())
			if (!flows[by_start[started++]].ended)
				open_flow(by_start[started - 1]);
		while (ended < n_flows && flows[by_end[ended]].ended)
			ended++;
		if (!n_open)
			break;
		due = started < n_flows ? flows[by_start[started]].start : NEVER;
		if (ended < n_flows && flows[by_end[ended]].end < due)
			due = flows[by_end[ended]].end;
		if (due != set)
			set_timer(set = due);
		ready = epoll_wait(poll_fd, events, EVENTS, -1);
		if (ready < 0 && errno != EINTR)
			die("epoll_wait: %s", strerror(errno));
		for (i = 0; i < ready; i++)
			dispatch(&events[i]);
		while (ended < n_flows && flows[by_end[ended]].end <= now())
			if (!flows[by_end[ended++]].ended)
				give_up(&flows[by_end[ended - 1]]);
	}
}

static void print_time(int64_t time)
{
	if (time >= 0)
		printf("%" PRId64 ".%09" PRId64, time / 1000000000, time % 1000000000);
	putchar(',');
}

static void print_flows(void)
{
	int i;

	printf("# mpbench-flows %d, list %s\n", FORMAT, digest);
	for (i = 0; i < MOST_ENTRIES; i++)
		if (entries[i].interval_ns)
			printf("# entry %d %s %s\n", i,
			       entries[i].protocol == IPPROTO_MPTCP ? "mptcp" : "tcp",
			       entries[i].controller);
	puts("flow,entry,user,from,to,size_bytes,start_s,opened_s,connected_s,"
	     "first_byte_s,completed_s,ended_s,received_bytes,subflows,error");
	for (i = 0; i < n_flows; i++) {
		struct flow *flow = &flows[i];

		printf("%d,%d,%d,%s,%s,", i, flow->entry, flow->user,
		       hosts[flow->from].name, hosts[flow->to].name);
		if (flow->bytes)
			printf("%" PRIu64, flow->bytes);
		putchar(',');
		print_time(flow->start);
		print_time(flow->began);
		print_time(flow->connected);
		print_time(flow->first);
		print_time(flow->completed);
		print_time(flow->closed);
		printf("%" PRIu64 ",%d,%s\n", flow->received, flow->subflows, flow->error);
	}
	printf("# end %d\n", n_flows);
}

/* Each flow has two sockets. */
static void raise_limit(void)
{
	struct rlimit limit;
	rlim_t needed = 2 * (rlim_t)n_flows + n_listeners + n_hosts + 64;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed;
	if (limit.rlim_max < needed)
		limit.rlim_max = needed;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("%llu open files: %s", (unsigned long long)needed, strerror(errno));
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: mpbench-flows LIST INTERVALS ZERO_NS\n", stderr);
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	zero_ns = strtoll(argv[3], NULL, 10);
	intervals = fopen(argv[2], "we");
	if (!intervals)
		die("%s: %s", argv[2], strerror(errno));
	setvbuf(intervals, NULL, _IOFBF, 1 << 18);
	setvbuf(stdout, NULL, _IOFBF, 1 << 18);
	listeners = new_array(MOST_LISTENERS, sizeof(*listeners));
	poll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (poll_fd < 0 || timer_fd < 0)
		die("epoll or timer: %s", strerror(errno));
	watch(timer_fd, EPOLLIN, TIMER, 0, EPOLL_CTL_ADD);
	read_list(argv[1]);
	raise_limit();
	sort_flows();
	fprintf(intervals, "# mpbench-flows %d, list %s\nflow,interval,bytes\n", FORMAT,
		digest);
	run();
	print_flows();
	fprintf(intervals, "# end %d\n", n_flows);
	if (fflush(stdout) || ferror(stdout) || fclose(intervals))
		die("cannot write the results: %s", strerror(errno));
	return 0;
}

// SPDX-License-Identifier: MIT
/* An endpoint of mpbench over picoquic: QUIC connections over one or several paths.
 *
 * docs/quic.md of mpbench describes the command line and the files. Certificates are new
 * and not checked: both ends are in one guest.
 *
 * The loop is this file's own. Each path of a client has a socket, so the address of a
 * packet says its path. Waits are exact to the nanosecond: picoquic's own loop rounds
 * them to milliseconds, and spins below that.
 */
#define _GNU_SOURCE
#include "endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <autoqlog.h>
#include <picoquic_internal.h>
#include <picoquic_utils.h>

#define ALPN "mpbench"
#define CONNECTIONS 20000
#define EVERY_NS 10000000ull
#define AGAIN_US 1000000ull	/* between two requests for a path that is gone */
#define LONGEST_US 10000000	/* of a wait */
#define READ_AT_ONCE 32
#define DATAGRAM 2048
#define ETHERNET 1500

struct options options = { .out = ".", .control = "cubic" };
static struct sockaddr_in sockets[MOST_PATHS];
static struct pollfd polled[MOST_POLLED];
static struct conn *conns;
static int socket_count;
static bool client, over, ringed;
static volatile sig_atomic_t stopped;
static picoquic_quic_t *quic;

void die(const char *format, ...)
{
	va_list more;

	va_start(more, format);
	fprintf(stderr, "picoquic-endpoint: ");
	vfprintf(stderr, format, more);
	fputc('\n', stderr);
	va_end(more);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static FILE *table(const char *name, const char *head)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", options.out, name);
	file = fopen(path, "w");
	if (!file)
		die("%s: %s", path, strerror(errno));
	fprintf(file, "%s\n", head);
	return file;
}

/* The place of an address among those of --from; -1 if it is not there. */
static int path_of(const struct conn *conn, const struct sockaddr *address)
{
	for (int i = 0; i < conn->ask.count; i++)
		if (((struct sockaddr_in *)address)->sin_addr.s_addr == conn->ask.from[i])
			return i;
	return -1;
}

static void note_paths(struct conn *conn, bool last)
{
	uint64_t now = now_ns();

	if (now < conn->due_ns && !last)
		return;
	conn->due_ns = now + EVERY_NS;
	if (!conn->file)
		conn->file = table("paths.csv", "time_ns,path,rtt_us,cwnd_bytes,lost,sent");
	for (int i = 0; i < conn->quic->nb_paths; i++) {
		picoquic_path_t *path = conn->quic->path[i];
		picoquic_path_quality_t about;
		int number = path_of(conn, (struct sockaddr *)(client ?
			&path->first_tuple->local_addr : &path->first_tuple->peer_addr));

		if (number < 0 || picoquic_get_path_quality(conn->quic, path->unique_path_id,
							     &about))
			continue;
		if (conn->ids[number] != path->unique_path_id) { /* opened again */
			conn->lost[number] += conn->seen_lost[number];
			conn->sent[number] += conn->seen_sent[number];
			conn->ids[number] = path->unique_path_id;
		}
		conn->seen_lost[number] = about.lost;
		conn->seen_sent[number] = about.sent;
		fprintf(conn->file, "%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			now, number + 1, about.rtt, about.cwin, conn->lost[number] + about.lost,
			conn->sent[number] + about.sent);
	}
	if (last)
		fflush(conn->file);
}

static void note_read(struct conn *conn, size_t count, bool last)
{
	uint64_t now = now_ns();

	if (!conn->file)
		conn->file = table("received.csv", "time_ns,bytes");
	conn->bytes += count;
	if (now < conn->due_ns && !last)
		return;
	fprintf(conn->file, "%" PRIu64 ",%" PRIu64 "\n", now, conn->bytes);
	conn->due_ns = now + EVERY_NS;
	conn->bytes = 0;
	if (last)
		fflush(conn->file);
}

/* Ask for a path from each address that has none: right after the handshake, and again
 * for paths that picoquic deleted because nothing came back. */
static void open_paths(struct conn *conn)
{
	bool there[MOST_PATHS] = { false };
	int ready;

	conn->again_us = 0;
	for (int i = 0; i < conn->quic->nb_paths; i++) {
		struct sockaddr *local = (void *)&conn->quic->path[i]->first_tuple->local_addr;
		int number = path_of(conn, local);

		if (number >= 0 && !conn->quic->path[i]->path_is_demoted)
			there[number] = true;
	}
	for (int i = 0; i < socket_count; i++) {
		if (there[i])
			continue;
		if (!picoquic_probe_new_path_ex(conn->quic, (void *)&options.place,
						(void *)&sockets[i], 0,
						picoquic_get_quic_time(quic), 0))
			continue;
		picoquic_subscribe_new_path_allowed(conn->quic, &ready);
		conn->again_us = picoquic_get_quic_time(quic) + AGAIN_US;
	}
}

/* How much of a bulk transfer may be sent now, at most `most`. */
static size_t allowed(struct conn *conn, size_t most)
{
	if (conn->ask.kind & BY_SIZE)
		return conn->ask.left < most ? conn->ask.left : most;
	return now_ns() < conn->until_ns ? most : 0;
}

static int send_bulk(struct conn *conn, uint8_t *context, size_t most)
{
	bool sends = client != !!(conn->ask.kind & REVERSE);
	size_t head = client ? sizeof(conn->ask) - conn->asked : 0, bytes;
	bool end, more;
	uint8_t *to;

	head = head < most ? head : most;
	bytes = sends ? allowed(conn, most - head) : 0;
	more = client && conn->asked + head < sizeof(conn->ask);
	end = !more && (!sends || (bytes < most - head || (conn->ask.kind & BY_SIZE &&
							   bytes == conn->ask.left)));
	to = picoquic_provide_stream_data_buffer(context, head + bytes, end, !end);
	if (!to)
		return -1;
	memcpy(to, (uint8_t *)&conn->ask + conn->asked, head);
	memset(to + head, 0, bytes);
	conn->asked += head;
	if (conn->ask.kind & BY_SIZE && sends)
		conn->ask.left -= bytes;
	if (sends)
		note_paths(conn, end);
	return 0;
}

static void start(struct conn *conn)
{
	conn->until_ns = now_ns() + conn->ask.left;
	if (conn->ask.kind & REVERSE && !client)
		picoquic_mark_active_stream(conn->quic, 0, 1, conn);
}

static int read_bulk(struct conn *conn, const uint8_t *bytes, size_t count, bool end)
{
	bool reads = client == !!(conn->ask.kind & REVERSE);

	while (!client && count && conn->asked < sizeof(conn->ask)) {
		((uint8_t *)&conn->ask)[conn->asked++] = *bytes++;
		count--;
		if (conn->asked == sizeof(conn->ask)) {
			if (conn->ask.count > MOST_PATHS)
				return -1;
			start(conn);
			reads = !(conn->ask.kind & REVERSE);
		}
	}
	if (reads && (count || end))
		note_read(conn, count, end);
	if (end && client)
		picoquic_close(conn->quic, 0);
	else if (end && reads)	/* the client waits for it */
		return picoquic_add_to_stream(conn->quic, 0, (const uint8_t *)"", 0, 1);
	return 0;
}

static struct conn *add(picoquic_cnx_t *made, int fd)
{
	struct conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		die("no memory");
	conn->quic = made;
	conn->fd = fd;
	conn->ask = options.ask;
	conn->next = conns;
	conns = conn;
	return conn;
}

static int event(picoquic_cnx_t *made, uint64_t stream, uint8_t *bytes, size_t length,
		 picoquic_call_back_event_t what, void *context, void *of_stream)
{
	struct conn *conn = context;

	if (!conn) {
		conn = add(made, -1);
		picoquic_set_callback(made, event, conn);
	}
	switch (what) {
	case picoquic_callback_ready:
	case picoquic_callback_next_path_allowed:
	case picoquic_callback_path_deleted:
		if (client)
			conn->again_us = picoquic_get_quic_time(quic);
		break;
	case picoquic_callback_stream_data:
	case picoquic_callback_stream_fin:
		if (options.relay.sin_family)
			return relay_take(conn, bytes, length,
					  what == picoquic_callback_stream_fin);
		return read_bulk(conn, bytes, length, what == picoquic_callback_stream_fin);
	case picoquic_callback_prepare_to_send:
		if (options.relay.sin_family)
			return relay_give(conn, bytes, length);
		return send_bulk(conn, bytes, length);
	case picoquic_callback_stream_released:
		if (options.relay.sin_family && client)
			picoquic_close(made, 0);
		break;
	case picoquic_callback_stream_reset:
	case picoquic_callback_stop_sending:
		picoquic_close(made, 1);
		break;
	case picoquic_callback_stateless_reset:
	case picoquic_callback_close:
	case picoquic_callback_application_close:
		conn->failed = picoquic_get_local_error(made) || picoquic_get_remote_error(made) ||
			       picoquic_get_application_error(made);
		if (conn->failed && !options.relay.sin_family)
			fprintf(stderr, "picoquic-endpoint: the connection ended with error 0x%"
				PRIx64 " here, 0x%" PRIx64 " there\n",
				picoquic_get_local_error(made), picoquic_get_remote_error(made));
		conn->done = true;
		picoquic_set_callback(made, NULL, NULL);
		break;
	default:
		break;
	}
	return 0;
}

struct conn *begin(int fd)
{
	uint64_t now = picoquic_get_quic_time(quic);
	picoquic_cnx_t *made = picoquic_create_cnx(quic, picoquic_null_connection_id,
		picoquic_null_connection_id, (void *)&options.place, now, 0, "server", ALPN, 1);
	struct conn *conn;

	if (!made)
		die("no connection can be made");
	conn = add(made, fd);
	picoquic_set_local_addr(made, (void *)&sockets[0]);
	picoquic_set_callback(made, event, conn);
	if (fd < 0) {
		start(conn);
		picoquic_mark_active_stream(made, 0, 1, conn);
	}
	if (picoquic_start_client_cnx(made))
		die("no connection can be begun");
	return conn;
}

static void open_socket(const struct sockaddr_in *here)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = 4 << 20, found = IP_PMTUDISC_PROBE;
	struct sockaddr_in *kept = &sockets[socket_count];
	socklen_t size = sizeof(*kept);

	if (fd < 0 || bind(fd, (const void *)here, sizeof(*here)) ||
	    getsockname(fd, (void *)kept, &size))
		die("%s: %s", inet_ntoa(here->sin_addr), strerror(errno));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &found, sizeof(found));
	polled[socket_count++] = (struct pollfd){ fd, POLLIN };
}

/* Send all that is due. A burst to one place is handed down in one call. */
static void send_due(void)
{
	static struct burst alone;
	struct sockaddr_storage from;
	size_t length, each = 0;
	int interface;

	for (;;) {
		struct burst *made = ringed ? ring_burst() : &alone;
		uint64_t now = picoquic_get_quic_time(quic);

		if (picoquic_prepare_next_packet_ex(quic, now, made->data, sizeof(made->data),
						    &length, &made->to, &from, &interface,
						    NULL, NULL, &each) ||
		    !length)
			return;
		made->fd = polled[0].fd;
		for (int i = 0; i < socket_count; i++)
			if (((struct sockaddr_in *)&from)->sin_addr.s_addr ==
			    sockets[i].sin_addr.s_addr)
				made->fd = polled[i].fd;
		made->part = (struct iovec){ made->data, length };
		made->message = (struct msghdr){ &made->to, sizeof(struct sockaddr_in),
						 &made->part, 1 };
		if (each && each < length) {
			struct cmsghdr *control = (void *)made->space;

			made->message.msg_control = made->space;
			made->message.msg_controllen = sizeof(made->space);
			control->cmsg_level = SOL_UDP;
			control->cmsg_type = UDP_SEGMENT;
			control->cmsg_len = CMSG_LEN(sizeof(uint16_t));
			*(uint16_t *)CMSG_DATA(control) = each;
		}
		/* What cannot be sent counts as lost, as on an interface that is down. */
		if (ringed)
			ring_send(made);
		else
			sendmsg(made->fd, &made->message, 0);
	}
}

static void receive(int number)
{
	static uint8_t data[READ_AT_ONCE][DATAGRAM];
	static struct sockaddr_in from[READ_AT_ONCE];
	static struct mmsghdr messages[READ_AT_ONCE];
	static struct iovec parts[READ_AT_ONCE];
	int count;

	do {
		for (int i = 0; i < READ_AT_ONCE; i++) {
			parts[i] = (struct iovec){ data[i], DATAGRAM };
			messages[i].msg_hdr = (struct msghdr){ &from[i], sizeof(from[i]),
							       &parts[i], 1 };
		}
		count = recvmmsg(polled[number].fd, messages, READ_AT_ONCE, MSG_DONTWAIT, NULL);
		for (int i = 0; i < count; i++)
			picoquic_incoming_packet(quic, data[i], messages[i].msg_len,
						 (void *)&from[i], (void *)&sockets[number], 0,
						 0, picoquic_get_quic_time(quic));
	} while (count == READ_AT_ONCE);
}

/* Ask for paths that are due, and forget the connections that have ended. */
static int64_t look_after_connections(int64_t wait_us)
{
	uint64_t now = picoquic_get_quic_time(quic);

	for (struct conn **each = &conns; *each;) {
		struct conn *conn = *each;
		bool ended = conn->done ||
			picoquic_get_cnx_state(conn->quic) == picoquic_state_disconnected;

		if (!ended) {
			if (conn->again_us && conn->again_us <= now &&
			    picoquic_get_cnx_state(conn->quic) == picoquic_state_ready) {
				open_paths(conn);
				wait_us = 0;
			}
			if (conn->again_us > now && (int64_t)(conn->again_us - now) < wait_us)
				wait_us = conn->again_us - now;
			each = &conn->next;
			continue;
		}
		over = client && !options.relay.sin_family;
		if (over && conn->failed)
			die("the transfer was not complete");
		relay_forget(conn);
		picoquic_set_callback(conn->quic, NULL, NULL);
		if (!over)
			picoquic_delete_cnx(conn->quic);
		*each = conn->next;
		free(conn);
	}
	return wait_us;
}

static void stop(int number)
{
	stopped = number;
}

/* Let packets arrive for some time, but not for longer than `wait_us`. What is left of it */
static int64_t gather(int64_t wait_us)
{
	int64_t now = options.gather_us < wait_us ? options.gather_us : wait_us;

	if (now > 0)
		nanosleep(&(struct timespec){ now / 1000000, now % 1000000 * 1000 }, NULL);
	return wait_us - now;
}

/* Send, wait and receive with the ring. */
static void pass(int64_t wait_us)
{
	struct packet packet;

	ring_wait(wait_us, options.gather_us);
	while (ring_next(&packet))
		picoquic_incoming_packet(quic, packet.data, packet.length, (void *)packet.from,
					 (void *)&sockets[packet.number], 0, 0,
					 picoquic_get_quic_time(quic));
}

static void loop(void)
{
	while (!over && !stopped) {
		int64_t wait_us;
		struct timespec wait;
		int count;

		send_due();
		wait_us = picoquic_get_next_wake_delay(quic, picoquic_get_quic_time(quic),
						       LONGEST_US);
		wait_us = look_after_connections(wait_us);
		if (over)
			break;
		if (ringed) {
			pass(wait_us);
			continue;
		}
		wait_us = gather(wait_us);
		wait = (struct timespec){ wait_us / 1000000, wait_us % 1000000 * 1000 };
		count = relay_polled(conns, polled, socket_count);
		if (ppoll(polled, count, &wait, NULL) < 0 && errno != EINTR)
			die("poll: %s", strerror(errno));
		for (int i = 0; i < socket_count; i++)
			if (polled[i].revents)
				receive(i);
		relay_move(polled, socket_count, count);
	}
	send_due();	/* the end of the connection */
	if (ringed)
		ring_wait(0, 0);
}

int main(int count, char **words)
{
	char certificate[4096], key[4096];
	picoquic_tp_t settings;

	client = read_options(count, words);
	if (client)
		for (int i = 0; i < options.ask.count; i++)
			open_socket(&(struct sockaddr_in){ .sin_family = AF_INET,
				.sin_addr.s_addr = options.ask.from[i] });
	else
		open_socket(&options.place);
	/* Relays wait for connections of TCP as well. */
	ringed = !options.relay.sin_family && ring_begin(polled, socket_count);
	if (!client)
		make_certificate(certificate, key, sizeof(key));
	picoquic_register_all_congestion_control_algorithms();
	if (!picoquic_get_congestion_algorithm(options.control))
		die("--control %s: unknown; known are bbr, bbr1, c4, cubic, dcubic, fast, "
		    "newreno, prague, reno", options.control);
	quic = picoquic_create(CONNECTIONS, client ? NULL : certificate, client ? NULL : key, NULL,
			       ALPN, event, NULL, NULL, NULL, NULL, picoquic_current_time(), NULL,
			       NULL, NULL, 0);
	if (!quic)
		die("picoquic cannot begin");
	if (!client) {
		unlink(certificate);
		unlink(key);
	}
	picoquic_set_default_congestion_algorithm_by_name(quic, options.control);
	picoquic_set_default_multipath_option(quic, 1);
	picoquic_enable_path_callbacks_default(quic, 1);
	picoquic_set_mtu_max(quic, ETHERNET);
	picoquic_set_default_pmtud_policy(quic, picoquic_pmtud_required);
	picoquic_set_null_verifier(quic);
	if (getenv("SSLKEYLOGFILE")) {
		picoquic_enable_sslkeylog(quic, 1);
		picoquic_set_key_log_file(quic, getenv("SSLKEYLOGFILE"));
	}
	if (getenv("QLOGDIR"))
		picoquic_set_qlog(quic, getenv("QLOGDIR"));
	settings = *picoquic_get_default_tp(quic);
	settings.initial_max_data = WINDOW;
	settings.initial_max_stream_data_bidi_local = WINDOW;
	settings.initial_max_stream_data_bidi_remote = WINDOW;
	settings.max_idle_timeout = options.relay.sin_family ? 600000 : 30000;
	picoquic_set_default_tp(quic, &settings);
	if (options.relay.sin_family && client)
		relay_listen();
	if (!client || options.relay.sin_family) {
		puts("ready");
		fflush(stdout);
	}
	if (client && !options.relay.sin_family)
		begin(-1);
	signal(SIGTERM, stop);
	loop();
	picoquic_free(quic);	/* which completes its logs */
	return 0;
}

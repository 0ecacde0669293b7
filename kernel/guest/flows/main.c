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
 * Entries have numbers below 1000. A flow of 0 bytes sends until END_NS. Any other
 * flow sends its bytes and then closes; one that is not complete at END_NS is given
 * up. Times count from ZERO_NS of the monotonic clock. Data go from HOST to
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
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "flows.h"

#define EVENTS 64
#define NEVER INT64_MAX

static int timer_fd;

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

static void raise_limit(rlim_t needed)
{
	struct rlimit limit;

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
	raise_limit(MOST_HOSTS + MOST_LISTENERS + OTHER_FILES);
	read_list(argv[1]);
	/* each flow has two sockets */
	raise_limit(2 * (rlim_t)n_flows + n_listeners + n_hosts + OTHER_FILES);
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

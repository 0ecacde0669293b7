// SPDX-License-Identifier: GPL-2.0
/* The data of a connection, and its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "flows.h"

#define SOL_MPTCP_INFO 284
#define MPTCP_INFO_OPTION 1
#define SEND_BYTES (128 * 1024)
#define RECEIVE_BYTES (1 << 20)

FILE *intervals;
int n_open;
static char zeros[SEND_BYTES], discarded[RECEIVE_BYTES];

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

void fail(struct flow *flow, int error)
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

void client_ready(struct flow *flow, uint32_t events)
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

void server_ready(struct flow *flow)
{
	if (entries[flow->entry].reverse)
		send_more(flow, flow->fd[SERVER]);
	else
		receive(flow, flow->fd[SERVER]);
}

/* What has arrived by the end of a flow counts. */
void give_up(struct flow *flow)
{
	int fd = flow->fd[entries[flow->entry].reverse ? CLIENT : SERVER];
	ssize_t done;

	while (fd >= 0 && (done = recv(fd, discarded, RECEIVE_BYTES, MSG_TRUNC)) > 0)
		count(flow, flow->end, done);
	end_flow(flow, flow->end, flow->bytes ? "timeout" : "", 1);
}

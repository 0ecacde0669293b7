// SPDX-License-Identifier: MIT
/* TCP connections of programs on the same host, carried by one QUIC connection each */
#define _GNU_SOURCE
#include "endpoint.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener = -1;
static struct conn *of_polled[MOST_POLLED];

static int made(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		die("socket: %s", strerror(errno));
	return fd;
}

/* Small buffers, so that what a program has written is hardly ahead of what is sent */
static void shape(int fd)
{
	int bytes = HELD, yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

/* The tools connect to an address of another host, which a rule brings here. */
void relay_listen(void)
{
	int yes = 1;

	listener = made();
	shape(listener);
	setsockopt(listener, IPPROTO_IP, IP_TRANSPARENT, &yes, sizeof(yes));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(listener, (void *)&options.relay, sizeof(options.relay)) ||
	    listen(listener, SOMAXCONN))
		die("--relay: %s", strerror(errno));
}

/* A connection to the server, from the address and port of the tool's own, if this
 * process may do so
 */
static int connected(const struct origin *from)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = from->port,
				    .sin_addr.s_addr = from->address };
	int fd = made(), yes = 1;

	shape(fd);
	if (!setsockopt(fd, IPPROTO_IP, IP_TRANSPARENT, &yes, sizeof(yes)) &&
	    bind(fd, (void *)&here, sizeof(here)))
		die("bind: %s", strerror(errno));
	if (!connect(fd, (void *)&options.relay, sizeof(options.relay)) || errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

static void drop(struct conn *conn)
{
	struct linger reset = { 1, 0 };

	if (conn->fd < 0)
		return;
	setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(conn->fd);
	conn->fd = -1;
}

static void fail(struct conn *conn)
{
	drop(conn);
	picoquic_close(conn->quic, 1);
}

/* Write to the program what has arrived for it. */
static void pass_on(struct conn *conn)
{
	while (conn->in_from < conn->in_to) {
		ssize_t done = send(conn->fd, conn->in + conn->in_from,
				    conn->in_to - conn->in_from, MSG_NOSIGNAL);

		if (done < 0 && (errno == EAGAIN || errno == ENOTCONN))
			return;
		if (done < 0)
			return fail(conn);
		conn->in_from += done;
	}
	conn->in_from = conn->in_to = 0;
	picoquic_open_flow_control(conn->quic, 0, WINDOW);
	if (conn->got_end && !conn->write_end) {
		conn->write_end = true;
		shutdown(conn->fd, SHUT_WR);
	}
}

int relay_take(struct conn *conn, const uint8_t *bytes, size_t count, bool end)
{
	while (!conn->asks && count && conn->asked < sizeof(conn->from)) {
		((uint8_t *)&conn->from)[conn->asked++] = *bytes++;
		count--;
		if (conn->asked == sizeof(conn->from))
			conn->fd = connected(&conn->from);
	}
	if (!conn->asks && conn->asked < sizeof(conn->from) && !end)
		return 0;
	if (conn->fd < 0) {
		picoquic_close(conn->quic, 1);
		return 0;
	}
	if (!conn->in)
		picoquic_set_app_flow_control(conn->quic, 0, 1);
	if (conn->in_to + count > conn->in_size) {
		conn->in_size = conn->in_to + count + HELD;
		conn->in = realloc(conn->in, conn->in_size);
		if (!conn->in)
			die("no memory");
	}
	memcpy(conn->in + conn->in_to, bytes, count);
	conn->in_to += count;
	conn->got_end = conn->got_end || end;
	pass_on(conn);
	return 0;
}

int relay_give(struct conn *conn, uint8_t *context, size_t most)
{
	size_t held = conn->out_to - conn->out_from, count = held < most ? held : most;
	bool end = conn->read_end && count == held;
	uint8_t *to = picoquic_provide_stream_data_buffer(context, count, end,
							  !end && count < held);

	if (!to)
		return -1;
	memcpy(to, conn->out + conn->out_from, count);
	conn->out_from += count;
	if (conn->out_from == conn->out_to)
		conn->out_from = conn->out_to = 0;
	conn->sent_end = conn->sent_end || end;
	return 0;
}

static void read_program(struct conn *conn)
{
	ssize_t count = recv(conn->fd, conn->out + conn->out_to, HELD - conn->out_to, 0);

	if (count < 0 && errno == EAGAIN)
		return;
	if (count < 0)
		return fail(conn);
	conn->out_to += count;
	conn->read_end = !count;
	picoquic_mark_active_stream(conn->quic, 0, 1, conn);
}

static void accept_one(void)
{
	struct sockaddr_in program;
	socklen_t size = sizeof(program);
	int fd = accept4(listener, (void *)&program, &size, SOCK_NONBLOCK);
	struct origin from = { program.sin_addr.s_addr, program.sin_port };
	struct conn *conn;

	if (fd < 0)
		return;
	shape(fd);
	conn = begin(fd);
	conn->asks = true;
	memcpy(conn->out, &from, sizeof(from));
	conn->out_to = sizeof(from);
	picoquic_mark_active_stream(conn->quic, 0, 1, conn);
}

int relay_polled(struct conn *conns, struct pollfd *polled, int count)
{
	if (!options.relay.sin_family)
		return count;
	if (listener >= 0) {
		of_polled[count] = NULL;
		polled[count++] = (struct pollfd){ listener, POLLIN };
	}
	for (; conns; conns = conns->next) {
		short wanted = conns->in_from < conns->in_to ? POLLOUT : 0;

		if (!conns->read_end && conns->out_to < HELD)
			wanted |= POLLIN;
		if (conns->fd < 0 || (conns->read_end && !wanted) || count == MOST_POLLED)
			continue;
		of_polled[count] = conns;
		polled[count++] = (struct pollfd){ conns->fd, wanted };
	}
	return count;
}

void relay_move(struct pollfd *polled, int first, int count)
{
	for (int i = first; i < count; i++) {
		struct conn *conn = of_polled[i];

		if (!polled[i].revents)
			continue;
		if (!conn) {
			accept_one();
			continue;
		}
		if (conn->fd >= 0 && polled[i].revents & (POLLOUT | POLLERR))
			pass_on(conn);
		if (conn->fd >= 0 && polled[i].revents & (POLLIN | POLLHUP | POLLERR) &&
		    !conn->read_end && conn->out_to < HELD)
			read_program(conn);
	}
}

/* A connection that has ended. Where data are missing, the program learns it by a reset. */
void relay_forget(struct conn *conn)
{
	if (conn->fd >= 0) {
		if (conn->failed || !conn->got_end || !conn->sent_end)
			drop(conn);
		else
			close(conn->fd);
	}
	free(conn->in);
	if (conn->file)
		fclose(conn->file);
}

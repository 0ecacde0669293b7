// SPDX-License-Identifier: GPL-2.0
/* How connections open, and how the server finds which of them it accepts. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "flows.h"

#define BUCKETS 65536

static struct flow *buckets[BUCKETS];

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

void forget(struct flow *flow)
{
	struct flow **at = bucket(flow->source.sin_addr, flow->source.sin_port);

	for (; *at; at = &(*at)->next)
		if (*at == flow) {
			*at = flow->next;
			return;
		}
}

void open_flow(int number)
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

void accept_all(const struct listener *listener)
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

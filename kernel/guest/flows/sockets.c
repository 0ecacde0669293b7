// SPDX-License-Identifier: GPL-2.0
/* Hosts, the sockets on them, and the ports that listen. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "flows.h"

#define BACKLOG 65535

struct host hosts[MOST_HOSTS];
struct listener *listeners;
int n_hosts, n_listeners, poll_fd;

/* The number of a host; a new one gets its namespace opened. */
int host_number(const char *name)
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

struct sockaddr_in address_of(const char *text, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (strcmp(text, "-") && inet_pton(AF_INET, text, &address.sin_addr) != 1)
		die("not an address: %s", text);
	return address;
}

void set_options(const struct entry *entry, int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, entry->controller,
		       strlen(entry->controller)))
		die("congestion control %s: %s", entry->controller, strerror(errno));
}

int new_socket(const struct entry *entry, int host)
{
	int fd, kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

	enter(host);
	fd = socket(AF_INET, kind, entry->protocol);
	if (fd < 0)
		die("socket on %s: %s", hosts[host].name, strerror(errno));
	set_options(entry, fd);
	return fd;
}

void watch(int fd, uint32_t events, enum role role, int number, int command)
{
	struct epoll_event event = { .events = events };

	event.data.u64 = (uint64_t)number << 2 | role;
	if (epoll_ctl(poll_fd, command, fd, &event))
		die("epoll: %s", strerror(errno));
}

void add_listener(int entry, const char *name, const char *text, int port)
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

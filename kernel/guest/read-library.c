// SPDX-License-Identifier: MIT
/*
 * Preloaded into a receiving program: its large reads wait for
 * MPBENCH_READ_BYTES instead of waking it for every packet (SO_RCVLOWAT).
 *
 * Only sockets that are read in large pieces are touched, at their first such
 * read: a control connection that exchanges a few bytes is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

#define LARGE (16 * 1024)
#define MAX_FD 1024

static void coalesce(int fd, size_t length)
{
	static unsigned char seen[MAX_FD];
	const char *text;
	int bytes;

	if (length < LARGE || fd < 0 || fd >= MAX_FD || seen[fd])
		return;
	seen[fd] = 1;
	text = getenv("MPBENCH_READ_BYTES");
	bytes = text ? atoi(text) : 0;
	if (bytes > 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

ssize_t read(int fd, void *buffer, size_t length)
{
	static ssize_t (*next)(int, void *, size_t);

	if (!next)
		next = dlsym(RTLD_NEXT, "read");
	coalesce(fd, length);
	return next(fd, buffer, length);
}

ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
	static ssize_t (*next)(int, void *, size_t, int);

	if (!next)
		next = dlsym(RTLD_NEXT, "recv");
	coalesce(fd, length);
	return next(fd, buffer, length, flags);
}

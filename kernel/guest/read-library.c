// SPDX-License-Identifier: GPL-2.0
/*
 * A library for programs that send or receive in bulk; mpbench-read preloads it.
 *
 * Large reads wait for MPBENCH_READ_BYTES (SO_RCVLOWAT), so that not every packet
 * wakes the program. This applies only to sockets that are read in large pieces,
 * from their first large read on. A control connection that exchanges a few bytes
 * stays as it is. A reader that waits for all that a receive window holds stops its
 * sender, and the window does not grow any more. So a read waits for at most a quarter
 * of the window, and the portion grows with the window until it is what was asked for.
 * A reader that finds the window full most of the time all the same says so at its end.
 *
 * A non-blocking read that follows a short read, with no select() in between,
 * fails at once with EAGAIN.
 *
 * select() does not wait for writing on sockets in blocking mode. iperf3 makes a
 * data socket non-blocking while the test runs, and writes only then. But it also
 * selects on the socket before and after the test, finds it writable, and spins
 * until its peer answers: 100,000 system calls per test.
 *
 * select() does not poll twice in a row without a result. After its test iperf3
 * lets its timers expire and never runs them again, so it polls without a timeout
 * until the last answer has come through the queue that the test has left: a
 * million system calls per second. The second poll and later ones wait for POLL_US.
 *
 * select() that has only found sockets writable, of which the program then wrote to
 * none, waits POLL_US for something else before it finds them writable again. With
 * --reverse, iperf3's server makes each data socket non-blocking as it accepts it, and
 * selects on it for a round trip until the next connection comes, and again after the
 * test: 100,000 system calls per connection.
 *
 * Nothing else of the program's behaviour changes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

#define LARGE (16 * 1024)
#define MAX_FD 1024
#define POLL_US 10000
#define PART_OF_WINDOW 4
#define FEW_READS 20

static enum mode { UNKNOWN, BLOCKING, NON_BLOCKING } modes[MAX_FD];
static unsigned char drained[MAX_FD];
static fd_set writable;	/* what select() found, when it found nothing else */
static int ignored;	/* nothing was written to these since */

static int asked = -1;		/* MPBENCH_READ_BYTES */
static int portions[MAX_FD];	/* what reads wait for; 0 before the first large read */
static int windows[MAX_FD];	/* as last asked for; 0 for what is no socket */
static unsigned long reads_done, reads_of_all;

/* A receive window, bytes: of the buffer, half is for what a packet takes beside. */
static int window_of(int fd)
{
	socklen_t length = sizeof(int);
	int buffer = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, &length))
		return 0;
	return buffer / 2;
}

static void coalesce(int fd, size_t length)
{
	const char *text;
	int portion;

	if (asked < 0) {
		text = getenv("MPBENCH_READ_BYTES");
		asked = text ? atoi(text) : 0;
	}
	if (length < LARGE || portions[fd] >= asked)
		return;
	windows[fd] = window_of(fd);
	portion = windows[fd] / PART_OF_WINDOW;
	if (portion < 1 || portion > asked)
		portion = asked;
	if (portion <= portions[fd])
		return;
	portions[fd] = portion;
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &portion, sizeof(portion));
}

/* Count a large read that found almost all that fits into the window. */
static void count_read(int fd, ssize_t result)
{
	if (!windows[fd] || result <= 0)
		return;
	reads_done++;
	if (result < windows[fd] / 4 * 3)
		return;
	windows[fd] = window_of(fd);
	if (result >= windows[fd] / 4 * 3)
		reads_of_all++;
}

__attribute__((destructor))
static void say_if_held(void)
{
	if (reads_done >= FEW_READS && reads_of_all > reads_done / 2)
		fprintf(stderr,
			"mpbench-read: %lu of %lu reads found the receive window full\n",
			reads_of_all, reads_done);
}

ssize_t read(int fd, void *buffer, size_t length)
{
	static ssize_t (*next)(int, void *, size_t);
	ssize_t result;

	if (!next)
		next = dlsym(RTLD_NEXT, "read");
	if (fd < 0 || fd >= MAX_FD)
		return next(fd, buffer, length);
	if (drained[fd]) {
		drained[fd] = 0;
		errno = EAGAIN;
		return -1;
	}
	coalesce(fd, length);
	result = next(fd, buffer, length);
	if (length >= LARGE)
		count_read(fd, result);
	drained[fd] = modes[fd] == NON_BLOCKING && length >= LARGE &&
		      result > 0 && (size_t)result < length;
	return result;
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	static ssize_t (*next)(int, const void *, size_t);

	if (!next)
		next = dlsym(RTLD_NEXT, "write");
	if (ignored && fd >= 0 && fd < MAX_FD && FD_ISSET(fd, &writable))
		ignored = 0;
	return next(fd, buffer, length);
}

ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
	static ssize_t (*next)(int, void *, size_t, int);
	ssize_t result;

	if (!next)
		next = dlsym(RTLD_NEXT, "recv");
	if (fd < 0 || fd >= MAX_FD)
		return next(fd, buffer, length, flags);
	coalesce(fd, length);
	result = next(fd, buffer, length, flags);
	if (length >= LARGE)
		count_read(fd, result);
	return result;
}

static int set_mode(int fd, int command, long argument)
{
	static int (*next)(int, int, ...);
	int result;

	if (!next)
		next = dlsym(RTLD_NEXT, "fcntl64");
	result = next(fd, command, argument);
	if (command == F_SETFL && result >= 0 && fd >= 0 && fd < MAX_FD)
		modes[fd] = argument & O_NONBLOCK ? NON_BLOCKING : BLOCKING;
	return result;
}

int fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return set_mode(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return set_mode(fd, command, argument);
}

static int blocking(int fd)
{
	int flags;

	if (modes[fd] != UNKNOWN)
		return modes[fd] == BLOCKING;
	flags = set_mode(fd, F_GETFL, 0);
	return flags >= 0 && !(flags & O_NONBLOCK);
}

typedef int (*select_call)(int, fd_set *, fd_set *, fd_set *, struct timeval *);

/* Whether a set has one of the first descriptors. */
static int has_any(int count, const fd_set *set)
{
	int fd;

	for (fd = 0; set && fd < count; fd++)
		if (FD_ISSET(fd, set))
			return 1;
	return 0;
}

/* Wait a short time for anything but writing; 0 if nothing came. */
static int others(select_call next, int count, fd_set *reads, fd_set *writes,
		  fd_set *errors)
{
	struct timeval wait = { .tv_usec = POLL_US };
	fd_set kept_reads, kept_errors;
	int ready;

	if (reads)
		kept_reads = *reads;
	if (errors)
		kept_errors = *errors;
	ready = next(count, reads, NULL, errors, &wait);
	if (ready) {
		FD_ZERO(writes);
		return ready;
	}
	if (reads)
		*reads = kept_reads;
	if (errors)
		*errors = kept_errors;
	return 0;
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *errors,
	   struct timeval *timeout)
{
	static select_call next;
	static int polled;
	struct timeval wait = { .tv_usec = POLL_US };
	int polls = timeout && !timeout->tv_sec && !timeout->tv_usec;
	int fd, ready;

	if (!next)
		next = dlsym(RTLD_NEXT, "select");
	memset(drained, 0, sizeof(drained));
	for (fd = 0; writes && fd < count; fd++)
		if (FD_ISSET(fd, writes) && blocking(fd))
			FD_CLR(fd, writes);
	if (ignored && has_any(count, writes)) {
		ignored = 0;
		ready = others(next, count, reads, writes, errors);
		if (ready)
			return ready;
	}
	ready = next(count, reads, writes, errors, polls && polled ? &wait : timeout);
	polled = polls && !ready;
	ignored = ready > 0 && has_any(count, writes) && !has_any(count, reads) &&
		  !has_any(count, errors);
	if (ignored)
		writable = *writes;
	return ready;
}

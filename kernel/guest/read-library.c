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
 * With MPBENCH_READ_DISCARD, large non-blocking reads of a stream are of data that the
 * program never looks at, as those of iperf3. The kernel hands them over without a copy
 * (MSG_TRUNC). iperf3's control connection, whose data count, is in blocking mode.
 *
 * With MPBENCH_READ_ALL, such a read also takes all that is there at once, up to
 * MPBENCH_READ_BYTES. The program gets it in pieces as large as it asks for, and select()
 * finds the socket readable until it has all. It waits for what comes in WAKE_NS, so that
 * little is unread when the transfer ends.
 *
 * A program that ends after MPBENCH_READ_END bytes would wait for ever for the last of
 * them. So once what is missing may be there unread, reads wait for nothing.
 *
 * With MPBENCH_WRITE_AHEAD, a large non-blocking write to a stream hands the kernel the
 * same data BLOCKS times at once, and the next writes are answered from that. iperf3
 * writes its only block BLOCKS times after each select().
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
#include <sys/uio.h>
#include <time.h>

#define LARGE (16 * 1024)
#define MAX_FD 1024
#define POLL_US 10000
#define PART_OF_WINDOW 4
#define FEW_READS 20
#define BLOCKS 10
#define WAKE_NS 10000000LL
#define WAKES 8

static enum mode { UNKNOWN, BLOCKING, NON_BLOCKING } modes[MAX_FD];
static unsigned char streams[MAX_FD];	/* non-blocking sockets of streams */
static unsigned char drained[MAX_FD];
static fd_set writable;	/* what select() found, when it found nothing else */
static int ignored;	/* nothing was written to these since */

static int asked = -1;		/* MPBENCH_READ_BYTES */
static int discards, all, ahead;
static long long end;	/* MPBENCH_READ_END; 0 for none, or when nothing waits any more */
static long long seen;	/* bytes of data, by all sockets */
static long long waited;	/* the sum of all portions */
static long long came[MAX_FD], since_ns[MAX_FD];	/* by reads since then */
static int wakes[MAX_FD];
static size_t taken[MAX_FD];	/* from the kernel, and not yet read by the program */
static size_t given[MAX_FD];	/* to the kernel, and not yet written by the program */
static unsigned char stuffed[MAX_FD];	/* the kernel takes no more for now */
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

static void ask(void)
{
	const char *text;

	if (asked >= 0)
		return;
	text = getenv("MPBENCH_READ_BYTES");
	asked = text ? atoi(text) : 0;
	all = !!getenv("MPBENCH_READ_ALL");
	discards = !!getenv("MPBENCH_READ_DISCARD");
	ahead = !!getenv("MPBENCH_WRITE_AHEAD");
	text = getenv("MPBENCH_READ_END");
	end = text ? atoll(text) : 0;
}

static void wait_for(int fd, int portion)
{
	waited += portion - portions[fd];
	portions[fd] = portion;
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &portion, sizeof(portion));
}

/*
 * Sockets hold less unread than all portions together. If that may be all that is
 * missing, nothing more will come that wakes the program.
 */
static void near_end(int fd, ssize_t result)
{
	int other, least = 1;

	if (!end || result <= 0 || !portions[fd])
		return;
	seen += result;
	if (end - seen >= waited)
		return;
	end = 0;
	asked = 0;
	for (other = 0; other < MAX_FD; other++)
		if (portions[other])
			setsockopt(other, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
}

static void coalesce(int fd, size_t length)
{
	int portion;

	ask();
	if (length < LARGE || portions[fd] >= asked || (all && portions[fd]))
		return;
	windows[fd] = window_of(fd);
	portion = windows[fd] / PART_OF_WINDOW;
	if (portion < 1 || portion > asked)
		portion = asked;
	if (all && portion > LARGE)
		portion = LARGE;
	if (portion > portions[fd])
		wait_for(fd, portion);
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

typedef ssize_t (*recv_call)(int, void *, size_t, int);

static recv_call next_recv(void)
{
	static recv_call next;

	if (!next)
		next = dlsym(RTLD_NEXT, "recv");
	return next;
}

/* What the kernel has handed over before */
static ssize_t read_on(int fd, size_t length)
{
	size_t result = taken[fd] < length ? taken[fd] : length;

	taken[fd] -= result;
	drained[fd] = result < length;
	return result;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Let the portion follow the rate, after some reads or when they take long. */
static void follow(int fd, ssize_t result)
{
	long long now = now_ns(), span = now - since_ns[fd], portion;

	came[fd] += result;
	if (++wakes[fd] < WAKES && span < WAKES * WAKE_NS)
		return;
	portion = span > 0 ? came[fd] * WAKE_NS / span : 0;
	wakes[fd] = 0;
	came[fd] = 0;
	since_ns[fd] = now;
	windows[fd] = window_of(fd);
	if (portion > windows[fd] / PART_OF_WINDOW)
		portion = windows[fd] / PART_OF_WINDOW;
	if (portion > asked)
		portion = asked;
	if (portion < LARGE)
		portion = portions[fd] < LARGE ? portions[fd] : LARGE;
	if (portion <= portions[fd] * 3 / 4 || portion >= portions[fd] * 5 / 4)
		wait_for(fd, portion);
}

/* A large read of data that nobody looks at */
static ssize_t discard(int fd, void *buffer, size_t length)
{
	size_t most = all && (size_t)asked > length ? (size_t)asked : length;
	ssize_t result = next_recv()(fd, buffer, most, MSG_TRUNC);

	count_read(fd, result);
	near_end(fd, result);
	if (all && asked && result > 0)
		follow(fd, result);
	if (result > 0 && (size_t)result > length) {
		taken[fd] = result - length;
		return length;
	}
	drained[fd] = result > 0 && (size_t)result < length;
	return result;
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
	if (taken[fd])
		return read_on(fd, length);
	coalesce(fd, length);
	if (length >= LARGE && discards && streams[fd])
		return discard(fd, buffer, length);
	result = next(fd, buffer, length);
	near_end(fd, result);
	if (length >= LARGE)
		count_read(fd, result);
	drained[fd] = modes[fd] == NON_BLOCKING && length >= LARGE &&
		      result > 0 && (size_t)result < length;
	return result;
}

/* What the kernel has taken before */
static ssize_t write_on(int fd, size_t length)
{
	size_t result = given[fd] < length ? given[fd] : length;

	if (!result) {
		errno = EAGAIN;
		return -1;
	}
	given[fd] -= result;
	return result;
}

/* Large writes of the same data, all at once */
static ssize_t write_ahead(int fd, const void *buffer, size_t length)
{
	struct iovec vector[BLOCKS];
	ssize_t result;
	int at;

	for (at = 0; at < BLOCKS; at++)
		vector[at] = (struct iovec) { (void *)buffer, length };
	result = writev(fd, vector, BLOCKS);
	if (result < 0)
		return result;
	stuffed[fd] = (size_t)result < BLOCKS * length;
	if ((size_t)result <= length)
		return result;
	given[fd] = result - length;
	return length;
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	static ssize_t (*next)(int, const void *, size_t);

	if (!next)
		next = dlsym(RTLD_NEXT, "write");
	if (ignored && fd >= 0 && fd < MAX_FD && FD_ISSET(fd, &writable))
		ignored = 0;
	if (fd < 0 || fd >= MAX_FD || length < LARGE || !streams[fd])
		return next(fd, buffer, length);
	if (given[fd] || stuffed[fd])
		return write_on(fd, length);
	return ahead ? write_ahead(fd, buffer, length) : next(fd, buffer, length);
}

ssize_t recv(int fd, void *buffer, size_t length, int flags)
{
	ssize_t result;

	if (fd < 0 || fd >= MAX_FD)
		return next_recv()(fd, buffer, length, flags);
	coalesce(fd, length);
	result = next_recv()(fd, buffer, length, flags);
	near_end(fd, result);
	if (length >= LARGE)
		count_read(fd, result);
	return result;
}

static int is_stream(int fd)
{
	socklen_t length = sizeof(int);
	int type = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) && type == SOCK_STREAM;
}

int close(int fd)
{
	static int (*next)(int);

	if (!next)
		next = dlsym(RTLD_NEXT, "close");
	if (fd >= 0 && fd < MAX_FD) {
		streams[fd] = 0;
		taken[fd] = 0;
		given[fd] = 0;
		stuffed[fd] = 0;
	}
	return next(fd);
}

static int set_mode(int fd, int command, long argument)
{
	static int (*next)(int, int, ...);
	int result;

	if (!next)
		next = dlsym(RTLD_NEXT, "fcntl64");
	result = next(fd, command, argument);
	if (command == F_SETFL && result >= 0 && fd >= 0 && fd < MAX_FD) {
		modes[fd] = argument & O_NONBLOCK ? NON_BLOCKING : BLOCKING;
		ask();
		streams[fd] = modes[fd] == NON_BLOCKING && (discards || ahead) &&
			      is_stream(fd);
	}
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

/* Leave in a set what the program can read without the kernel; the number of these. */
static int has_taken(int count, fd_set *reads)
{
	int fd, found = 0;

	for (fd = 0; reads && fd < count; fd++)
		found += FD_ISSET(fd, reads) && taken[fd];
	for (fd = 0; found && fd < count; fd++)
		if (!taken[fd])
			FD_CLR(fd, reads);
	return found;
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
	memset(stuffed, 0, sizeof(stuffed));
	ready = has_taken(count, reads);
	if (ready) {
		if (writes)
			FD_ZERO(writes);
		if (errors)
			FD_ZERO(errors);
		return ready;
	}
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

// SPDX-License-Identifier: GPL-2.0
/* What all files use: messages, the clock and memory. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include "flows.h"

int64_t zero_ns;

void die(const char *format, ...)
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
int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec - zero_ns;
}

void *new_array(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		die("no memory for %zu objects", count);
	return memory;
}

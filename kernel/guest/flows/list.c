// SPDX-License-Identifier: GPL-2.0
/* The list of the connections, whose format stands in main.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "flows.h"

struct entry entries[MOST_ENTRIES];
struct flow *flows;
int n_flows, *by_start, *by_end;
char digest[80];

static int word_in(const char *word, const char *first, const char *second)
{
	if (strcmp(word, first) && strcmp(word, second))
		die("%s: neither %s nor %s", word, first, second);
	return !strcmp(word, second);
}

static int checked_entry(int number)
{
	if (number < 0 || number >= MOST_ENTRIES || !entries[number].interval_ns)
		die("no entry %d", number);
	return number;
}

static void read_entry(const char *line)
{
	struct entry new = { 0 }, *entry = &new;
	char protocol[8], direction[8];
	int number;

	if (sscanf(line, "entry %d %7s %15s %7s %d %" SCNd64, &number, protocol,
		   entry->controller, direction, &entry->read_bytes,
		   &entry->interval_ns) != 6 ||
	    number < 0 || number >= MOST_ENTRIES || entry->interval_ns <= 0)
		die("not an entry: %.100s", line);
	entry->protocol = word_in(protocol, "tcp", "mptcp") ? IPPROTO_MPTCP : 0;
	entry->reverse = word_in(direction, "forward", "reverse");
	entries[number] = new;
}

static void read_listener(const char *line)
{
	char host[64], address[20];
	int entry, port;

	if (sscanf(line, "listen %d %63s %19s %d", &entry, host, address, &port) != 4)
		die("not a listener: %.100s", line);
	add_listener(checked_entry(entry), host, address, port);
}

static void read_flow(const char *line)
{
	char from[64], source[20], to[64], address[20];
	static int size;
	struct flow *flow;
	int port;

	if (n_flows == size) {
		size = size ? 2 * size : 1024;
		flows = realloc(flows, size * sizeof(*flows));
		if (!flows)
			die("no memory for %d flows", size);
	}
	flow = &flows[n_flows];
	memset(flow, 0, sizeof(*flow));
	if (sscanf(line,
		   "flow %d %d %63s %19s %63s %19s %d %" SCNu64 " %" SCNd64 " %" SCNd64,
		   &flow->entry, &flow->user, from, source, to, address, &port,
		   &flow->bytes, &flow->start, &flow->end) != 10)
		die("not a flow: %.100s", line);
	checked_entry(flow->entry);
	flow->from = host_number(from);
	flow->to = host_number(to);
	flow->source = address_of(source, 0);
	flow->target = address_of(address, port);
	flow->fd[CLIENT] = flow->fd[SERVER] = -1;
	flow->began = flow->connected = flow->first = -1;
	flow->completed = flow->closed = flow->interval = -1;
	n_flows++;
}

void read_list(const char *name)
{
	FILE *file = fopen(name, "re");
	char line[512];
	int format;

	if (!file)
		die("%s: %s", name, strerror(errno));
	if (!fgets(line, sizeof(line), file) ||
	    sscanf(line, "mpbench-flows %d", &format) != 1 || format != FORMAT)
		die("%s: not a list of format %d", name, FORMAT);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "flow ", 5))
			read_flow(line);
		else if (!strncmp(line, "listen ", 7))
			read_listener(line);
		else if (!strncmp(line, "entry ", 6))
			read_entry(line);
		else if (sscanf(line, "digest %79s", digest) != 1)
			die("%s: not understood: %.100s", name, line);
	}
	fclose(file);
}

static int earlier_start(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;

	if (flows[a].start != flows[b].start)
		return flows[a].start < flows[b].start ? -1 : 1;
	return a - b;
}

static int earlier_end(const void *one, const void *two)
{
	int a = *(const int *)one, b = *(const int *)two;

	if (flows[a].end != flows[b].end)
		return flows[a].end < flows[b].end ? -1 : 1;
	return a - b;
}

void sort_flows(void)
{
	int i;

	by_start = new_array(n_flows, sizeof(int));
	by_end = new_array(n_flows, sizeof(int));
	for (i = 0; i < n_flows; i++)
		by_start[i] = by_end[i] = i;
	qsort(by_start, n_flows, sizeof(int), earlier_start);
	qsort(by_end, n_flows, sizeof(int), earlier_end);
}

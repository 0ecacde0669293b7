// SPDX-License-Identifier: GPL-2.0
/* The table of all connections. */
#define _GNU_SOURCE
#include <inttypes.h>
#include "flows.h"

static void print_time(int64_t time)
{
	if (time >= 0)
		printf("%" PRId64 ".%09" PRId64, time / 1000000000, time % 1000000000);
	putchar(',');
}

void print_flows(void)
{
	int i;

	printf("# mpbench-flows %d, list %s\n", FORMAT, digest);
	for (i = 0; i < MOST_ENTRIES; i++)
		if (entries[i].interval_ns)
			printf("# entry %d %s %s\n", i,
			       entries[i].protocol == IPPROTO_MPTCP ? "mptcp" : "tcp",
			       entries[i].controller);
	puts("flow,entry,user,from,to,size_bytes,start_s,opened_s,connected_s,"
	     "first_byte_s,completed_s,ended_s,received_bytes,subflows,error");
	for (i = 0; i < n_flows; i++) {
		struct flow *flow = &flows[i];

		printf("%d,%d,%d,%s,%s,", i, flow->entry, flow->user,
		       hosts[flow->from].name, hosts[flow->to].name);
		if (flow->bytes)
			printf("%" PRIu64, flow->bytes);
		putchar(',');
		print_time(flow->start);
		print_time(flow->began);
		print_time(flow->connected);
		print_time(flow->first);
		print_time(flow->completed);
		print_time(flow->closed);
		printf("%" PRIu64 ",%d,%s\n", flow->received, flow->subflows, flow->error);
	}
	printf("# end %d\n", n_flows);
}

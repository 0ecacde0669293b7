// SPDX-License-Identifier: GPL-2.0
/* Reads lines of numbers after the name of a function, at least four, and writes what it
 * returns. Negative numbers come as those modulo 2^64. ecf writes a second number:
 * whether the connection waits from now on.
 */
#include <stdio.h>
#include <string.h>
#include <linux/types.h>
#include "blest.h"
#include "daps.h"
#include "ecf.h"
#include "otias.h"
#include "stms.h"

int main(void)
{
	unsigned long long v[9];
	char name[16];

	while (scanf("%15s %llu %llu %llu %llu", name, v, v + 1, v + 2, v + 3) == 5) {
		if (!strcmp(name, "arrival")) {
			printf("%llu\n",
			       (unsigned long long)otias_arrival(v[0], v[1], v[2], v[3]));
		} else if (!strcmp(name, "gap")) {
			printf("%u\n", stms_gap(v[0], v[1], v[2]));
		} else if (!strcmp(name, "correct")) {
			printf("%d\n", stms_correct((s32)v[0], (s64)v[1], v[2]));
		} else if (!strcmp(name, "ahead")) {
			printf("%u\n", stms_ahead(v[0], (s32)v[1]));
		} else if (!strcmp(name, "units")) {
			printf("%u\n", daps_units(v[0], v[1]));
		} else if (!strcmp(name, "length")) {
			printf("%u\n", daps_length(v[0], v[1]));
		} else if (!strcmp(name, "when")) {
			printf("%u\n", daps_arrival(v[0], v[1], v[2]));
		} else if (!strcmp(name, "bytes")) {
			printf("%llu\n",
			       (unsigned long long)blest_bytes(v[0], v[1], v[2], v[3]));
		} else if (!strcmp(name, "lambda")) {
			printf("%u\n", blest_lambda(v[0], v[1], v[2], v[3]));
		} else if (scanf("%llu", v + 4) == 1 && !strcmp(name, "before")) {
			printf("%u\n", daps_before(v[0], v[1], v[2], v[3], v[4]));
		} else if (!strcmp(name, "blocks")) {
			printf("%d\n", blest_blocks(v[0], v[1], v[2], v[3], v[4]));
		} else if (scanf("%llu %llu %llu %llu", v + 5, v + 6, v + 7, v + 8) == 4) {
			struct ecf_path f = { v[1], v[2], v[3] }, s = { v[4], v[5], v[6] };
			bool waiting = v[8];
			bool waits = ecf_decide(v[0], &f, &s, v[7], &waiting);

			printf("%d %d\n", waits, waiting);
		}
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* Reads lines of numbers after the name of a function, and writes what it returns. ecf
 * writes a second number: whether the connection waits from now on.
 */
#include <stdio.h>
#include <string.h>
#include <linux/types.h>
#include "blest.h"
#include "ecf.h"

int main(void)
{
	unsigned long long v[9];
	char name[16];

	while (scanf("%15s %llu %llu %llu %llu", name, v, v + 1, v + 2, v + 3) == 5) {
		if (!strcmp(name, "bytes")) {
			printf("%llu\n",
			       (unsigned long long)blest_bytes(v[0], v[1], v[2], v[3]));
		} else if (!strcmp(name, "lambda")) {
			printf("%u\n", blest_lambda(v[0], v[1], v[2], v[3]));
		} else if (scanf("%llu", v + 4) == 1 && !strcmp(name, "blocks")) {
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

// SPDX-License-Identifier: GPL-2.0
/* Runs the arithmetic of mpcc.h and mpcc_interval.h on lines of standard input, and
 * writes the results of each line:
 *	power X
 *	utility X OTHERS LOSS SLOPE MBPS BETA GAMMA
 *	gradient UTILITY RATE LAST_UTILITY LAST_RATE
 *	step RESET DIRECTION GRADIENT RATE TOTAL	one after another
 *	begin RATE MARK NOW; end MARK NOW; hear DELIVERED LOST NOW RTT
 *						hear: complete loss slope delivered lost
 *	kept PACKETS BYTES TIME RATE PERMILLE
 */
#include <stdio.h>
#include <string.h>
#include <linux/types.h>
#include "mpcc.h"
#include "mpcc_interval.h"

static struct mpcc_interval interval;

static int run(const char *what, const long long *n)
{
	static const struct mpcc_limits limits = { 1000, 50, 2000, MPCC_ONE / 2 };
	static struct mpcc_stride stride;
	struct mpcc_weights weights;
	int complete;

	if (!strcmp(what, "power")) {
		printf("%llu\n", (unsigned long long)mpcc_power(n[0]));
	} else if (!strcmp(what, "utility")) {
		weights.kappa = n[4] ? MPCC_POWER_ONE : MPCC_KAPPA_BYTES;
		weights.beta = n[5];
		weights.gamma = n[6];
		printf("%lld\n", (long long)mpcc_utility(n[0], n[1], n[2], n[3], &weights));
	} else if (!strcmp(what, "gradient")) {
		printf("%lld\n", (long long)mpcc_gradient(n[0], n[1], n[2], n[3]));
	} else if (!strcmp(what, "step")) {
		if (n[0])
			mpcc_stride_reset(&stride);
		printf("%llu\n", (unsigned long long)mpcc_step(&stride, n[1], n[2], n[3],
							       n[4], &limits));
	} else if (!strcmp(what, "begin")) {
		mpcc_interval_begin(&interval, n[0], n[1], n[2]);
	} else if (!strcmp(what, "end")) {
		mpcc_interval_end(&interval, n[0], n[1]);
	} else if (!strcmp(what, "hear")) {
		complete = mpcc_interval_hear(&interval, n[0], n[1], n[2], n[3]);
		printf("%d %u %d %u %u\n", complete, mpcc_interval_loss(&interval),
		       mpcc_interval_slope(&interval), interval.delivered, interval.lost);
	} else if (!strcmp(what, "kept")) {
		printf("%d\n", mpcc_kept_up(n[0], n[1], n[2], n[3], n[4]));
	} else {
		return 1;
	}
	return 0;
}

int main(void)
{
	char line[256], what[16];
	long long n[7];

	while (fgets(line, sizeof(line), stdin)) {
		memset(n, 0, sizeof(n));
		if (sscanf(line, "%15s %lld %lld %lld %lld %lld %lld %lld", what, &n[0],
			   &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]) < 2 ||
		    run(what, n))
			return 1;
	}
	return 0;
}

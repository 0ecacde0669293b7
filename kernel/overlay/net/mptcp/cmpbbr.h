/* SPDX-License-Identifier: GPL-2.0 */
/* C-MPBBR's arithmetic. Bandwidths are BBR's estimates in packets per us, 2^-24; bw[0] is
 * that of the subflow that asks. A subflow whose estimate is 0 does not count.
 */
#ifndef _MPTCP_CMPBBR_H
#define _MPTCP_CMPBBR_H

#include <linux/types.h>
#include <linux/minmax.h>
#include <linux/math64.h>

#define CMPBBR_BW_SHIFT	24

/* How many subflows, with the one that asks, have a bandwidth that differs from its own by
 * at most @permille thousandths of its own
 */
static inline u32 cmpbbr_alike(const u32 *bw, unsigned int count, u32 permille)
{
	u64 margin = (u64)bw[0] * permille;
	unsigned int i;
	u32 alike = 1;

	for (i = 1; i < count; i++)
		if (bw[i] && 1000 * (u64)max(bw[0], bw[i]) <=
			     1000 * (u64)min(bw[0], bw[i]) + margin)
			alike++;
	return alike;
}

/* The divisor of a gain cycle from the numbers of subflows that are alike in this cycle and
 * in the one before. One cycle in which they are not alike does not end the sharing.
 */
static inline u32 cmpbbr_divisor(u32 alike, u32 before)
{
	if (before < 2)
		return 1;
	return alike > 1 ? alike : before;
}

/* Whether all subflows together deliver less than @permille thousandths of the largest
 * bandwidth, in a connection whose subflows differ
 */
static inline bool cmpbbr_no_benefit(const u32 *bw, unsigned int count, u64 delivery,
				     u32 permille)
{
	u32 largest = bw[0], least = bw[0];
	unsigned int i;

	for (i = 1; i < count; i++) {
		if (!bw[i])
			continue;
		largest = max(largest, bw[i]);
		least = min(least, bw[i]);
	}
	return least < largest && 1000 * delivery < (u64)largest * permille;
}

/* Whether the subflow that asks has less bandwidth than each other one */
static inline bool cmpbbr_slowest(const u32 *bw, unsigned int count)
{
	unsigned int i, others = 0;

	for (i = 1; i < count; i++) {
		if (!bw[i])
			continue;
		if (bw[i] <= bw[0])
			return false;
		others++;
	}
	return others;
}

/* The rate of @packets delivered in @us, in packets per us, 2^-24. It stops at 2^40 packets
 * in 2^-24, so that thousandths of it do not overflow.
 */
static inline u64 cmpbbr_delivery(u32 packets, u64 us)
{
	return us ? min(div64_u64((u64)packets << CMPBBR_BW_SHIFT, us), 1ULL << 40) : 0;
}

#endif /* _MPTCP_CMPBBR_H */

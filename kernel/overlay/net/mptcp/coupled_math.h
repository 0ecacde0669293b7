/* SPDX-License-Identifier: GPL-2.0 */
/* Fixed-point arithmetic that the coupled congestion controllers share.
 *
 * Nothing here touches a socket, so that KUnit and a plain C program can both test it.
 *
 * The results are valid in these ranges, to which coupled_core.c clamps its input:
 *	cwnd	1 .. 2^20 segments
 *	srtt	1 .. 2^27 - 1 in 1/8 us, the unit of tcp_sock::srtt_us (16.7 s)
 * The number of paths is at most COUPLED_PATHS_MAX.
 */
#ifndef _MPTCP_COUPLED_MATH_H
#define _MPTCP_COUPLED_MATH_H

#include <linux/types.h>
#include <linux/minmax.h>
#include <linux/math64.h>

/* The most paths that a snapshot holds. The kernel's path manager stops at 64
 * additional subflows.
 */
#define COUPLED_PATHS_MAX	65

#define COUPLED_CWND_MAX	(1U << 20)
#define COUPLED_SRTT_MAX	((1U << 27) - 1)

/* Fraction bits of an increase, whose unit is 2^-40 segments. The smallest increase
 * that the formulas give, 1 / (65^2 * 2^20) segments, is still 248 units. 2^20 segments
 * acknowledged at once at a window of 1 give 2^60 units.
 */
#define COUPLED_SHIFT		40
#define COUPLED_ONE		(1LL << COUPLED_SHIFT)

/* Fraction bits of alpha and beta, which are only shown. */
#define COUPLED_SHOWN_SHIFT	16
#define COUPLED_SHOWN_ONE	(1LL << COUPLED_SHOWN_SHIFT)

/* Fraction bits of a ratio of round-trip times, and of the numbers computed from it. */
#define COUPLED_RATIO_SHIFT	36

/* What the formulas need to know about a path. */
struct coupled_path {
	u32 cwnd;	/* segments */
	u32 srtt;	/* 1/8 us */
	u64 interloss;	/* bytes; OLIA's l */
	u32 joined;	/* 1: joined first, 2: second, ... */
};

/* The shortest round-trip time. All others are expressed as ratios to it, so that no
 * ratio exceeds 1 and no product overflows.
 */
static inline u32 coupled_srtt_min(const struct coupled_path *paths,
				   unsigned int count)
{
	u32 srtt = paths[0].srtt;
	unsigned int i;

	for (i = 1; i < count; i++)
		srtt = min(srtt, paths[i].srtt);
	return srtt;
}

/* reference / srtt, at most 1, in 2^-36. The relative error is below 2^-16 where the
 * two differ by a factor of 10^6.
 */
static inline u64 coupled_rtt_ratio(u32 reference, u32 srtt)
{
	return div_u64(((u64)reference << COUPLED_RATIO_SHIFT) + srtt / 2, srtt);
}

/* Reno's increase per acknowledged segment, 1 / cwnd in 2^-40 segments. It is rounded
 * up, because the increases of a whole window must add up to at least one segment.
 */
static inline u64 coupled_reno_increase(u32 cwnd)
{
	return div_u64((u64)COUPLED_ONE + cwnd - 1, cwnd);
}

/* cwnd / srtt times the shortest round-trip time, in 2^-36 segments */
static inline u64 coupled_rate(const struct coupled_path *path, u32 reference)
{
	return path->cwnd * coupled_rtt_ratio(reference, path->srtt);
}

static inline u64 coupled_rate_sum(const struct coupled_path *paths,
				   unsigned int count, u32 reference)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += coupled_rate(&paths[i], reference);
	return sum;
}

static inline u64 coupled_cwnd_sum(const struct coupled_path *paths,
				   unsigned int count)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += paths[i].cwnd;
	return sum;
}

/* (cwnd / rtt^2) / (sum_p(cwnd_p / rtt_p))^2 of the subflow that asks: its share of
 * the total rate, times rtt_min / rtt, divided by the sum of the rates.
 */
static inline u64 coupled_square_increase(const struct coupled_path *paths,
					  unsigned int count)
{
	u32 reference = coupled_srtt_min(paths, count);
	u64 sum = coupled_rate_sum(paths, count, reference);
	u64 share = mul_u64_u64_div_u64(coupled_rate(&paths[0], reference),
					COUPLED_ONE, sum);

	return mul_u64_u64_div_u64_roundup(share,
				coupled_rtt_ratio(reference, paths[0].srtt), sum);
}

#endif /* _MPTCP_COUPLED_MATH_H */

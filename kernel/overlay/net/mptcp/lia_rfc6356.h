/* SPDX-License-Identifier: GPL-2.0 */
/* The formula of RFC 6356, section 3, in segments instead of bytes:
 *
 *	increase = min(alpha / cwnd_total, 1 / cwnd)	per segment acknowledged
 *
 *			       max_p(cwnd_p / rtt_p^2)
 *	alpha = cwnd_total * --------------------------
 *			     (sum_p(cwnd_p / rtt_p))^2
 *
 * cwnd_total cancels. With q_p = rtt_min / rtt_p, which is at most 1,
 *
 *	alpha / cwnd_total = max_p(cwnd_p q_p^2) / (sum_p(cwnd_p q_p))^2
 *
 * Ranges for N paths, without the fraction bits: cwnd q and cwnd q^2 are at most 2^20.
 * The maximum M is at least 1, because the path with rtt_min has q = 1. The maximum and
 * the sum S obey 1 / (N 2^10) <= M / S <= 1. So nothing overflows, and enough precision
 * remains.
 */
#ifndef _MPTCP_LIA_RFC6356_H
#define _MPTCP_LIA_RFC6356_H

#include "coupled_math.h"

/* alpha / cwnd_total in 2^-40, at least 1 unit and at most 1 */
static inline u64 lia_rfc6356_coupled(const struct coupled_path *paths,
				      unsigned int count)
{
	u32 reference = coupled_srtt_min(paths, count);
	u64 best = 0, sum = 0, coupled;
	unsigned int i;

	for (i = 0; i < count; i++) {
		u64 ratio = coupled_rtt_ratio(reference, paths[i].srtt);
		u64 rate = paths[i].cwnd * ratio;

		sum += rate;
		best = max(best, mul_u64_u64_div_u64(rate, ratio,
						     1ULL << COUPLED_RATIO_SHIFT));
	}

	coupled = mul_u64_u64_div_u64(best, COUPLED_ONE, sum);
	return mul_u64_u64_div_u64_roundup(coupled, 1ULL << COUPLED_RATIO_SHIFT,
					   sum);
}

/* paths[0] is the subflow that asks. Returns 2^-40 segments per segment
 * acknowledged, at least 1 unit and at most 1 / paths[0].cwnd.
 */
static inline s64 lia_rfc6356_increase(const struct coupled_path *paths,
				       unsigned int count, u32 unused)
{
	return min(lia_rfc6356_coupled(paths, count),
		   coupled_reno_increase(paths[0].cwnd));
}

/* RFC 6356's alpha, in 2^-16 */
static inline s64 lia_rfc6356_alpha(const struct coupled_path *paths,
				    unsigned int count, u32 unused)
{
	return mul_u64_u64_div_u64(lia_rfc6356_coupled(paths, count),
				   coupled_cwnd_sum(paths, count),
				   COUPLED_ONE / COUPLED_SHOWN_ONE);
}

#endif /* _MPTCP_LIA_RFC6356_H */

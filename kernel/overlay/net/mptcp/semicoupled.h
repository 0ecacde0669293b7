/* SPDX-License-Identifier: GPL-2.0 */
/* The formulas of SEMICOUPLED:
 *
 *	nsdi11:	increase = a / sum_p(w_p)
 *	balia:	increase = a / (rtt_r sum_p(w_p / rtt_p))
 *
 * The two are equal where all round-trip times are.
 */
#ifndef _MPTCP_SEMICOUPLED_H
#define _MPTCP_SEMICOUPLED_H

#include "coupled_math.h"

/* The parameter is a in thousandths, up to 4000, plus this bit for the formula of the
 * Balia paper.
 */
#define SEMICOUPLED_BALIA	(1U << 31)

/* a in 2^-40 */
static inline u64 semicoupled_a(u32 parameter)
{
	return div_u64((u64)(parameter & ~SEMICOUPLED_BALIA) << COUPLED_SHIFT,
		       1000);
}

/* 2^-40 segments per segment acknowledged */
static inline s64 semicoupled_increase(const struct coupled_path *paths,
				       unsigned int count, u32 parameter)
{
	u32 reference = coupled_srtt_min(paths, count);
	u64 a = semicoupled_a(parameter);

	if (!(parameter & SEMICOUPLED_BALIA))
		return div_u64(a, coupled_cwnd_sum(paths, count));

	return mul_u64_u64_div_u64(a, coupled_rtt_ratio(reference, paths[0].srtt),
				   coupled_rate_sum(paths, count, reference));
}

/* a in 2^-16 */
static inline s64 semicoupled_alpha(const struct coupled_path *paths,
				    unsigned int count, u32 parameter)
{
	return semicoupled_a(parameter) >> (COUPLED_SHIFT - COUPLED_SHOWN_SHIFT);
}

#endif /* _MPTCP_SEMICOUPLED_H */

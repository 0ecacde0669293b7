/* SPDX-License-Identifier: GPL-2.0 */
/* OLIA's formula, equations 3 to 6 of the paper that olia.c names:
 *
 *		    w_r / rtt_r^2	  alpha_r
 *	increase = ---------------------- + -------
 *		   (sum_p w_p / rtt_p)^2     w_r
 *
 * M is the set of the paths with the largest window, B of those with the largest
 * l / rtt^2, and
 *
 *	alpha_r =  1 / (N |B \ M|)	r in B \ M
 *		  -1 / (N |M|)		r in M, and B \ M is not empty
 *		   0			otherwise
 *
 * The sets are determined without rounding, so that equal paths tie.
 */
#ifndef _MPTCP_OLIA_H
#define _MPTCP_OLIA_H

#include "coupled_math.h"

/* l_a / rtt_a^2 > l_b / rtt_b^2, exactly, in 128 bits */
static inline bool olia_better(const struct coupled_path *a,
			       const struct coupled_path *b)
{
	u64 left = (u64)b->srtt * b->srtt, right = (u64)a->srtt * a->srtt;
	u64 left_high = mul_u64_u64_shr(left, a->interloss, 64);
	u64 right_high = mul_u64_u64_shr(right, b->interloss, 64);

	if (left_high != right_high)
		return left_high > right_high;
	return left * a->interloss > right * b->interloss;
}

/* alpha_r of paths[0], in 2^-40 */
static inline s64 olia_alpha_r(const struct coupled_path *paths,
			       unsigned int count)
{
	const struct coupled_path *best = &paths[0];
	unsigned int i, largest = 0, best_small = 0;
	bool own_best = false;
	u32 window = 0;

	for (i = 0; i < count; i++) {
		window = max(window, paths[i].cwnd);
		if (olia_better(&paths[i], best))
			best = &paths[i];
	}
	for (i = 0; i < count; i++) {
		bool is_best = !olia_better(best, &paths[i]);

		largest += paths[i].cwnd == window;
		best_small += is_best && paths[i].cwnd != window;
		if (i == 0)
			own_best = is_best;
	}

	if (!best_small)
		return 0;
	if (paths[0].cwnd == window)
		return -(s64)div_u64(COUPLED_ONE, count * largest);
	return own_best ? (s64)div_u64(COUPLED_ONE, count * best_small) : 0;
}

/* 2^-40 segments per segment acknowledged; may be negative */
static inline s64 olia_increase(const struct coupled_path *paths,
				unsigned int count, u32 unused)
{
	return (s64)coupled_square_increase(paths, count) +
	       olia_alpha_r(paths, count) / (s64)paths[0].cwnd;
}

/* alpha_r in 2^-16 */
static inline s64 olia_alpha(const struct coupled_path *paths,
			     unsigned int count, u32 unused)
{
	return olia_alpha_r(paths, count) / (COUPLED_ONE / COUPLED_SHOWN_ONE);
}

#endif /* _MPTCP_OLIA_H */

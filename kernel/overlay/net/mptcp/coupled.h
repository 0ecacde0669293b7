/* SPDX-License-Identifier: GPL-2.0 */
/* The formulas of COUPLED, in nsdi11 and in the Balia paper (coupled.c names both):
 *
 *	nsdi11:	increase = 1 / sum_p(w_p),	    decrease = sum_p(w_p) / 2
 *	balia:	increase = (w_r / rtt_r^2) / (sum_p(w_p / rtt_p))^2,
 *							  decrease = w_r / 2
 *
 * Where all round-trip times are equal, both formulas of the second pair are
 * w_r / sum_p(w_p) times those of the first. The two pairs therefore have the same
 * equilibrium, and approach it at different speeds.
 */
#ifndef _MPTCP_COUPLED_H
#define _MPTCP_COUPLED_H

#include "coupled_math.h"

/* 2^-40 segments per segment acknowledged */
static inline s64 fully_coupled_increase(const struct coupled_path *paths,
					 unsigned int count, u32 balia)
{
	if (balia)
		return coupled_square_increase(paths, count);
	return div_u64(COUPLED_ONE, coupled_cwnd_sum(paths, count));
}

/* The window that remains after a loss, in segments; it may be 0 */
static inline u32 fully_coupled_keep(const struct coupled_path *paths,
				     unsigned int count, u32 balia)
{
	u64 decrease = coupled_cwnd_sum(paths, count);

	if (balia)
		return paths[0].cwnd / 2;
	decrease = (decrease + 1) / 2;
	return decrease < paths[0].cwnd ? paths[0].cwnd - decrease : 0;
}

#endif /* _MPTCP_COUPLED_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* D-LIA's decrease. At a loss event with the window w, where w' is the window that
 * remained after the loss event before, and g the gain:
 *
 *	gamma = min(w' / w, 1)
 *	beta  = min(max(g gamma + (1 - g) beta', 1/2), 9/10)
 *	the window that remains = beta w
 *
 * w' / w is small where the window grew for long since the last loss. At the beginning w'
 * is 2 segments and beta' 1/2.
 */
#ifndef _MPTCP_DLIA_H
#define _MPTCP_DLIA_H

#include "coupled_math.h"

#define DLIA_LEAST	((u32)(COUPLED_SHOWN_ONE / 2))
#define DLIA_GREATEST	((u32)(9 * COUPLED_SHOWN_ONE / 10))
#define DLIA_FIRST	2

/* Of a subflow, after its last loss event; all zero before the first */
struct dlia {
	u32 beta;	/* 2^-16 */
	u32 window;	/* segments */
};

/* beta of a loss event with a window of @cwnd segments, in 2^-16 */
static inline u32 dlia_beta(const struct dlia *last, u32 cwnd, u32 gain_permille)
{
	u32 window = min(last->window ? last->window : DLIA_FIRST, cwnd);
	u32 beta = last->beta ? last->beta : DLIA_LEAST;
	u64 gamma = div_u64((u64)window << COUPLED_SHOWN_SHIFT, cwnd);

	beta = div_u64(gain_permille * gamma + (1000 - gain_permille) * (u64)beta, 1000);
	return clamp(beta, DLIA_LEAST, DLIA_GREATEST);
}

/* The window that remains, in segments rounded down. It is at least half of @cwnd. */
static inline u32 dlia_window(u32 cwnd, u32 beta)
{
	return ((u64)cwnd * beta) >> COUPLED_SHOWN_SHIFT;
}

#endif /* _MPTCP_DLIA_H */

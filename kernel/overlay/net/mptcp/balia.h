/* SPDX-License-Identifier: GPL-2.0 */
/* Balia's formulas, with x_r = w_r / rtt_r and alpha_r = max_p(x_p) / x_r:
 *
 *			 x_r / rtt_r	1 + alpha_r   4 + alpha_r
 *	increase = ----------------- * ----------- * -----------
 *		       (sum_p x_p)^2	    2	          5
 *
 *	decrease = (w_r / 2) * min(alpha_r, 3/2)
 *
 * With m = max_p(x_p) and s = sum_p(x_p) the increase is
 *
 *	((x_r + m) / s) * ((4 x_r + m) / s) / (10 w_r)
 *
 * The factors are at most 2 and 5 whatever alpha_r is, so nothing overflows. With a
 * single path the increase is 1 / w_r. With more paths it is at most the increase of
 * the path that has m.
 *
 * MPTCP v0.91 computes the decrease with alpha_r cut to a whole number, and rounds the
 * decrease down: w_r / 2 where x_r > m / 2, and 3/4 w_r otherwise.
 */
#ifndef _MPTCP_BALIA_H
#define _MPTCP_BALIA_H

#include "coupled_math.h"

struct balia_rates {
	u64 own, max, sum;	/* x_r, m and s, times rtt_min; 2^-36 segments */
};

static inline struct balia_rates balia_rates(const struct coupled_path *paths,
					     unsigned int count)
{
	u32 reference = coupled_srtt_min(paths, count);
	struct balia_rates rates = { coupled_rate(&paths[0], reference), 0, 0 };
	unsigned int i;

	for (i = 0; i < count; i++) {
		u64 rate = coupled_rate(&paths[i], reference);

		rates.max = max(rates.max, rate);
		rates.sum += rate;
	}
	return rates;
}

/* 2^-40 segments per segment acknowledged */
static inline s64 balia_increase(const struct coupled_path *paths,
				 unsigned int count, u32 unused)
{
	struct balia_rates x = balia_rates(paths, count);
	u64 product;

	product = mul_u64_u64_div_u64(x.own + x.max, COUPLED_ONE, x.sum);
	product = mul_u64_u64_div_u64(product, 4 * x.own + x.max, x.sum);
	return div_u64(product + 5 * paths[0].cwnd, 10 * paths[0].cwnd);
}

/* The decrease of MPTCP v0.91, in segments */
static inline u32 balia_decrease_v091(u32 cwnd, const struct balia_rates *x)
{
	u32 half = cwnd / 2;

	return x->max < 2 * x->own ? half : 3 * half / 2;
}

/* The window that remains after a loss, in segments rounded down. It is between a
 * quarter of the window and, on the path with the highest rate, half of it. With @v091
 * the decrease is rounded down instead.
 */
static inline u32 balia_keep(const struct coupled_path *paths,
			     unsigned int count, u32 v091)
{
	struct balia_rates x = balia_rates(paths, count);
	u64 decrease = min(2 * x.max, 3 * x.own);

	if (v091)
		return paths[0].cwnd - balia_decrease_v091(paths[0].cwnd, &x);

	return mul_u64_u64_div_u64(paths[0].cwnd, 4 * x.own - decrease,
				   4 * x.own);
}

/* alpha_r in 2^-16 */
static inline s64 balia_alpha(const struct coupled_path *paths,
			      unsigned int count, u32 unused)
{
	struct balia_rates x = balia_rates(paths, count);

	return mul_u64_u64_div_u64(x.max, COUPLED_SHOWN_ONE, x.own);
}

#endif /* _MPTCP_BALIA_H */

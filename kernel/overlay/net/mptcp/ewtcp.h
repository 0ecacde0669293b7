/* SPDX-License-Identifier: GPL-2.0 */
/* EWTCP's formula: increase = a / w_r per segment acknowledged. */
#ifndef _MPTCP_EWTCP_H
#define _MPTCP_EWTCP_H

#include <linux/math.h>

#include "coupled_math.h"

/* a in 2^-20: @permille thousandths, up to 4000; or, if that is 0, 1 / sqrt(N) */
static inline u64 ewtcp_a(unsigned int count, u32 permille)
{
	if (permille)
		return div_u64(((u64)permille << 20) + 500, 1000);
	return int_sqrt64(div_u64(1ULL << 40, count));
}

/* 2^-40 segments per segment acknowledged */
static inline s64 ewtcp_increase(const struct coupled_path *paths,
				 unsigned int count, u32 permille)
{
	u64 a = ewtcp_a(count, permille) << (COUPLED_SHIFT - 20);

	return div_u64(a + paths[0].cwnd / 2, paths[0].cwnd);
}

/* a in 2^-16 */
static inline s64 ewtcp_alpha(const struct coupled_path *paths,
			      unsigned int count, u32 permille)
{
	return ewtcp_a(count, permille) >> (20 - COUPLED_SHOWN_SHIFT);
}

#endif /* _MPTCP_EWTCP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* LIA's formula, for subflow r (nsdi11, section 2, equation 1):
 *
 *	increase = min over all sets S of subflows that include r of
 *
 *			max_{s in S}(w_s / rtt_s^2)
 *			------------------------------
 *			(sum_{s in S}(w_s / rtt_s))^2
 *
 * S = {r} gives 1 / w_r, and the set of all subflows gives RFC 6356's
 * alpha / cwnd_total. So with two subflows this is the RFC's formula.
 *
 * Let u be the subflow that has the maximum of S. The sum is largest, and the quotient
 * smallest, if S contains every subflow t whose w_t / rtt_t^2 is not above that of u.
 * So it is enough to try every u that is not below r.
 *
 * The ranges are those in lia_rfc6356.h, except that the maximum m_u of a set may
 * belong to a slow path. With q_p = rtt_min / rtt_p and s_u for the sum,
 * m_u = w_u q_u^2 and s_u >= w_u q_u. The quotient is therefore computed in two steps:
 * w_u q_u / s_u, which is at most 1, and then times q_u / s_u, which is at most 1 / w_u.
 *
 * MPTCP v0.91 has the RFC's formula in whole numbers. The path b with the largest
 * w / rtt^2 is searched among the quotients 2^32 w_p / srtt_p^2, srtt_p in eighths of a
 * microsecond, each cut to a whole number. From about 30 ms on most quotients are 0.
 * Among equal ones the path that joined first wins. Then
 *
 *	s	 = sum_p(2^10 w_p srtt_b / srtt_p)
 *	alpha	 = max(2^32 w_b / s^2, 1)
 *	increase = 1 / (max(2^12 / alpha, w_r) + 1)
 *
 * with every quotient but the last one cut to a whole number.
 */
#ifndef _MPTCP_LIA_H
#define _MPTCP_LIA_H

#include "coupled_math.h"

/* w_a / rtt_a^2 <= w_b / rtt_b^2, exactly. rtt^2 is below 2^54, so a product needs more
 * than 64 bits and fits into 128.
 */
static inline bool lia_not_above(const struct coupled_path *a,
				 const struct coupled_path *b)
{
	u64 left = (u64)b->srtt * b->srtt, right = (u64)a->srtt * a->srtt;
	u64 left_high = mul_u64_u64_shr(left, a->cwnd, 64);
	u64 right_high = mul_u64_u64_shr(right, b->cwnd, 64);

	if (left_high != right_high)
		return left_high < right_high;
	return left * a->cwnd <= right * b->cwnd;
}

/* The quotient for the largest set in which @top has the maximum, 2^-40 */
static inline u64 lia_quotient(const struct coupled_path *paths,
			       unsigned int count,
			       const struct coupled_path *top, u32 reference)
{
	u64 sum = 0, share;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (&paths[i] == top || lia_not_above(&paths[i], top))
			sum += coupled_rate(&paths[i], reference);

	share = mul_u64_u64_div_u64(coupled_rate(top, reference), COUPLED_ONE,
				    sum);
	return mul_u64_u64_div_u64_roundup(share,
				coupled_rtt_ratio(reference, top->srtt), sum);
}

/* The path that MPTCP v0.91 takes for the one with the largest w / rtt^2 */
static inline const struct coupled_path *
lia_best_v091(const struct coupled_path *paths, unsigned int count)
{
	const struct coupled_path *best = &paths[0];
	u64 largest = 0, quotient;
	unsigned int i;

	for (i = 0; i < count; i++) {
		quotient = div64_u64((u64)paths[i].cwnd << 32,
				     (u64)paths[i].srtt * paths[i].srtt);
		if (quotient > largest ||
		    (quotient == largest && paths[i].joined < best->joined)) {
			best = &paths[i];
			largest = quotient;
		}
	}
	return best;
}

/* s is below 2^32 or alpha is 1, so that s^2 fits into 64 bits. */
static inline s64 lia_increase_v091(const struct coupled_path *paths,
				    unsigned int count)
{
	const struct coupled_path *best = lia_best_v091(paths, count);
	u64 sum = 0, alpha = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += div_u64(((u64)paths[i].cwnd << 10) * best->srtt,
			       paths[i].srtt);
	if (!(sum >> 32))
		alpha = div64_u64((u64)best->cwnd << 32, sum * sum);
	return div64_u64(COUPLED_ONE,
			 max(div64_u64(4096, max(alpha, 1ULL)),
			     (u64)paths[0].cwnd) + 1);
}

/* paths[0] is the subflow that asks. Returns 2^-40 segments per segment
 * acknowledged, at most 1 / paths[0].cwnd.
 */
static inline s64 lia_increase(const struct coupled_path *paths,
			       unsigned int count, u32 v091)
{
	u32 reference = coupled_srtt_min(paths, count);
	u64 increase = coupled_reno_increase(paths[0].cwnd);
	unsigned int i;

	if (v091)
		return lia_increase_v091(paths, count);
	for (i = 0; i < count; i++)
		if (lia_not_above(&paths[0], &paths[i]))
			increase = min(increase,
				       lia_quotient(paths, count, &paths[i],
						    reference));
	return max(increase, 1ULL);
}

/* The increase divided by 1 / cwnd_total, in 2^-16. Where the increase is not limited
 * to Reno's, this is RFC 6356's alpha.
 */
static inline s64 lia_alpha(const struct coupled_path *paths,
			    unsigned int count, u32 v091)
{
	return mul_u64_u64_div_u64(lia_increase(paths, count, v091),
				   coupled_cwnd_sum(paths, count),
				   COUPLED_ONE / COUPLED_SHOWN_ONE);
}

#endif /* _MPTCP_LIA_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of BLEST (blest.c), which is also compiled as a program. */
#ifndef _MPTCP_BLEST_H
#define _MPTCP_BLEST_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define BLEST_ROUND	1024ULL	/* one round trip, in fixed point */

/* X = mss_f (w_f + (rounds - 1)/2) rounds: the bytes that the fast subflow could send
 * during a round trip of the slow one. Windows of more than 2^24 segments count as 2^24,
 * and more than 65536 rounds as 65536.
 */
static inline u64 blest_bytes(u32 cwnd_f, u32 mss_f, u32 rtt_f, u32 rtt_s)
{
	u64 rounds = div_u64(rtt_s * BLEST_ROUND, max(rtt_f, 1U));
	u64 twice;

	rounds = min(max(rounds, BLEST_ROUND), BLEST_ROUND << 16);
	twice = 2 * BLEST_ROUND * min(cwnd_f, 1U << 24) + rounds - BLEST_ROUND;
	return mul_u64_u64_div_u64(twice * rounds, mss_f,
				   2 * BLEST_ROUND * BLEST_ROUND);
}

/* Whether X lambda > window - mss_s (inflight_s + 1); lambda in thousandths. */
static inline bool blest_blocks(u64 bytes, u32 lambda, u64 window, u32 mss_s,
				u32 inflight_s)
{
	u64 slow = (u64)mss_s * (inflight_s + 1ULL);

	if (window <= slow)
		return true;
	return min(bytes, 1ULL << 48) * lambda > min(window - slow, 1ULL << 48) * 1000;
}

/* lambda after a round trip of the slow subflow, between half and twice its start. */
static inline u32 blest_lambda(u32 lambda, u32 start, u32 step, bool blocked)
{
	u32 least = start / 2, most = 2 * start;

	if (blocked)
		return min(lambda + step, most);
	return lambda > least + step ? lambda - step : least;
}

#endif /* _MPTCP_BLEST_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of wVegas. With base_r for the smallest round-trip time seen, and
 * rtt_r for the average of the last round:
 *
 *	diff_r	= (w_r / base_r - w_r / rtt_r) base_r = w_r (rtt_r - base_r) / rtt_r
 *	alpha_r = total_alpha (w_r / rtt_r) / sum_p(w_p / rtt_p)
 *
 * diff_r is the number of the subflow's own packets in the path's queues. Round-trip
 * times are in microseconds, from 1 to 2^27, and base_r <= rtt_r. Windows are as in
 * coupled_math.h.
 */
#ifndef _MPTCP_WVEGAS_H
#define _MPTCP_WVEGAS_H

#include "coupled_math.h"

#define WVEGAS_RTT_MAX	(1U << 27)

/* diff_r in 2^-16 segments */
static inline u64 wvegas_diff(u32 cwnd, u32 base_us, u32 rtt_us)
{
	return div_u64(((u64)cwnd << 16) * (rtt_us - base_us), rtt_us);
}

/* alpha_r of paths[0] in 2^-16 segments; @total_alpha up to 10000 */
static inline u64 wvegas_alpha(const struct coupled_path *paths,
			       unsigned int count, u32 total_alpha)
{
	u32 reference = coupled_srtt_min(paths, count);

	return mul_u64_u64_div_u64(coupled_rate(&paths[0], reference),
				   (u64)total_alpha << 16,
				   coupled_rate_sum(paths, count, reference));
}

/* The window that would leave the queues empty, w_r base_r / rtt_r */
static inline u32 wvegas_target(u32 cwnd, u32 base_us, u32 rtt_us)
{
	return div_u64((u64)cwnd * base_us, rtt_us);
}

/* The window after a drain: half of wvegas_target() (thesis 2.1.2), and at least 2
 * segments
 */
static inline u32 wvegas_drained(u32 cwnd, u32 base_us, u32 rtt_us)
{
	return max(div_u64((u64)cwnd * base_us, rtt_us) / 2, 2ULL);
}

/* The window after @acked segments of slow start in Linux 4.1, where slow start goes on
 * until the window exceeds ssthresh. The window is at most @ssthresh.
 */
static inline u32 wvegas_slow_start_v091(u32 cwnd, u32 ssthresh, u32 acked)
{
	return acked <= ssthresh - cwnd ? cwnd + acked : ssthresh + 1;
}

#endif /* _MPTCP_WVEGAS_H */

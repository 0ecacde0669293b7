/* SPDX-License-Identifier: GPL-2.0 */
/* What net/ipv4/tcp_bbr.c gives to a controller that couples BBRs */
#ifndef _MPTCP_BBR_BASE_H
#define _MPTCP_BBR_BASE_H

#include <net/tcp.h>

/* The phases of the gain cycle, of which the first probes and the second drains */
#define BBR_PHASE_NONE	-1	/* not in PROBE_BW */

/* The number by which BBR divides its estimate of the bandwidth before it sets its rate and
 * its window, at least 1. @bw is the estimate in packets per us, 2^-24, and @phase the index
 * in the gain cycle.
 */
typedef u32 (*bbr_divisor_t)(struct sock *sk, u32 bw, int phase);

/* BBR's reaction to an acknowledgement; @divisor may be NULL. */
void bbr_control(struct sock *sk, const struct rate_sample *rs, bbr_divisor_t divisor);

extern struct tcp_congestion_ops tcp_bbr_cong_ops;

#endif /* _MPTCP_BBR_BASE_H */

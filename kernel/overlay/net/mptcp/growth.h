/* SPDX-License-Identifier: GPL-2.0 */
/* How windows grew in older versions of Linux, for Reno (net/ipv4/tcp_cong.c) and for the
 * coupled controllers. By default both functions change nothing.
 */
#ifndef _MPTCP_GROWTH_H
#define _MPTCP_GROWTH_H

#include <net/tcp.h>

#include "lab.h"

/* The segments that an acknowledgement counts for, with net.mptcp.count_acks one */
static inline u32 growth_acked(const struct sock *sk, u32 acked)
{
	return lab_get(sock_net(sk), LAB_COUNT_ACKS) ? min(acked, 1U) : acked;
}

/* With net.mptcp.slow_start_at_ssthresh, slow start adds one more segment where the
 * window is equal to ssthresh. True: it did, and the acknowledgement is used up.
 */
static inline bool growth_at_ssthresh(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (tcp_snd_cwnd(tp) != tp->snd_ssthresh ||
	    !lab_get(sock_net(sk), LAB_SSTHRESH_INCLUSIVE))
		return false;
	tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp) + 1, tp->snd_cwnd_clamp));
	return true;
}

#endif /* _MPTCP_GROWTH_H */

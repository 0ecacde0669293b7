// SPDX-License-Identifier: GPL-2.0
/* LIA, the Linked Increases Algorithm
 *
 *	C. Raiciu, M. Handley, D. Wischik: Coupled Congestion Control for
 *	Multipath Transport Protocols. RFC 6356, 2011.
 *
 * For every segment acknowledged in congestion avoidance the window of a
 * subflow grows by min(alpha / cwnd_total, 1 / cwnd); see lia.h for alpha. Slow
 * start, the halving on loss, fast retransmit and fast recovery are Reno's.
 *
 * How this differs from the RFC's text:
 *  - windows are counted in segments, and all subflows are taken to have
 *    segments of one size;
 *  - alpha is computed anew for every ACK instead of once a round trip, with
 *    more fraction bits than the RFC's alpha_scale;
 *  - a path whose round-trip time was never measured does not count.
 * With a single subflow, or none of MPTCP, it is Reno to the byte.
 */

#include "coupled.h"
#include "lia.h"

static void lia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	coupled_cong_avoid(sk, ack, acked, lia_increase);
}

/* The RFC leaves the decrease to TCP: no less than two segments. */
static u32 lia_ssthresh(struct sock *sk)
{
	return coupled_ssthresh(sk, 2);
}

static struct tcp_congestion_ops lia __read_mostly = {
	.init		= coupled_init,
	.release	= coupled_release,
	.set_state	= coupled_set_state,
	.pkts_acked	= coupled_pkts_acked,
	.cong_avoid	= lia_cong_avoid,
	.ssthresh	= lia_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "lia",
	.owner		= THIS_MODULE,
};

static int __init lia_register(void)
{
	return tcp_register_congestion_control(&lia);
}
device_initcall(lia_register);

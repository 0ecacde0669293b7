// SPDX-License-Identifier: GPL-2.0
/* The scheduler "otias": out-of-order transmission for in-order arrival
 *
 *	F. Yang, Q. Wang, P. D. Amer: Out-of-order Transmission for In-order Arrival
 *	Scheduling for Multipath TCP. WAINA 2014.
 *
 * Each segment goes to the subflow j on which it arrives first, also if its congestion
 * window is full:
 *
 *	can_be_sent_j = cwnd_j - unacked_j
 *	RTT_to_wait_j = floor((not_yet_sent_j - can_be_sent_j) / cwnd_j)
 *	T_j = (RTT_to_wait_j + 1/2) srtt_j
 *
 * where not_yet_sent_j are the segments queued on the subflow. So a fast subflow gets a
 * queue before a slow one gets a segment.
 *
 * The paper leaves open, and this file decides:
 *  - Where the window has space for more than is queued, RTT_to_wait is 0.
 *  - Ties go to the older subflow. A subflow without a measured round-trip time comes
 *    last.
 *  - A subflow whose send buffer is full takes no segment.
 */

#include "otias.h"
#include "sched_choice.h"

static u64 otias_key(const struct sock *ssk)
{
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 queued = READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
	u32 srtt = READ_ONCE(tp->srtt_us);

	if (!srtt)
		return U64_MAX;
	return otias_arrival(tcp_snd_cwnd(tp), tcp_packets_in_flight(tp),
			     queued / max(READ_ONCE(tp->mss_cache), 1U), srtt);
}

static int otias_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool backup = mptcp_is_backup(subflow);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, mptcp_has_cwnd_space(ssk));
		if (sk_stream_memory_free(ssk) &&
		    (!best[backup] ||
		     otias_key(ssk) < otias_key(best[backup]->tcp_sock)))
			best[backup] = subflow;
	}
	return mptcp_send_segment_on(msk, best[!regular]);
}

static u32 otias_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return tcp_current_mss(ssk);
}

static struct mptcp_sched_ops otias = {
	.get_send	= otias_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= otias_quota,
	.name		= "otias",
	.owner		= THIS_MODULE,
};

static int __init otias_register(void)
{
	return mptcp_register_scheduler(&otias);
}
device_initcall(otias_register);

// SPDX-License-Identifier: GPL-2.0
/* The scheduler "lowrtt": lowest smoothed round-trip time with window space
 *
 * The default scheduler of the out-of-tree MPTCP v0.91 as Chauvenne and
 * Libioulle (thesis, UCLouvain, 2017, section 2.1.1) describe it: data goes to
 * the subflow with the lowest RTT until its congestion window is full, then to
 * the one with the second lowest, and so on. When no window has room, data waits
 * at the connection, not in a subflow's queue.
 *
 * How this differs:
 *  - v0.91 decides for every segment. Here a decision holds until the window of
 *    the chosen subflow is full (mptcp_sched_ops::quota): as no round-trip time
 *    changes while segments are handed over, the outcome is the same.
 *  - Segments lost and not yet sent again occupy the window, for they go first;
 *    v0.91 instead sends nothing new on a subflow that recovers from a timeout.
 *  - No opportunistic retransmission and no penalisation.
 * A subflow without measured RTT comes last; ties go to the older subflow; backup
 * subflows are used when there is no other.
 */

#include "protocol.h"

/* Bytes of new data that fit into the congestion window at @mss a segment.
 * packets_out - sacked_out counts what is in flight and what is lost but not
 * sent again.
 */
static u32 lowrtt_room(const struct sock *ssk, u32 mss)
{
	const struct tcp_sock *tp = tcp_sk(ssk);
	s64 segments, queued;

	segments = (s64)tcp_snd_cwnd(tp) - READ_ONCE(tp->packets_out) +
		   READ_ONCE(tp->sacked_out);
	queued = (u32)(READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt));

	return clamp_t(s64, segments * mss - queued, 0, INT_MAX);
}

/* Called with the subflow's lock held, unlike get_send. */
static u32 lowrtt_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return lowrtt_room(ssk, tcp_current_mss(ssk));
}

/* Options make segments shorter than mss_cache: with the least that is possible,
 * get_send never finds room where quota finds none.
 */
static bool lowrtt_has_room(const struct sock *ssk)
{
	u32 mss = READ_ONCE(tcp_sk(ssk)->mss_cache);

	return lowrtt_room(ssk, max(mss, MAX_TCP_OPTION_SPACE + 1U) -
				MAX_TCP_OPTION_SPACE) &&
	       sk_stream_memory_free(ssk);
}

static u32 lowrtt_key(const struct sock *ssk)
{
	return READ_ONCE(tcp_sk(ssk)->srtt_us) ?: U32_MAX;
}

static int lowrtt_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		bool backup = subflow->backup || subflow->request_bkup;
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= !backup;
		if (!lowrtt_has_room(ssk))
			continue;
		if (!best[backup] ||
		    lowrtt_key(ssk) < lowrtt_key(best[backup]->tcp_sock))
			best[backup] = subflow;
	}

	subflow = best[!regular];
	if (!subflow)
		return -EINVAL;

	/* quota is the bound, not the burst of the default scheduler */
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

static int lowrtt_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);

	if (!ssk)
		return -EINVAL;

	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

static struct mptcp_sched_ops lowrtt = {
	.get_send	= lowrtt_get_send,
	.get_retrans	= lowrtt_get_retrans,
	.quota		= lowrtt_quota,
	.name		= "lowrtt",
	.owner		= THIS_MODULE,
};

static int __init lowrtt_register(void)
{
	return mptcp_register_scheduler(&lowrtt);
}
device_initcall(lowrtt_register);

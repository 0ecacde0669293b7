// SPDX-License-Identifier: GPL-2.0
/* Opportunistic retransmission and penalisation
 *
 *	C. Raiciu, C. Paasch, S. Barre, A. Ford, M. Honda, F. Duchene,
 *	O. Bonaventure, M. Handley: How Hard Can It Be? Designing and Implementing
 *	a Deployable Multipath TCP. NSDI 2012, section 4.2.
 *
 * When the receive window of the connection is full, so that a subflow whose own
 * window has room cannot send anything new, that subflow sends the segment that holds
 * the window up (the oldest that is not acknowledged) once more; and the subflow that
 * has had it until now, if its round-trip time is the longer one, has its congestion
 * window and ssthresh halved, at most once in that time.
 *
 * The oldest data is found in the subflows' own queues, which takes their locks; the
 * connection's worker, which may sleep, does that. Each subflow sends a given segment
 * once at most. Retransmission after a timeout of the connection waits while the
 * window is full.
 *
 * In a subflow's context sched_seq is the last oldest byte that it was looked at for,
 * valid if sched_turn is set; sched_mark the time of the last penalty.
 */

#include "lowrtt.h"

bool lowrtt_push_blocked(struct mptcp_sock *msk)
{
	return lab_get(sock_net((struct sock *)msk), LAB_LOWRTT_REINJECT);
}

bool lowrtt_blocked(const struct mptcp_sock *msk)
{
	u64 next = READ_ONCE(msk->snd_nxt);

	return lab_get(sock_net((const struct sock *)msk), LAB_LOWRTT_REINJECT) &&
	       next != READ_ONCE(msk->snd_una) &&
	       !before64(next, READ_ONCE(msk->wnd_end));
}

static bool lowrtt_seen(const struct mptcp_sock *msk,
			const struct mptcp_subflow_context *subflow)
{
	return subflow->sched_turn && subflow->sched_seq == READ_ONCE(msk->snd_una);
}

void lowrtt_ask(struct mptcp_sock *msk,
		const struct mptcp_subflow_context *subflow)
{
	if (!lowrtt_seen(msk, subflow) &&
	    !test_and_set_bit(MPTCP_WORK_RTX, &msk->flags))
		mptcp_schedule_work((struct sock *)msk);
}

static bool lowrtt_maps(const struct sk_buff *skb, u64 seq)
{
	const struct mptcp_ext *mapping = skb ? mptcp_get_ext(skb) : NULL;

	return mapping && mapping->use_map && !before64(seq, mapping->data_seq) &&
	       before64(seq, mapping->data_seq + mapping->data_len);
}

static void lowrtt_penalise(struct sock *ssk, u32 best_srtt)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct tcp_sock *tp = tcp_sk(ssk);

	if (!lab_get(sock_net(ssk), LAB_LOWRTT_PENALISE) ||
	    tp->srtt_us <= best_srtt ||
	    tcp_jiffies32 - subflow->sched_mark < usecs_to_jiffies(tp->srtt_us >> 3))
		return;
	subflow->sched_mark = tcp_jiffies32;
	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp) / 2, 1U));
	if (tp->snd_ssthresh < TCP_INFINITE_SSTHRESH)
		WRITE_ONCE(tp->snd_ssthresh, max(tp->snd_ssthresh / 2, 2U));
}

/* Whether this subflow has the oldest data in flight or in its queue. */
static bool lowrtt_holds(struct sock *ssk, u64 seq, u32 best_srtt)
{
	bool holds;

	lock_sock(ssk);
	holds = lowrtt_maps(tcp_rtx_queue_head(ssk), seq) ||
		lowrtt_maps(tcp_send_head(ssk), seq);
	if (holds)
		lowrtt_penalise(ssk, best_srtt);
	release_sock(ssk);
	return holds;
}

int lowrtt_reinject(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best = lowrtt_best(msk);
	u64 oldest = READ_ONCE(msk->snd_una);
	bool elsewhere = false;
	u32 srtt;

	if (!best || lowrtt_seen(msk, best))
		return -EINVAL;
	srtt = READ_ONCE(tcp_sk(best->tcp_sock)->srtt_us);
	best->sched_seq = oldest;
	best->sched_turn = 1;

	mptcp_for_each_subflow(msk, subflow) {
		bool holds = lowrtt_holds(mptcp_subflow_tcp_sock(subflow), oldest,
					  srtt);

		if (holds && subflow == best)
			return -EINVAL;
		elsewhere |= holds;
	}
	if (!elsewhere)
		return -EINVAL;
	mptcp_subflow_set_scheduled(best, true);
	return 0;
}

u32 lowrtt_retrans_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return lowrtt_blocked(msk) ? tcp_current_mss(ssk) : U32_MAX;
}

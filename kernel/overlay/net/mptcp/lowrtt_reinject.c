// SPDX-License-Identifier: GPL-2.0
/* Opportunistic retransmission and penalisation
 *
 *	C. Raiciu, C. Paasch, S. Barre, A. Ford, M. Honda, F. Duchene,
 *	O. Bonaventure, M. Handley: How Hard Can It Be? Designing and Implementing
 *	a Deployable Multipath TCP. NSDI 2012, section 4.2.
 *
 * When the receive window of the connection is full, so that a subflow whose own
 * window has room cannot send anything new, that subflow sends what holds the window
 * up once more: the oldest data that is not acknowledged, as far as another subflow
 * has it in one piece; and that one, if its round-trip time is the longer, has its
 * congestion window halved, and ssthresh set to that, at most once in that time. With
 * net.mptcp.lowrtt_spare_slow_start its ssthresh stays in slow start, as it does in
 * MPTCP for Linux up to 0.96: the window is soon back.
 *
 * The oldest data is found in the subflows' own queues, which takes their locks; the
 * connection's worker, which may sleep, does that. Each subflow is asked for a given
 * oldest byte once at most; what a receiver dropped although the subflow acknowledged
 * it, or a dead subflow took with it, the kernel's own retransmission brings.
 *
 * In a subflow's context sched_seq is the last oldest byte that it was looked at for,
 * and sched_turn, if that is valid, one more than the bytes that the other subflow had
 * in one piece; sched_mark the time of the last penalty.
 */

#include "lowrtt.h"
#include "room.h"

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

/* How far a segment takes what is wanted from @seq on; @seq if not at all. A mapping
 * can be that of several segments.
 */
static u64 lowrtt_reach(struct sk_buff *skb, u64 seq)
{
	const struct mptcp_ext *mapping = mptcp_get_ext(skb);

	if (!mapping || !mapping->use_map || before64(seq, mapping->data_seq) ||
	    !before64(seq, mapping->data_seq + mapping->data_len))
		return seq;
	return mapping->data_seq + mapping->data_len;
}

static void lowrtt_penalise(struct sock *ssk, u32 best_srtt)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct tcp_sock *tp = tcp_sk(ssk);
	bool spare = tcp_in_slow_start(tp) &&
		     lab_get(sock_net(ssk), LAB_LOWRTT_SPARE);

	if (!lab_get(sock_net(ssk), LAB_LOWRTT_PENALISE) ||
	    tp->srtt_us <= best_srtt ||
	    tcp_jiffies32 - subflow->sched_mark < usecs_to_jiffies(tp->srtt_us >> 3))
		return;
	subflow->sched_mark = tcp_jiffies32;
	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp) / 2, 1U));
	if (!spare)
		WRITE_ONCE(tp->snd_ssthresh, max(tcp_snd_cwnd(tp), 2U));
}

/* The bytes from @seq on that this subflow has in one piece, in flight or queued. */
static u64 lowrtt_holds(struct sock *ssk, u64 seq, u32 best_srtt)
{
	u64 reach = seq;
	struct sk_buff *skb;

	lock_sock(ssk);
	skb = tcp_rtx_queue_head(ssk);
	skb_rbtree_walk_from(skb)
		reach = lowrtt_reach(skb, reach);
	skb_queue_walk(&ssk->sk_write_queue, skb)
		reach = lowrtt_reach(skb, reach);
	if (reach != seq)
		lowrtt_penalise(ssk, best_srtt);
	release_sock(ssk);
	return reach - seq;
}

int lowrtt_reinject(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best = lowrtt_best(msk);
	u64 oldest = READ_ONCE(msk->snd_una);
	u64 piece = 0;
	u32 srtt;

	if (!best || lowrtt_seen(msk, best))
		return -EINVAL;
	srtt = READ_ONCE(tcp_sk(best->tcp_sock)->srtt_us);
	best->sched_seq = oldest;
	best->sched_turn = 1;

	mptcp_for_each_subflow(msk, subflow) {
		u64 holds = lowrtt_holds(mptcp_subflow_tcp_sock(subflow), oldest,
					 srtt);

		if (holds && subflow == best)
			return -EINVAL;
		piece = max(piece, holds);
	}
	if (!piece)
		return -EINVAL;
	best->sched_turn = 1 + piece;
	mptcp_subflow_set_scheduled(best, true);
	return 0;
}

u32 lowrtt_retrans_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	u64 piece = mptcp_subflow_ctx(ssk)->sched_turn;

	if (!lowrtt_blocked(msk) || piece < 2)
		return U32_MAX;
	return max(min_t(u64, piece - 1, mptcp_room(ssk)), tcp_current_mss(ssk));
}

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
 * With net.mptcp.lowrtt_rule both are as in MPTCP for Linux 0.91. A subflow that waits
 * penalises another at most once in its own round-trip time, which is the shorter, and
 * only if that is not recovering from a loss; ssthresh stays in slow start and is halved
 * otherwise. All this happens when the send buffer is full, too. The subflow takes over
 * one mapping, which is what was handed to the other one at a time, and that only from
 * a window of at most 4 segments, or from a path more than 4 times as slow.
 *
 * The oldest data is found in the subflows' own queues, which takes their locks; the
 * connection's worker, which may sleep, does that. Each subflow is asked for a given
 * oldest byte once at most; what a receiver dropped although the subflow acknowledged
 * it, or a dead subflow took with it, the kernel's own retransmission brings.
 *
 * In a subflow's context sched_seq is the last oldest byte that it was looked at for,
 * and sched_turn, if that is valid, one more than the bytes that the other subflow had
 * in one piece; sched_mark the time of the last penalty, or of the last look in vain.
 */

#include "lowrtt.h"
#include "room.h"

static bool lowrtt_as_released(const void *sk)
{
	return lab_get(sock_net(sk), LAB_LOWRTT_RULE);
}

static bool lowrtt_window_full(const struct mptcp_sock *msk)
{
	return !before64(READ_ONCE(msk->snd_nxt), READ_ONCE(msk->wnd_end));
}

/* Whether all is sent, and the application waits until a third of the send buffer,
 * which that fills, is free.
 */
static bool lowrtt_buffer_full(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;
	const struct socket *socket = READ_ONCE(sk->sk_socket);

	return lowrtt_as_released(sk) && !mptcp_send_head(sk) && socket &&
	       test_bit(SOCK_NOSPACE, &socket->flags) &&
	       sk_stream_wspace(sk) < sk_stream_min_wspace(sk);
}

bool lowrtt_blocked(const struct mptcp_sock *msk)
{
	return lab_get(sock_net((const struct sock *)msk), LAB_LOWRTT_REINJECT) &&
	       READ_ONCE(msk->snd_nxt) != READ_ONCE(msk->snd_una) &&
	       (lowrtt_window_full(msk) || lowrtt_buffer_full(msk));
}

bool lowrtt_push_blocked(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	if (!lab_get(sock_net((struct sock *)msk), LAB_LOWRTT_REINJECT))
		return false;
	if (!mptcp_send_head((struct sock *)msk) && lowrtt_blocked(msk)) {
		subflow = lowrtt_best(msk);
		if (subflow)
			lowrtt_ask(msk, subflow);
	}
	return true;
}

static bool lowrtt_due(const struct mptcp_subflow_context *subflow)
{
	u32 srtt_us = READ_ONCE(tcp_sk(subflow->tcp_sock)->srtt_us) >> 3;

	return tcp_jiffies32 - subflow->sched_mark >= usecs_to_jiffies(srtt_us);
}

/* What was looked at in vain is looked at again by MPTCP 0.91, which may penalise, a
 * round-trip time later.
 */
static bool lowrtt_seen(const struct mptcp_sock *msk,
			const struct mptcp_subflow_context *subflow)
{
	return subflow->sched_turn && subflow->sched_seq == READ_ONCE(msk->snd_una) &&
	       (subflow->sched_turn > 1 || !lowrtt_as_released(msk) ||
		!lowrtt_due(subflow));
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

static bool lowrtt_spared_released(const struct sock *ssk, const struct sock *sk)
{
	return inet_csk(ssk)->icsk_ca_state != TCP_CA_Open ||
	       (!lowrtt_window_full(mptcp_sk(sk)) &&
		READ_ONCE(sk->sk_wmem_queued) < READ_ONCE(sk->sk_sndbuf));
}

static void lowrtt_penalise(struct sock *ssk, struct mptcp_subflow_context *best)
{
	struct mptcp_subflow_context *marked = mptcp_subflow_ctx(ssk);
	bool released = lowrtt_as_released(ssk);
	struct tcp_sock *tp = tcp_sk(ssk);
	u32 window, ssthresh;

	if (released)
		marked = best;
	if (!lab_get(sock_net(ssk), LAB_LOWRTT_PENALISE) ||
	    tp->srtt_us <= READ_ONCE(tcp_sk(best->tcp_sock)->srtt_us) ||
	    (released && lowrtt_spared_released(ssk, best->conn)) ||
	    !lowrtt_due(marked))
		return;
	marked->sched_mark = tcp_jiffies32;
	window = max(tcp_snd_cwnd(tp) / 2, 1U);
	ssthresh = released ? tp->snd_ssthresh / 2 : window;
	if (!tcp_in_slow_start(tp) ||
	    !(released || lab_get(sock_net(ssk), LAB_LOWRTT_SPARE)))
		WRITE_ONCE(tp->snd_ssthresh, max(ssthresh, 2U));
	tcp_snd_cwnd_set(tp, window);
}

/* Whether MPTCP 0.91 would leave what this subflow has to it. */
static bool lowrtt_leaves(const struct tcp_sock *tp,
			  const struct mptcp_subflow_context *best)
{
	return tcp_snd_cwnd(tp) > 4 &&
	       4 * (u64)READ_ONCE(tcp_sk(best->tcp_sock)->srtt_us) >= tp->srtt_us;
}

/* The bytes from @seq on that this subflow has in one piece, in flight or queued, and
 * that @best is to send.
 */
static u64 lowrtt_holds(struct sock *ssk, u64 seq, struct mptcp_subflow_context *best)
{
	bool released = lowrtt_as_released(ssk);
	u64 reach = seq;
	struct sk_buff *skb;

	lock_sock(ssk);
	skb = tcp_rtx_queue_head(ssk);
	skb_rbtree_walk_from(skb)
		if (!released || reach == seq)
			reach = lowrtt_reach(skb, reach);
	skb_queue_walk(&ssk->sk_write_queue, skb)
		if (!released || reach == seq)
			reach = lowrtt_reach(skb, reach);
	if (reach != seq && best != mptcp_subflow_ctx(ssk)) {
		lowrtt_penalise(ssk, best);
		if (released && lowrtt_leaves(tcp_sk(ssk), best))
			reach = seq;
	}
	release_sock(ssk);
	return reach - seq;
}

/* The bytes from the oldest on that @best is to send for another subflow. */
static u64 lowrtt_piece(struct mptcp_sock *msk, u64 oldest,
			struct mptcp_subflow_context *best)
{
	struct mptcp_subflow_context *subflow;
	u64 piece = 0;

	mptcp_for_each_subflow(msk, subflow) {
		u64 holds = lowrtt_holds(mptcp_subflow_tcp_sock(subflow), oldest,
					 best);

		if (holds && subflow == best)
			return 0;
		piece = max(piece, holds);
	}
	return piece;
}

int lowrtt_reinject(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *best = lowrtt_best(msk);
	u64 oldest = READ_ONCE(msk->snd_una);

	if (!best || lowrtt_seen(msk, best))
		return -EINVAL;
	best->sched_seq = oldest;
	best->sched_turn = 1 + lowrtt_piece(msk, oldest, best);
	if (best->sched_turn == 1) {
		if (lowrtt_as_released(msk) && lowrtt_due(best))
			best->sched_mark = tcp_jiffies32;
		return -EINVAL;
	}
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

// SPDX-License-Identifier: GPL-2.0
/* Opportunistic retransmission and penalisation
 *
 *	C. Raiciu, C. Paasch, S. Barre, A. Ford, M. Honda, F. Duchene,
 *	O. Bonaventure, M. Handley: How Hard Can It Be? Designing and Implementing
 *	a Deployable Multipath TCP. NSDI 2012, section 4.2.
 *
 * When the receive window of the connection is full, a subflow with space in its own
 * congestion window has nothing new to send. That subflow then sends the oldest
 * unacknowledged data again, as far as another subflow holds it in one piece. If the
 * other subflow has the longer round-trip time, it is penalised: its congestion window
 * is halved and its ssthresh is set to the result, at most once per round-trip time.
 * With net.mptcp.lowrtt_spare_slow_start the ssthresh of a subflow in slow start stays
 * as it is, like in MPTCP for Linux up to 0.96, and the window soon grows back.
 *
 * With net.mptcp.lowrtt_rule both work as in MPTCP for Linux 0.91:
 *  - A subflow penalises another one at most once per round-trip time of its own, which
 *    is the shorter one, and only if the other one is not recovering from a loss.
 *  - ssthresh stays in slow start and is halved otherwise.
 *  - A full send buffer has the same effects as a full receive window.
 *  - The subflow takes over one mapping, the unit in which data was handed to the other
 *    subflow. It does so only if the other subflow has a window of at most 4 segments or
 *    is more than 4 times as slow.
 *
 * The oldest data is found in the queues of the subflows, which needs their locks. The
 * worker of the connection does that, because it may sleep. Each subflow is asked at
 * most once for a given oldest byte. The kernel's own retransmission covers the other
 * cases: data that the receiver dropped after the subflow acknowledged it, and data that
 * was lost with a subflow.
 *
 * The scheduler uses three fields in the context of a subflow:
 *  sched_seq	the oldest byte for which the subflow was last asked
 *  sched_turn	0 if it was never asked; otherwise 1 plus the bytes that the other
 *		subflow held in one piece
 *  sched_mark	the time of the last penalty, or of the last question with the answer 0
 */

#include "cwnd_space.h"
#include "lowrtt_reinject.h"

static bool lowrtt_as_released(const void *sk)
{
	return lab_get(sock_net(sk), LAB_LOWRTT_RULE);
}

/* The sequence number of the next byte to send. It lies before snd_nxt while the
 * connection sends again what a closed or dead subflow held:
 * __mptcp_retransmit_pending_data() marks that data as unsent and leaves snd_nxt alone.
 * Fragments are freed under the data lock and the connection's lock; the caller holds
 * one of them.
 */
static u64 lowrtt_next_seq(const struct mptcp_sock *msk)
{
	const struct mptcp_data_frag *head = READ_ONCE(msk->first_pending);

	return head ? head->data_seq + head->already_sent :
		      READ_ONCE(msk->snd_nxt);
}

static bool lowrtt_window_full(const struct mptcp_sock *msk)
{
	return !before64(lowrtt_next_seq(msk), READ_ONCE(msk->wnd_end));
}

/* Whether all data is sent and the application waits for space in the send buffer,
 * which comes when a third of the buffer is free.
 */
static bool lowrtt_buffer_full(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;
	const struct socket *socket = READ_ONCE(sk->sk_socket);

	return lowrtt_as_released(sk) && !mptcp_send_head(sk) && socket &&
	       test_bit(SOCK_NOSPACE, &socket->flags) &&
	       sk_stream_wspace(sk) < sk_stream_min_wspace(sk);
}

bool lowrtt_reinjects(const struct mptcp_sock *msk)
{
	return lab_get(sock_net((const struct sock *)msk), LAB_LOWRTT_REINJECT);
}

bool lowrtt_blocked(const struct mptcp_sock *msk)
{
	return lowrtt_reinjects(msk) &&
	       READ_ONCE(msk->snd_nxt) != READ_ONCE(msk->snd_una) &&
	       (lowrtt_window_full(msk) || lowrtt_buffer_full(msk));
}

/* A retransmission that lowrtt_ask() caused says nothing about dead subflows. After a
 * timeout of the connection, when its timer no longer runs, the kernel must look for
 * stale subflows even though the connection is blocked: data on a dead path may be
 * what blocks it.
 */
bool lowrtt_retrans_early(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;

	return lowrtt_blocked(msk) && timer_pending(&sk->mptcp_retransmit_timer);
}

static bool lowrtt_due(const struct mptcp_subflow_context *subflow)
{
	u32 srtt_us = READ_ONCE(tcp_sk(subflow->tcp_sock)->srtt_us) >> 3;

	return tcp_jiffies32 - subflow->sched_mark >= usecs_to_jiffies(srtt_us);
}

/* Whether @subflow was already asked for the oldest unacknowledged byte. MPTCP 0.91 asks
 * again a round-trip time after a question with the answer 0, as it may then penalise.
 */
static bool lowrtt_asked(const struct mptcp_sock *msk,
			const struct mptcp_subflow_context *subflow)
{
	return subflow->sched_turn && subflow->sched_seq == READ_ONCE(msk->snd_una) &&
	       (subflow->sched_turn > 1 || !lowrtt_as_released(msk) ||
		!lowrtt_due(subflow));
}

void lowrtt_ask(struct mptcp_sock *msk,
		const struct mptcp_subflow_context *subflow)
{
	if (!lowrtt_asked(msk, subflow) &&
	    !test_and_set_bit(MPTCP_WORK_RTX, &msk->flags))
		mptcp_schedule_work((struct sock *)msk);
}

/* The end of the segment's mapping if the mapping contains @seq; otherwise @seq. Several
 * segments can share one mapping.
 */
static u64 lowrtt_reach(struct sk_buff *skb, u64 seq)
{
	const struct mptcp_ext *mapping = mptcp_get_ext(skb);

	if (!mapping || !mapping->use_map || before64(seq, mapping->data_seq) ||
	    !before64(seq, mapping->data_seq + mapping->data_len))
		return seq;
	return mapping->data_seq + mapping->data_len;
}

/* Whether MPTCP 0.91 would not penalise this subflow. */
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

/* Whether MPTCP 0.91 would leave the data of this subflow to this subflow. */
static bool lowrtt_leaves(const struct tcp_sock *tp,
			  const struct mptcp_subflow_context *best)
{
	return tcp_snd_cwnd(tp) > 4 &&
	       4 * (u64)READ_ONCE(tcp_sk(best->tcp_sock)->srtt_us) >= tp->srtt_us;
}

/* The number of bytes from @seq on that this subflow holds in one piece, in flight or
 * queued, and that @best should send.
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

/* The number of bytes from @oldest on that @best should send for another subflow. */
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

int lowrtt_reinject(struct mptcp_sock *msk, struct mptcp_subflow_context *best)
{
	u64 oldest = READ_ONCE(msk->snd_una);

	if (!best || lowrtt_asked(msk, best))
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
	return max(min_t(u64, piece - 1, mptcp_cwnd_space(ssk)), tcp_current_mss(ssk));
}

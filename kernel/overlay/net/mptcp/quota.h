/* SPDX-License-Identifier: GPL-2.0 */
/* Decisions of a scheduler beyond the choice of subflows.
 *
 * __subflow_push_pending() hands whole fragments of up to 32 KiB to the chosen subflow,
 * and each byte to one subflow only. A scheduler can change that with further members
 * of struct mptcp_sched_ops. A scheduler that leaves them NULL behaves as in an
 * unmodified Linux.
 *
 * @quota:	the bytes of new data that this subflow can take now; get_send is called
 *		again when they are used up
 * @retrans_quota: the bytes that one retransmission at the connection's level carries
 * @retrans_early: whether such a retransmission now does not follow a timeout, so that
 *		it must not mark subflows as stale
 * @push_blocked: whether to call get_send although the receive window of the
 *		connection is full
 * @ahead:	the unsent bytes that this subflow leaves to others; it takes those behind
 *		them, from the next fragment on; then fragments have at most 4 KiB
 * @copies:	every subflow sends all data, each from its own position
 * @init_subflow, @release_subflow: called once per subflow, before the first get_send
 *		that can choose it, and when it is closed
 * @publishes:	sched_number of each subflow is a column of traces
 *
 * With @ahead, data is sent with gaps. A fragment's already_sent counts the bytes from
 * its start, so the gaps lie between fragments. first_pending is the first fragment that
 * is not completely sent, and snd_nxt lies in it: further fragments can be sent already.
 */
#ifndef _MPTCP_QUOTA_H
#define _MPTCP_QUOTA_H

#include "lab.h"
#include "protocol.h"

/* For schedulers with @copies: the next fragment of a subflow, and whether any subflow
 * has one (redundant.c)
 */
struct mptcp_data_frag *mptcp_copy_head(const struct mptcp_sock *msk,
					const struct mptcp_subflow_context *subflow,
					u16 *sent);
bool mptcp_copy_wanted(const struct mptcp_sock *msk);

static inline bool mptcp_sends_copies(const struct mptcp_sock *msk)
{
	return msk->sched && msk->sched->copies && !__mptcp_check_fallback(msk);
}

static inline bool mptcp_sends_ahead(const struct mptcp_sock *msk)
{
	return msk->sched && msk->sched->ahead && !__mptcp_check_fallback(msk);
}

#define MPTCP_AHEAD_FRAGMENT	4096U	/* bytes */

/* How much more data a fragment takes. Small fragments make small steps of @ahead. */
static inline u32 mptcp_fragment_space(const struct mptcp_sock *msk,
				       const struct mptcp_data_frag *dfrag)
{
	if (!mptcp_sends_ahead(msk))
		return U32_MAX;
	return MPTCP_AHEAD_FRAGMENT - min(MPTCP_AHEAD_FRAGMENT, dfrag->data_len);
}

/* The first fragment with unsent bytes behind the first @skip unsent bytes; NULL if there
 * is none. A connection with one subflow leaves nothing out.
 */
struct mptcp_data_frag *mptcp_ahead_head(const struct mptcp_sock *msk, u32 skip);

/* Make the next fragment the send head that is not completely sent. */
void mptcp_push_next(struct mptcp_sock *msk);

/* Make snd_nxt the end of all that any subflow has sent. */
void mptcp_reach_ahead(struct mptcp_sock *msk);

/* Whether any subflow has something to send. */
static inline bool mptcp_push_wanted(const struct sock *sk)
{
	const struct mptcp_sock *msk = mptcp_sk(sk);

	return msk->first_pending ||
	       (mptcp_sends_copies(msk) && mptcp_copy_wanted(msk));
}

/* The next fragment for this subflow, and how much of it is already sent. */
static inline struct mptcp_data_frag *mptcp_push_head(struct mptcp_sock *msk,
						      struct sock *ssk, u16 *sent)
{
	struct mptcp_data_frag *head = msk->first_pending;

	if (mptcp_sends_copies(msk))
		return mptcp_copy_head(msk, mptcp_subflow_ctx(ssk), sent);
	if (mptcp_sends_ahead(msk))
		head = mptcp_ahead_head(msk, msk->sched->ahead(msk, ssk));
	if (head)
		*sent = head->already_sent;
	return head;
}

/* Where in the fragment to stop. Without a quota it is the fragment's end. */
static inline u16 mptcp_quota_limit(struct mptcp_sock *msk, struct sock *ssk,
				    const struct mptcp_data_frag *dfrag, u16 sent)
{
	u32 left = dfrag->data_len - sent;

	if (msk->sched && msk->sched->quota && !__mptcp_check_fallback(msk))
		left = min(left, msk->sched->quota(msk, ssk));
	return sent + left;
}

static inline u16 mptcp_retrans_limit(struct mptcp_sock *msk, struct sock *ssk,
				      u16 sent, u16 limit)
{
	if (msk->sched && msk->sched->retrans_quota && limit > sent)
		return sent + min_t(u32, limit - sent,
				    msk->sched->retrans_quota(msk, ssk));
	return limit;
}

/* Record the position of a subflow; returns the bytes that no other subflow had sent. */
static inline u16 mptcp_pushed(const struct mptcp_sock *msk, struct sock *ssk,
			       const struct mptcp_data_frag *dfrag, u16 sent)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	if (mptcp_sends_copies(msk)) {
		subflow->sched_seq = dfrag->data_seq + sent;
		subflow->sched_turn = 1;
	}
	return sent > dfrag->already_sent ? sent - dfrag->already_sent : 0;
}

static inline bool mptcp_push_blocked(struct mptcp_sock *msk)
{
	return msk->sched && msk->sched->push_blocked &&
	       msk->sched->push_blocked(msk);
}

/* Whether a retransmission now does not follow a timeout. */
static inline bool mptcp_retrans_early(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;
	bool tail = READ_ONCE(msk->tail_asked);

	WRITE_ONCE(msk->tail_asked, false);
	if (tail && timer_pending(&sk->mptcp_retransmit_timer))
		return true;
	return msk->sched && msk->sched->retrans_early &&
	       msk->sched->retrans_early(msk);
}

void mptcp_tail_ask(struct mptcp_sock *msk);

/* The rule for the tail, which every scheduler can switch on (sysctl
 * net.mptcp.scheduler_tail). When all data is sent, a subflow that has nothing under way
 * sends the oldest unacknowledged data again, once. The caller holds the data lock.
 */
static inline void mptcp_tail_check(struct mptcp_sock *msk)
{
	if (!msk->first_pending && msk->snd_una != READ_ONCE(msk->snd_nxt) &&
	    msk->tail_seq != msk->snd_una)
		mptcp_tail_ask(msk);
}

void mptcp_sched_meet_all(struct mptcp_sock *msk);

/* Call init_subflow for subflows that the scheduler has not met yet. */
static inline void mptcp_sched_meet(struct mptcp_sock *msk)
{
	if (msk->sched->init_subflow)
		mptcp_sched_meet_all(msk);
}

/* Call release_subflow for a subflow that is closed. */
static inline void mptcp_sched_part(struct mptcp_sock *msk,
				    struct mptcp_subflow_context *subflow)
{
	if (msk->sched && msk->sched->release_subflow && subflow->sched_met)
		msk->sched->release_subflow(msk, subflow);
	subflow->sched_met = false;
}

/* Whether the scheduler of new connections publishes a number per subflow. */
bool mptcp_sched_publishes(const struct net *net);

#endif /* _MPTCP_QUOTA_H */

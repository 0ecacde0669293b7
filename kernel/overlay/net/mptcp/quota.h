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
 * @copies:	every subflow sends all data, each from its own position
 */
#ifndef _MPTCP_QUOTA_H
#define _MPTCP_QUOTA_H

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

/* Whether any subflow has something to send. */
static inline bool mptcp_push_wanted(const struct sock *sk)
{
	const struct mptcp_sock *msk = mptcp_sk(sk);

	return msk->first_pending ||
	       (mptcp_sends_copies(msk) && mptcp_copy_wanted(msk));
}

/* The next fragment for this subflow, and how much of it is already sent. */
static inline struct mptcp_data_frag *mptcp_push_head(const struct mptcp_sock *msk,
						      const struct sock *ssk,
						      u16 *sent)
{
	if (mptcp_sends_copies(msk))
		return mptcp_copy_head(msk, mptcp_subflow_ctx(ssk), sent);
	if (msk->first_pending)
		*sent = msk->first_pending->already_sent;
	return msk->first_pending;
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

static inline bool mptcp_retrans_early(const struct mptcp_sock *msk)
{
	return msk->sched && msk->sched->retrans_early &&
	       msk->sched->retrans_early(msk);
}

#endif /* _MPTCP_QUOTA_H */

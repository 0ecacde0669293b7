/* SPDX-License-Identifier: GPL-2.0 */
/* What schedulers share: their state, a choice by round-trip time, retransmissions.
 *
 * The kernel calls get_send with the connection's socket lock or its data lock held, and
 * without the lock of any subflow. It calls quota with the subflow's lock as well.
 */
#ifndef _MPTCP_SCHED_CHOICE_H
#define _MPTCP_SCHED_CHOICE_H

#include "cwnd_space.h"

/* The state of the scheduler in a connection (struct mptcp_sock) or a subflow (struct
 * mptcp_subflow_context): MPTCP_SCHED_STATE bytes, 0 at the start.
 */
#define mptcp_sched_state(_holder, _type)					\
({										\
	BUILD_BUG_ON(sizeof(_type) > sizeof((_holder)->sched_state));		\
	(_type *)(_holder)->sched_state;					\
})

/* @fast:	the subflow with the lowest round-trip time of those that work; its window
 *		may be full
 * @best:	the subflow with the lowest round-trip time of those with space in their
 *		windows; NULL if there is none
 *
 * If @best is not NULL, @fast is not either. A subflow after a timeout is not @fast, as a
 * scheduler that waits for @fast would wait for a dead path. A subflow without a measured
 * round-trip time comes last. Ties go to the older subflow. Backup subflows are in the
 * choice only when no other subflow works.
 */
struct mptcp_choice {
	struct mptcp_subflow_context *fast, *best;
};

static inline u32 mptcp_choice_key(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(tcp_sk(subflow->tcp_sock)->srtt_us) ?: U32_MAX;
}

static inline struct mptcp_choice mptcp_choose(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	struct mptcp_choice choices[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		struct mptcp_choice *choice = &choices[mptcp_is_backup(subflow)];
		bool space = mptcp_has_cwnd_space(ssk);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, space);
		if ((space || !READ_ONCE(inet_csk(ssk)->icsk_backoff)) &&
		    (!choice->fast ||
		     mptcp_choice_key(subflow) < mptcp_choice_key(choice->fast)))
			choice->fast = subflow;
		if (space && (!choice->best ||
			      mptcp_choice_key(subflow) < mptcp_choice_key(choice->best)))
			choice->best = subflow;
	}
	return choices[!regular];
}

/* Send on @subflow what quota allows, instead of the burst of the default scheduler. */
static inline int mptcp_send_on(struct mptcp_sock *msk,
				struct mptcp_subflow_context *subflow)
{
	if (!subflow)
		return -EINVAL;
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

/* Send one segment on @subflow. mptcp_send_on() goes on where a segment ends a fragment. */
static inline int mptcp_send_segment_on(struct mptcp_sock *msk,
					struct mptcp_subflow_context *subflow)
{
	int err = mptcp_send_on(msk, subflow);

	msk->snd_burst = 1;
	return err;
}

/* A quota for schedulers that decide for every segment. */
static inline u32 mptcp_one_segment(struct mptcp_sock *msk, struct sock *ssk)
{
	return min(mptcp_cwnd_space(ssk), tcp_current_mss(ssk));
}

/* The kernel's own choice for data that the connection sends again. */
static inline int mptcp_retransmit_as_default(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);

	if (!ssk)
		return -EINVAL;
	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

#endif /* _MPTCP_SCHED_CHOICE_H */

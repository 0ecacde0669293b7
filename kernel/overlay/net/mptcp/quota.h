/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a data fragment a scheduler lets one subflow take.
 *
 * __subflow_push_pending() hands whole fragments, of up to 32 KiB, to the
 * subflow chosen. A scheduler that decides by the room in the congestion window
 * sets mptcp_sched_ops::quota: the bytes that this subflow can take now. When
 * they are used up, get_send is asked again.
 */
#ifndef _MPTCP_QUOTA_H
#define _MPTCP_QUOTA_H

#include "protocol.h"

/* Where in the fragment to stop: its end, for schedulers without quota. */
static inline u16 mptcp_quota_limit(struct mptcp_sock *msk, struct sock *ssk,
				    const struct mptcp_data_frag *dfrag)
{
	u32 left = dfrag->data_len - dfrag->already_sent;

	if (msk->sched && msk->sched->quota && !__mptcp_check_fallback(msk))
		left = min(left, msk->sched->quota(msk, ssk));
	return dfrag->already_sent + left;
}

#endif /* _MPTCP_QUOTA_H */

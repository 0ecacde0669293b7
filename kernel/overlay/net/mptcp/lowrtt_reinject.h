/* SPDX-License-Identifier: GPL-2.0 */
/* Opportunistic retransmission and penalisation, for the scheduler "lowrtt".
 *
 * The scheduler chooses the subflow and passes it in; lowrtt_reinject.c calls nothing
 * of the scheduler's.
 */
#ifndef _MPTCP_LOWRTT_REINJECT_H
#define _MPTCP_LOWRTT_REINJECT_H

#include "lab.h"
#include "protocol.h"

/* Whether the sysctl net.mptcp.lowrtt_reinject is 1. */
bool lowrtt_reinjects(const struct mptcp_sock *msk);

/* Whether reinjection is on, data is in flight, and the receive window of the
 * connection forbids the next byte. With net.mptcp.lowrtt_rule also: whether the send
 * buffer is full. The caller holds the lock of @msk or its data lock.
 */
bool lowrtt_blocked(const struct mptcp_sock *msk);

/* Schedule the connection's worker, which calls lowrtt_reinject(), unless @subflow was
 * already asked for the oldest unacknowledged byte.
 */
void lowrtt_ask(struct mptcp_sock *msk,
		const struct mptcp_subflow_context *subflow);

/* In the worker: schedule @best for the oldest unacknowledged data if another subflow
 * holds that data. Returns 0 if @best is scheduled.
 */
int lowrtt_reinject(struct mptcp_sock *msk, struct mptcp_subflow_context *best);

/* The members of struct mptcp_sched_ops with these names (quota.h). */
u32 lowrtt_retrans_quota(struct mptcp_sock *msk, struct sock *ssk);
bool lowrtt_retrans_early(const struct mptcp_sock *msk);

#endif /* _MPTCP_LOWRTT_REINJECT_H */

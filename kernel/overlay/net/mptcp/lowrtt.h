/* SPDX-License-Identifier: GPL-2.0 */
/* Between the scheduler "lowrtt" and its opportunistic retransmission. */
#ifndef _MPTCP_LOWRTT_H
#define _MPTCP_LOWRTT_H

#include "lab.h"
#include "protocol.h"

/* The subflow to use next; NULL if no window has room. */
struct mptcp_subflow_context *lowrtt_best(const struct mptcp_sock *msk);

/* Whether reinjection is asked for, data is in flight, and the connection's receive
 * window is full.
 */
bool lowrtt_blocked(const struct mptcp_sock *msk);

/* Let the connection's worker call lowrtt_reinject(), unless this subflow has sent
 * what holds the window up.
 */
void lowrtt_ask(struct mptcp_sock *msk,
		const struct mptcp_subflow_context *subflow);

/* In the worker: schedule the best subflow for what holds the window up; 0 if so. */
int lowrtt_reinject(struct mptcp_sock *msk);

u32 lowrtt_retrans_quota(struct mptcp_sock *msk, struct sock *ssk);
bool lowrtt_push_blocked(struct mptcp_sock *msk);

#endif /* _MPTCP_LOWRTT_H */

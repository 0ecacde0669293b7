/* SPDX-License-Identifier: GPL-2.0 */
/* The state of coupled subflows, for readers such as the trace. */
#ifndef _MPTCP_COUPLED_STATE_H
#define _MPTCP_COUPLED_STATE_H

#include <net/net_namespace.h>

/* The columns of /proc/net/mptcp_coupled. */
struct coupled_state {
	const char *controller;
	u32 cwnd, srtt_us;
	s64 increase, alpha, beta;
	u64 between_losses, since_loss;
	u32 base_rtt_us;
};

/* Fill @state; false for a subflow that has no coupled controller. */
bool coupled_state(const struct net *net, u32 token, int local_id, int remote_id,
		   struct coupled_state *state);

#endif /* _MPTCP_COUPLED_STATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The state of coupled subflows, for readers such as the trace. */
#ifndef _MPTCP_COUPLED_STATE_H
#define _MPTCP_COUPLED_STATE_H

#include <net/sock.h>

/* The columns of /proc/net/mptcp_coupled. */
struct coupled_state {
	const char *controller;
	u32 cwnd, srtt_us;
	s64 increase, alpha, beta;
	u64 between_losses, since_loss;
	u32 base_rtt_us;
	/* of controllers with monitor intervals; interval 0: none yet */
	u32 rate_kbps, state, interval, interval_kbps, loss;
	s64 utility;
	s32 slope;
};

/* Fill @state; false for a socket that has no coupled controller. */
bool coupled_state(const struct sock *sk, struct coupled_state *state);

#endif /* _MPTCP_COUPLED_STATE_H */

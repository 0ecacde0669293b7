/* SPDX-License-Identifier: GPL-2.0 */
/* The core that coupled congestion controllers share.
 *
 * Every MPTCP connection that has a subflow under a coupled controller has one
 * struct coupled_conn, and every such subflow one struct coupled_slot in it. A
 * subflow writes its own slot, under its own socket lock, and reads the others'
 * under RCU; it never looks at another subflow's socket.
 */
#ifndef _MPTCP_COUPLED_H
#define _MPTCP_COUPLED_H

#include <net/tcp.h>

#include "coupled_math.h"

struct coupled_slot;

/* icsk_ca_priv of a subflow; all zero means "not attached" */
struct coupled {
	struct coupled_slot *slot;
	s64 credit;		/* growth not yet applied, 2^-40 segments */
};

/* A controller's formula: the growth of paths[0], the asking subflow, for one
 * segment acknowledged in congestion avoidance, in 2^-40 segments; it may be
 * negative. At least two paths, every one with a measured round-trip time.
 */
typedef s64 (*coupled_increase_t)(const struct coupled_path *paths,
				  unsigned int count);

static inline struct coupled *coupled_priv(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

void coupled_init(struct sock *sk);
void coupled_release(struct sock *sk);
void coupled_set_state(struct sock *sk, u8 new_state);
void coupled_pkts_acked(struct sock *sk, const struct ack_sample *sample);

/* True for plain TCP and for the only coupled subflow of a connection. */
bool coupled_alone(const struct sock *sk);

/* Slow start and congestion avoidance; Reno's very own when alone. */
void coupled_cong_avoid(struct sock *sk, u32 ack, u32 acked,
			coupled_increase_t increase);

/* Half the window, at least the minimum of sysctl net.mptcp.coupled_min_ssthresh
 * or, where that is 0, @minimum; Reno's very own when alone.
 */
u32 coupled_ssthresh(struct sock *sk, u32 minimum);

#endif /* _MPTCP_COUPLED_H */

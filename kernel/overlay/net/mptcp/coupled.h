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

/* What a controller is, to the core. paths[0] is the asking subflow; there are at
 * least two paths, every one with a measured round-trip time (only @alpha is also
 * asked about one); the last argument is what @parameter says.
 *
 * @increase:	growth for one segment acknowledged in congestion avoidance, in 2^-40
 *		segments; it may be negative
 * @keep:	what a loss leaves of the window, in segments; half if not set
 * @alpha:	what the paper calls alpha, or a, in 2^-16; only to be read
 * @parameter:	what was set for this network namespace
 * @min_ssthresh: the least ssthresh where net.mptcp.coupled_min_ssthresh is 0
 */
struct coupled_law {
	s64 (*increase)(const struct coupled_path *paths, unsigned int count,
			u32 parameter);
	u32 (*keep)(const struct coupled_path *paths, unsigned int count,
		    u32 parameter);
	s64 (*alpha)(const struct coupled_path *paths, unsigned int count,
		     u32 parameter);
	u32 (*parameter)(const struct net *net);
	u32 min_ssthresh;
};

static inline struct coupled *coupled_priv(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

void coupled_init(struct sock *sk, const struct coupled_law *law);
void coupled_release(struct sock *sk);
void coupled_set_state(struct sock *sk, u8 new_state);
void coupled_pkts_acked(struct sock *sk, const struct ack_sample *sample);

/* True for plain TCP and for the only coupled subflow of a connection. */
bool coupled_alone(const struct sock *sk);

/* Slow start and congestion avoidance; Reno's very own when alone. */
void coupled_cong_avoid(struct sock *sk, u32 ack, u32 acked);

/* What the law keeps, at least the minimum of sysctl net.mptcp.coupled_min_ssthresh
 * or, where that is 0, of the law; Reno's very own when alone.
 */
u32 coupled_ssthresh(struct sock *sk);

/* The asking subflow first, then the others in the order of their joining.
 * Returns how many of @paths (COUPLED_PATHS_MAX); 0 if the asking subflow has no
 * round-trip time yet.
 */
unsigned int coupled_snapshot(const struct coupled_slot *own,
			      struct coupled_path *paths);

/* For controllers that do not grow by a law: publish the window, and for readers
 * alpha, in 2^-16, and the least round-trip time.
 */
void coupled_note(const struct sock *sk, s64 alpha, u32 base_rtt_us);

/* Register a controller by a name, with the struct coupled_law @_name_law. */
#define COUPLED_CONTROLLER(_name, _text)					\
static void _name##_init(struct sock *sk)					\
{										\
	coupled_init(sk, &_name##_law);						\
}										\
										\
static struct tcp_congestion_ops _name##_ops __read_mostly = {			\
	.init		= _name##_init,						\
	.release	= coupled_release,					\
	.set_state	= coupled_set_state,					\
	.pkts_acked	= coupled_pkts_acked,					\
	.cong_avoid	= coupled_cong_avoid,					\
	.ssthresh	= coupled_ssthresh,					\
	.undo_cwnd	= tcp_reno_undo_cwnd,					\
	.flags		= TCP_CONG_NON_RESTRICTED,				\
	.name		= _text,						\
	.owner		= THIS_MODULE,						\
};										\
										\
static int __init _name##_register(void)					\
{										\
	return tcp_register_congestion_control(&_name##_ops);			\
}										\
device_initcall(_name##_register)

#endif /* _MPTCP_COUPLED_H */

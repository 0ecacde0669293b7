/* SPDX-License-Identifier: GPL-2.0 */
/* The core that the coupled congestion controllers share.
 *
 * Every MPTCP connection that has a subflow under a coupled controller has one
 * struct coupled_conn, and every such subflow has one struct coupled_slot in it. A
 * subflow writes its own slot under its own socket lock, and reads the other slots
 * under RCU. It never looks at another subflow's socket.
 */
#ifndef _MPTCP_COUPLED_CORE_H
#define _MPTCP_COUPLED_CORE_H

#include <net/tcp.h>

#include "coupled_math.h"

struct coupled_slot;

/* icsk_ca_priv of a subflow; all zero means "not attached". The slot stands behind the area
 * that Linux gives to controllers, because BBR, on which a controller may build, fills it.
 */
struct coupled_area {
	u64 own[104 / sizeof(u64)];
	struct coupled_slot *slot;
};

/* The beginning of that area, for controllers of windows */
struct coupled {
	s64 credit;		/* growth not yet applied, 2^-40 segments */
};

/* What distinguishes one controller from another.
 *
 * The functions get an array of @count paths. paths[0] is the subflow that asks.
 * There are at least two paths, and each has a measured round-trip time (@alpha is
 * also called with one path). The last argument is what @parameter returns.
 *
 * @increase:	growth per segment acknowledged in congestion avoidance, in 2^-40
 *		segments; it may be negative
 * @keep:	the window that remains after a loss, in segments; NULL: half of it
 * @keep_own:	the same, from the slot's private data, for a law whose decrease has a
 *		memory; in place of @keep
 * @alpha:	what the paper calls alpha, or a, in 2^-16; only shown to readers
 * @parameter:	the parameter set in this network namespace; NULL: none
 * @min_ssthresh: the smallest ssthresh where net.mptcp.coupled_min_ssthresh is 0
 * @private:	the bytes of private data that a slot has for the controller
 * @plain:	whether a TCP without MPTCP gets a slot, too
 */
struct coupled_law {
	s64 (*increase)(const struct coupled_path *paths, unsigned int count,
			u32 parameter);
	u32 (*keep)(const struct coupled_path *paths, unsigned int count,
		    u32 parameter);
	u32 (*keep_own)(const void *private, u32 cwnd, u32 parameter);
	s64 (*alpha)(const struct coupled_path *paths, unsigned int count,
		     u32 parameter);
	u32 (*parameter)(const struct net *net);
	u32 min_ssthresh;
	u32 private;
	bool plain;
};

static inline struct coupled *coupled_priv(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

/* The slot of a subflow under a coupled controller; NULL: not attached */
static inline struct coupled_slot *coupled_own(const struct sock *sk)
{
	const struct coupled_area *area = inet_csk_ca(sk);

	return area->slot;
}

void coupled_init(struct sock *sk, const struct coupled_law *law);
void coupled_release(struct sock *sk);
void coupled_set_state(struct sock *sk, u8 new_state);
void coupled_pkts_acked(struct sock *sk, const struct ack_sample *sample);

/* True for plain TCP and for the only coupled subflow of a connection. */
bool coupled_alone(const struct sock *sk);

/* Slow start and congestion avoidance. A lone subflow runs tcp_reno_cong_avoid(). */
void coupled_cong_avoid(struct sock *sk, u32 ack, u32 acked);

/* The window that the law keeps after a loss, but not less than sysctl
 * net.mptcp.coupled_min_ssthresh or, where that is 0, than the law's min_ssthresh.
 * A lone subflow runs tcp_reno_ssthresh().
 */
u32 coupled_ssthresh(struct sock *sk);

/* Copy what the formulas need into @paths, which has COUPLED_PATHS_MAX elements: the
 * subflow that asks first, then the others in the order in which they joined.
 * Returns the number of paths; 0 if the subflow that asks has no measured round-trip
 * time yet.
 */
unsigned int coupled_snapshot(const struct coupled_slot *own,
			      struct coupled_path *paths);

/* For controllers that set rates. The rate that a subflow publishes is what the others
 * of the connection add up; 0 means that it sends nothing. @state is the controller's.
 */
void coupled_publish_rate(const struct sock *sk, u64 rate, u32 state);

/* The sum of the rates that the connection's other subflows publish */
u64 coupled_other_rates(const struct sock *sk);

/* Show a monitor interval to readers. */
struct coupled_interval;
void coupled_note_interval(const struct sock *sk,
			   const struct coupled_interval *interval);

/* The slot's private data; NULL without a slot */
void *coupled_private(const struct sock *sk);

/* Call @visit with the private data of the connection's other subflows under the same law,
 * in the order in which they joined. It only reads them.
 */
void coupled_visit_others(const struct sock *sk,
			  void (*visit)(const void *private, void *data), void *data);

/* For controllers whose law has no @increase: publish the window and, for readers,
 * alpha in 2^-16 and the smallest round-trip time.
 */
void coupled_note(const struct sock *sk, s64 alpha, u32 base_rtt_us);

/* Register the controller _text; its struct coupled_law is called _name##_law. */
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

#endif /* _MPTCP_COUPLED_CORE_H */

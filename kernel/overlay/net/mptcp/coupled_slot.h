/* SPDX-License-Identifier: GPL-2.0 */
/* The structures of the coupled controllers' core, for coupled_core.c, which writes
 * them, and for coupled_state.c, which shows them. Controllers use coupled_core.h.
 */
#ifndef _MPTCP_COUPLED_SLOT_H
#define _MPTCP_COUPLED_SLOT_H

#include <linux/atomic.h>
#include <linux/rculist.h>
#include <net/net_namespace.h>

#include "coupled_core.h"

struct coupled_conn {
	struct hlist_node node;
	struct list_head slots;		/* struct coupled_slot, RCU */
	possible_net_t net;
	u32 token;			/* 0 for a plain TCP */
	u32 count;			/* of slots; written under coupled_lock */
	bool plain;			/* a TCP without MPTCP, under a law with .plain */
	struct rcu_head rcu;
};

/* What a controller with monitor intervals says about the last one, in the units of
 * mpcc.h
 */
struct coupled_interval {
	u32 number;			/* of the connection's intervals; 0: none yet */
	u32 loss;
	u64 rate;
	s64 utility;
	s32 slope;
};

/* Only the slot's own subflow writes the numbers. A reader elsewhere reads each number
 * as a whole, which for the 64-bit ones requires a 64-bit machine.
 */
struct coupled_slot {
	struct list_head list;
	struct coupled_conn *conn;
	const struct coupled_law *law;
	u32 cwnd;			/* segments */
	u32 srtt;			/* 1/8 us; 0: not measured */
	s64 increase;			/* last growth per segment acknowledged, 2^-40 */
	u64 acked_at_loss;		/* bytes acknowledged before the last loss */
	u64 between_losses;		/* ... between the last two losses; OLIA's l1 */
	u64 since_loss;			/* ... since the last loss; OLIA's l2 */
	s64 alpha;			/* where the law has no alpha, 2^-16 */
	u32 base_rtt_us;		/* 0: the controller does not track it */
	const char *controller;
	int local_id;			/* the subflow's address ids */
	int remote_id;
	const void *owner;		/* the subflow's socket, only to be compared */
	u64 rate;			/* published; 0 from an idle or unused subflow */
	u32 state;			/* the controller's; 0: it has none */
	struct coupled_interval interval;
	struct rcu_head rcu;
	u64 private[] __aligned(8);	/* law->private bytes, under the socket lock */
};

/* The objects of a network namespace that are alive, and the subflows that were left
 * uncoupled because there was no memory for a slot.
 */
struct coupled_counts {
	atomic_t connections;
	atomic_t slots;
	atomic_t refused;
};

struct coupled_counts *coupled_counts(const struct net *net);

/* The slot of this socket; NULL if it has none. Call it under RCU. */
const struct coupled_slot *coupled_slot_of(const struct sock *sk);

typedef void (*coupled_visit_t)(const struct coupled_slot *slot,
				const struct net *net, void *data);

/* Call @visit for every slot of a network namespace, under RCU. */
void coupled_visit_slots(const struct net *net, coupled_visit_t visit, void *data);

/* The controller's parameter in this network namespace; 0 if it has none. */
u32 coupled_parameter(const struct coupled_slot *slot, const struct net *net);

/* The window that remains of @cwnd segments after a loss, before the smallest ssthresh
 * is applied.
 */
u32 coupled_keep(const struct coupled_slot *slot, const struct net *net, u32 cwnd);

#endif /* _MPTCP_COUPLED_SLOT_H */

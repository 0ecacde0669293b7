/* SPDX-License-Identifier: GPL-2.0 */
/* Inside of the core: its structures and what it keeps per network namespace. */
#ifndef _MPTCP_COUPLED_NET_H
#define _MPTCP_COUPLED_NET_H

#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <net/net_namespace.h>

struct coupled_conn {
	struct hlist_node node;
	struct list_head slots;		/* struct coupled_slot, RCU */
	possible_net_t net;
	u32 token;
	u32 count;			/* of slots; written under coupled_lock */
	struct rcu_head rcu;
};

/* Written by its subflow alone; a reader elsewhere reads each number as a whole,
 * which for the 64-bit ones takes a 64-bit machine.
 */
struct coupled_slot {
	struct list_head list;
	struct coupled_conn *conn;
	const struct coupled_law *law;
	u32 cwnd;			/* segments */
	u32 srtt;			/* 1/8 us; 0: not measured */
	s64 increase;			/* the last growth, 2^-40 segments an ACK */
	u64 acked_at_loss;		/* bytes acknowledged before the last loss */
	u64 between_losses;		/* ... between the last two; OLIA's l1 */
	u64 since_loss;			/* ... since the last; OLIA's l2 */
	s64 alpha;			/* where the law does not tell, 2^-16 */
	u32 base_rtt_us;		/* 0: the controller keeps none */
	const char *controller;
	int local_id;			/* the subflow's address ids */
	int remote_id;
	struct rcu_head rcu;
};

void coupled_net_count(const struct net *net, int connections, int slots);
void coupled_net_refused(const struct net *net);

void coupled_show(struct seq_file *seq, const struct net *net);

/* What a controller says of a subflow: /proc/net/mptcp_coupled has the columns. */
struct coupled_state {
	const char *controller;
	u32 cwnd, srtt_us;
	s64 increase, alpha, beta;
	u64 between_losses, since_loss;
	u32 base_rtt_us;
};

/* False for a subflow that no coupled controller has. */
bool coupled_state(const struct net *net, u32 token, int local_id, int remote_id,
		   struct coupled_state *state);

#endif /* _MPTCP_COUPLED_NET_H */

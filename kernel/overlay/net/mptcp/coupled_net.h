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

struct coupled_slot {
	struct list_head list;
	struct coupled_conn *conn;
	u32 cwnd;			/* segments */
	u32 srtt;			/* 1/8 us; 0: not measured */
	s64 increase;			/* the last growth, 2^-40 segments an ACK */
	const char *controller;
	int local_id;			/* the subflow's address ids */
	int remote_id;
	struct rcu_head rcu;
};

void coupled_net_count(const struct net *net, int connections, int slots);
void coupled_net_refused(const struct net *net);
u32 coupled_net_min_ssthresh(const struct net *net);

void coupled_show(struct seq_file *seq, const struct net *net);

#endif /* _MPTCP_COUPLED_NET_H */

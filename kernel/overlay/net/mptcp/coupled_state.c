// SPDX-License-Identifier: GPL-2.0
/* The state of coupled subflows, in /proc/net/mptcp_coupled and for the trace
 *
 * The file's first line is "connections C subflows S refused R": the objects that are
 * alive, and the subflows that were left uncoupled because memory was short. The
 * second line names the columns. One line per subflow follows.
 */

#include <linux/init.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "coupled_slot.h"
#include "coupled_state.h"
#include "mpcc.h"

static u32 coupled_kbps(u64 rate)
{
	return (min(rate, MPCC_RATE_MAX) * 1000) >> MPCC_SHIFT;
}

static void coupled_fill_interval(const struct coupled_slot *slot,
				  struct coupled_state *state)
{
	state->rate_kbps = coupled_kbps(READ_ONCE(slot->rate));
	state->state = READ_ONCE(slot->state);
	state->interval = READ_ONCE(slot->interval.number);
	state->interval_kbps = coupled_kbps(READ_ONCE(slot->interval.rate));
	state->utility = READ_ONCE(slot->interval.utility);
	state->loss = READ_ONCE(slot->interval.loss);
	state->slope = READ_ONCE(slot->interval.slope);
}

/* alpha and beta, the part of the window that a loss would take now, follow from what
 * all subflows publish at this moment.
 */
static void coupled_fill_state(const struct coupled_slot *slot, const struct net *net,
			       struct coupled_state *state)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count = coupled_snapshot(slot, paths);
	u32 cwnd = READ_ONCE(slot->cwnd);
	u32 decrease;

	state->controller = slot->controller;
	state->cwnd = cwnd;
	state->srtt_us = READ_ONCE(slot->srtt) >> 3;
	state->increase = READ_ONCE(slot->increase);
	state->alpha = READ_ONCE(slot->alpha);
	if (slot->law->alpha)
		state->alpha = count ? slot->law->alpha(paths, count,
							coupled_parameter(slot, net)) : 0;
	state->beta = COUPLED_SHOWN_ONE / 2;
	if ((slot->law->keep || slot->law->keep_own) && count > 1) {
		decrease = cwnd - min(cwnd, coupled_keep(slot, net, cwnd));
		state->beta = div_u64((u64)decrease << COUPLED_SHOWN_SHIFT, cwnd);
	}
	state->between_losses = READ_ONCE(slot->between_losses);
	state->since_loss = READ_ONCE(slot->since_loss);
	state->base_rtt_us = READ_ONCE(slot->base_rtt_us);
	coupled_fill_interval(slot, state);
}

bool coupled_state(const struct sock *sk, struct coupled_state *state)
{
	const struct coupled_slot *slot;

	rcu_read_lock();
	slot = coupled_slot_of(sk);
	if (slot)
		coupled_fill_state(slot, sock_net(sk), state);
	rcu_read_unlock();
	return slot;
}

static void coupled_show_slot(const struct coupled_slot *slot, const struct net *net,
			      void *data)
{
	struct coupled_state state;
	struct seq_file *seq = data;

	coupled_fill_state(slot, net, &state);
	seq_printf(seq, "%08x %d %d %s %u %u %lld %lld %lld %llu %llu %u",
		   slot->conn->token, slot->local_id, slot->remote_id,
		   state.controller, state.cwnd, state.srtt_us,
		   state.increase, state.alpha, state.beta,
		   state.between_losses, state.since_loss, state.base_rtt_us);
	seq_printf(seq, " %u %u %u %u %lld %u %d\n", state.rate_kbps, state.state,
		   state.interval, state.interval_kbps, state.utility, state.loss,
		   state.slope);
}

static int coupled_show(struct seq_file *seq, void *unused)
{
	struct net *net = seq_file_single_net(seq);
	const struct coupled_counts *counts = coupled_counts(net);

	seq_printf(seq, "connections %d subflows %d refused %d\n",
		   atomic_read(&counts->connections), atomic_read(&counts->slots),
		   atomic_read(&counts->refused));
	seq_puts(seq, "token local_id remote_id controller cwnd srtt_us increase_2^-40 ");
	seq_puts(seq, "alpha_2^-16 beta_2^-16 l1_bytes l2_bytes base_rtt_us ");
	seq_puts(seq, "rate_kbps state interval interval_kbps utility_2^-20 ");
	seq_puts(seq, "loss_2^-20 slope_2^-20\n");
	coupled_visit_slots(net, coupled_show_slot, seq);
	return 0;
}

static int __net_init coupled_state_init(struct net *net)
{
	if (IS_ENABLED(CONFIG_PROC_FS) &&
	    !proc_create_net_single("mptcp_coupled", 0444, net->proc_net,
				    coupled_show, NULL))
		return -ENOMEM;
	return 0;
}

static void __net_exit coupled_state_exit(struct net *net)
{
	remove_proc_entry("mptcp_coupled", net->proc_net);
}

static struct pernet_operations coupled_state_ops = {
	.init	= coupled_state_init,
	.exit	= coupled_state_exit,
};

static int __init coupled_state_register(void)
{
	return register_pernet_subsys(&coupled_state_ops);
}
device_initcall(coupled_state_register);

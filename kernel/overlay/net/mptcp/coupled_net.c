// SPDX-License-Identifier: GPL-2.0
/* What the core of the coupled controllers keeps per network namespace:
 *
 * sysctl net.mptcp.coupled_min_ssthresh
 *	the least ssthresh, in segments, after a loss while more than one subflow
 *	is there; 0, the default, leaves it to the controller (2 for lia)
 * /proc/net/mptcp_coupled
 *	first "connections C subflows S refused R": objects alive, and subflows
 *	that were left uncoupled for want of memory; then the columns' names; then
 *	a line a subflow
 */

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/netns/generic.h>

#include "coupled_net.h"

static unsigned int coupled_net_id __read_mostly;

struct coupled_net {
	struct ctl_table_header *sysctl;
	atomic_t connections;
	atomic_t slots;
	atomic_t refused;
	u8 min_ssthresh;
};

static struct coupled_net *coupled_net(const struct net *net)
{
	return net_generic(net, coupled_net_id);
}

void coupled_net_count(const struct net *net, int connections, int slots)
{
	atomic_add(connections, &coupled_net(net)->connections);
	atomic_add(slots, &coupled_net(net)->slots);
}

void coupled_net_refused(const struct net *net)
{
	atomic_inc(&coupled_net(net)->refused);
}

u32 coupled_net_min_ssthresh(const struct net *net)
{
	return READ_ONCE(coupled_net(net)->min_ssthresh);
}

static int coupled_proc_show(struct seq_file *seq, void *unused)
{
	struct net *net = seq_file_single_net(seq);
	struct coupled_net *cn = coupled_net(net);

	seq_printf(seq, "connections %d subflows %d refused %d\n",
		   atomic_read(&cn->connections), atomic_read(&cn->slots),
		   atomic_read(&cn->refused));
	seq_puts(seq, "token local_id remote_id controller cwnd srtt_us increase_2^-40\n");
	coupled_show(seq, net);
	return 0;
}

static const struct ctl_table coupled_table[] = {
	{
		.procname	= "coupled_min_ssthresh",
		.maxlen		= sizeof(u8),
		.mode		= 0644,
		.proc_handler	= proc_dou8vec_minmax,
	},
};

static int __net_init coupled_sysctl_init(struct net *net)
{
	struct coupled_net *cn = coupled_net(net);
	struct ctl_table *table;

	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kmemdup(coupled_table, sizeof(coupled_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table[0].data = &cn->min_ssthresh;
	cn->sysctl = register_net_sysctl_sz(net, "net/mptcp", table,
					    ARRAY_SIZE(coupled_table));
	if (!cn->sysctl) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit coupled_sysctl_exit(struct net *net)
{
	struct coupled_net *cn = coupled_net(net);
	const struct ctl_table *table;

	if (!cn->sysctl)
		return;
	table = cn->sysctl->ctl_table_arg;
	unregister_net_sysctl_table(cn->sysctl);
	kfree(table);
}

static int __net_init coupled_net_init(struct net *net)
{
	int err = coupled_sysctl_init(net);

	if (err)
		return err;
	if (IS_ENABLED(CONFIG_PROC_FS) &&
	    !proc_create_net_single("mptcp_coupled", 0444, net->proc_net,
				    coupled_proc_show, NULL)) {
		coupled_sysctl_exit(net);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit coupled_net_exit(struct net *net)
{
	struct coupled_net *cn = coupled_net(net);

	WARN_ON_ONCE(atomic_read(&cn->slots) || atomic_read(&cn->connections));
	remove_proc_entry("mptcp_coupled", net->proc_net);
	coupled_sysctl_exit(net);
}

static struct pernet_operations coupled_net_ops = {
	.init	= coupled_net_init,
	.exit	= coupled_net_exit,
	.id	= &coupled_net_id,
	.size	= sizeof(struct coupled_net),
};

static int __init coupled_net_register(void)
{
	return register_pernet_subsys(&coupled_net_ops);
}
/* before the controllers, which are registered by device_initcall */
fs_initcall(coupled_net_register);

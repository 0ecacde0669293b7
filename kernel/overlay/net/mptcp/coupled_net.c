// SPDX-License-Identifier: GPL-2.0
/* What the core of the coupled controllers counts per network namespace:
 *
 * /proc/net/mptcp_coupled
 *	first "connections C subflows S refused R": objects alive, and subflows
 *	that were left uncoupled for want of memory; then the columns' names; then
 *	a line a subflow
 */

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/proc_fs.h>
#include <net/netns/generic.h>

#include "coupled_net.h"

static unsigned int coupled_net_id __read_mostly;

struct coupled_net {
	atomic_t connections;
	atomic_t slots;
	atomic_t refused;
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

static int coupled_proc_show(struct seq_file *seq, void *unused)
{
	struct net *net = seq_file_single_net(seq);
	struct coupled_net *cn = coupled_net(net);

	seq_printf(seq, "connections %d subflows %d refused %d\n",
		   atomic_read(&cn->connections), atomic_read(&cn->slots),
		   atomic_read(&cn->refused));
	seq_puts(seq, "token local_id remote_id controller cwnd srtt_us increase_2^-40 ");
	seq_puts(seq, "alpha_2^-16 beta_2^-16 l1_bytes l2_bytes base_rtt_us\n");
	coupled_show(seq, net);
	return 0;
}

static int __net_init coupled_net_init(struct net *net)
{
	if (IS_ENABLED(CONFIG_PROC_FS) &&
	    !proc_create_net_single("mptcp_coupled", 0444, net->proc_net,
				    coupled_proc_show, NULL))
		return -ENOMEM;
	return 0;
}

static void __net_exit coupled_net_exit(struct net *net)
{
	struct coupled_net *cn = coupled_net(net);

	WARN_ON_ONCE(atomic_read(&cn->slots) || atomic_read(&cn->connections));
	remove_proc_entry("mptcp_coupled", net->proc_net);
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

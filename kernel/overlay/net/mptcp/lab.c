// SPDX-License-Identifier: GPL-2.0
/* sysctl net.mptcp., per network namespace:
 *
 *   coupled_min_ssthresh	the least ssthresh, in segments, after a loss while
 *				a connection has more than one coupled subflow; 0, the
 *				default, leaves it to the controller
 *   ewtcp_a_permille		EWTCP's a in thousandths; 0, the default: 1 / sqrt(N)
 *   semicoupled_a_permille	SEMICOUPLED's a in thousandths; 1000
 *   coupled_balia_forms	whether coupled and semicoupled are as the Balia paper
 *				has them; 0
 *   wvegas_total_alpha		packets that a connection of wVegas wants queued; 10
 *   wvegas_gamma		packets queued at which its slow start ends; 1
 *   lowrtt_reinject		opportunistic retransmission; 0
 *   lowrtt_penalise		and penalisation; 0
 *   lowrtt_spare_slow_start	whose ssthresh stays as it is in slow start; 0
 *   lowrtt_rule		whether both are as in MPTCP for Linux 0.91, not as
 *				in the paper; 0
 *   roundrobin_segments	segments a turn; 1
 *   ndiffports			subflows that a client opens over the addresses of
 *				the first one, that one included; 0, the default: none
 */

#include <linux/init.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/netns/generic.h>

#include "lab.h"

static unsigned int lab_id __read_mostly;

struct lab {
	struct ctl_table_header *sysctl;
	unsigned int parameters[LAB_PARAMETERS];
};

/* The bounds of a keep an increase times 2^20 segments acknowledged at once within
 * 63 bits.
 */
static const struct lab_range {
	const char *name;
	unsigned int initial, least, most;
} lab_ranges[LAB_PARAMETERS] = {
	[LAB_MIN_SSTHRESH]	  = { "coupled_min_ssthresh", 0, 0, 255 },
	[LAB_EWTCP_A]		  = { "ewtcp_a_permille", 0, 0, 4000 },
	[LAB_SEMICOUPLED_A]	  = { "semicoupled_a_permille", 1000, 1, 4000 },
	[LAB_BALIA_FORMS]	  = { "coupled_balia_forms", 0, 0, 1 },
	[LAB_WVEGAS_ALPHA]	  = { "wvegas_total_alpha", 10, 1, 10000 },
	[LAB_WVEGAS_GAMMA]	  = { "wvegas_gamma", 1, 1, 1000 },
	[LAB_LOWRTT_REINJECT]	  = { "lowrtt_reinject", 0, 0, 1 },
	[LAB_LOWRTT_PENALISE]	  = { "lowrtt_penalise", 0, 0, 1 },
	[LAB_LOWRTT_SPARE]	  = { "lowrtt_spare_slow_start", 0, 0, 1 },
	[LAB_LOWRTT_RULE]	  = { "lowrtt_rule", 0, 0, 1 },
	[LAB_ROUNDROBIN_SEGMENTS] = { "roundrobin_segments", 1, 1, 1000 },
	[LAB_NDIFFPORTS]	  = { "ndiffports", 0, 0, 8 },
};

u32 lab_get(const struct net *net, enum lab_parameter parameter)
{
	struct lab *lab = net_generic(net, lab_id);

	return READ_ONCE(lab->parameters[parameter]);
}

static int __net_init lab_init(struct net *net)
{
	struct lab *lab = net_generic(net, lab_id);
	struct ctl_table *table;
	int i;

	for (i = 0; i < LAB_PARAMETERS; i++)
		lab->parameters[i] = lab_ranges[i].initial;
	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kzalloc_objs(*table, LAB_PARAMETERS, GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < LAB_PARAMETERS; i++)
		table[i] = (struct ctl_table){
			.procname	= lab_ranges[i].name,
			.data		= &lab->parameters[i],
			.maxlen		= sizeof(unsigned int),
			.mode		= 0644,
			.proc_handler	= proc_douintvec_minmax,
			.extra1		= (void *)&lab_ranges[i].least,
			.extra2		= (void *)&lab_ranges[i].most,
		};
	lab->sysctl = register_net_sysctl_sz(net, "net/mptcp", table,
					     LAB_PARAMETERS);
	if (!lab->sysctl) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit lab_exit(struct net *net)
{
	struct lab *lab = net_generic(net, lab_id);
	const struct ctl_table *table;

	if (!lab->sysctl)
		return;
	table = lab->sysctl->ctl_table_arg;
	unregister_net_sysctl_table(lab->sysctl);
	kfree(table);
}

static struct pernet_operations lab_ops = {
	.init	= lab_init,
	.exit	= lab_exit,
	.id	= &lab_id,
	.size	= sizeof(struct lab),
};

static int __init lab_register(void)
{
	return register_pernet_subsys(&lab_ops);
}
/* before the controllers and schedulers, which are registered by device_initcall */
fs_initcall(lab_register);

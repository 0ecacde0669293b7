// SPDX-License-Identifier: GPL-2.0
/* sysctl net.mptcp.*, per network namespace, from the table in lab_parameters.h */

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

static const struct lab_range {
	const char *name;
	unsigned int initial, min, max;
} lab_ranges[LAB_PARAMETERS] = {
#define LAB_PARAMETER(_id, _name, _initial, _min, _max)				\
	[LAB_##_id] = { #_name, _initial, _min, _max },
#include "lab_parameters.h"
#undef LAB_PARAMETER
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
			.extra1		= (void *)&lab_ranges[i].min,
			.extra2		= (void *)&lab_ranges[i].max,
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

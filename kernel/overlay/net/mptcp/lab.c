// SPDX-License-Identifier: GPL-2.0
/* sysctl net.mptcp.*, per network namespace, from the table in lab_parameters.h and from
 * the OWN_PARAMETERs of files that are linked to the kernel later
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
	unsigned int *own;
};

static const struct lab_range lab_ranges[LAB_PARAMETERS] = {
#define LAB_PARAMETER(_id, _name, _initial, _min, _max)				\
	[LAB_##_id] = { #_name, _initial, _min, _max },
#include "lab_parameters.h"
#undef LAB_PARAMETER
};

static unsigned int lab_count_own(void)
{
	return __stop_lab_own - __start_lab_own;
}

static void lab_add(struct ctl_table *entry, const struct lab_range *range,
		    unsigned int *parameter)
{
	*parameter = range->initial;
	*entry = (struct ctl_table){
		.procname	= range->name,
		.data		= parameter,
		.maxlen		= sizeof(*parameter),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= (void *)&range->min,
		.extra2		= (void *)&range->max,
	};
}

u32 lab_get(const struct net *net, enum lab_parameter parameter)
{
	struct lab *lab = net_generic(net, lab_id);

	return READ_ONCE(lab->parameters[parameter]);
}

u32 lab_get_own(const struct net *net, const struct lab_range *const *own)
{
	struct lab *lab = net_generic(net, lab_id);

	return READ_ONCE(lab->own[own - __start_lab_own]);
}

static int __net_init lab_init(struct net *net)
{
	struct lab *lab = net_generic(net, lab_id);
	unsigned int i, own = lab_count_own();
	struct ctl_table *table;

	table = kzalloc_objs(*table, LAB_PARAMETERS + own, GFP_KERNEL);
	lab->own = kcalloc(own, sizeof(*lab->own), GFP_KERNEL);
	if (!table || (own && !lab->own))
		goto failed;
	for (i = 0; i < LAB_PARAMETERS; i++)
		lab_add(&table[i], &lab_ranges[i], &lab->parameters[i]);
	for (i = 0; i < own; i++)
		lab_add(&table[LAB_PARAMETERS + i], __start_lab_own[i], &lab->own[i]);
	if (!IS_ENABLED(CONFIG_SYSCTL)) {
		kfree(table);
		return 0;
	}
	lab->sysctl = register_net_sysctl_sz(net, "net/mptcp", table,
					     LAB_PARAMETERS + own);
	if (lab->sysctl)
		return 0;
failed:
	kfree(lab->own);
	kfree(table);
	return -ENOMEM;
}

static void __net_exit lab_exit(struct net *net)
{
	struct lab *lab = net_generic(net, lab_id);
	const struct ctl_table *table;

	if (lab->sysctl) {
		table = lab->sysctl->ctl_table_arg;
		unregister_net_sysctl_table(lab->sysctl);
		kfree(table);
	}
	kfree(lab->own);
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

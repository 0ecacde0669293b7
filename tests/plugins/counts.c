// SPDX-License-Identifier: GPL-2.0
/* A scheduler for tests, which sends only if each of its hooks was called as it should. */

#include "lab.h"
#include "sched_choice.h"

static atomic_t connections, subflows;

struct counted {
	u32 marked;
};

static void counts_init(struct mptcp_sock *msk)
{
	atomic_inc(&connections);
	mptcp_sched_state(msk, struct counted)->marked = 1;
}

static void counts_release(struct mptcp_sock *msk)
{
	atomic_dec(&connections);
}

static void counts_init_subflow(struct mptcp_sock *msk,
				struct mptcp_subflow_context *subflow)
{
	atomic_inc(&subflows);
	mptcp_sched_state(subflow, struct counted)->marked = 1;
}

static void counts_release_subflow(struct mptcp_sock *msk,
				   struct mptcp_subflow_context *subflow)
{
	atomic_dec(&subflows);
}

static int counts_get_send(struct mptcp_sock *msk)
{
	struct mptcp_choice choice = mptcp_choose(msk);

	/* three listening sockets; both ends of one connection, each with two subflows */
	if (!choice.best || atomic_read(&connections) > 5 || atomic_read(&subflows) > 4)
		return -EINVAL;
	if (!mptcp_sched_state(msk, struct counted)->marked ||
	    !mptcp_sched_state(choice.best, struct counted)->marked)
		return -EINVAL;
	return mptcp_send_on(msk, choice.best);
}

static struct mptcp_sched_ops counts_ops = {
	.init		= counts_init,
	.release	= counts_release,
	.init_subflow	= counts_init_subflow,
	.release_subflow = counts_release_subflow,
	.get_send	= counts_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= mptcp_one_segment,
	.name		= "counts",
	.owner		= THIS_MODULE,
};

static int __init counts_register(void)
{
	return mptcp_register_scheduler(&counts_ops);
}
device_initcall(counts_register);

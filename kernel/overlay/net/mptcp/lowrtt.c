// SPDX-License-Identifier: GPL-2.0
/* The scheduler "lowrtt": lowest smoothed round-trip time with window space
 *
 * The default scheduler of the out-of-tree MPTCP v0.91 as Chauvenne and
 * Libioulle (thesis, UCLouvain, 2017, section 2.1.1) describe it: data goes to
 * the subflow with the lowest RTT until its congestion window is full, then to
 * the one with the second lowest, and so on. When no window has room, data waits
 * at the connection, not in a subflow's queue.
 *
 * With sysctl net.mptcp.lowrtt_reinject and net.mptcp.lowrtt_penalise, opportunistic
 * retransmission and penalisation (lowrtt_reinject.c).
 *
 * How this differs:
 *  - v0.91 decides for every segment. Here a decision holds until the window of
 *    the chosen subflow is full (mptcp_sched_ops::quota): as no round-trip time
 *    changes while segments are handed over, the outcome is the same.
 *  - Segments lost and not yet sent again occupy the window, for they go first;
 *    v0.91 instead sends nothing new on a subflow that recovers from a timeout.
 * A subflow without measured RTT comes last; ties go to the older subflow; backup
 * subflows are used when there is no other.
 */

#include "lowrtt.h"
#include "room.h"

static u32 lowrtt_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return mptcp_room(ssk);
}

static u32 lowrtt_key(const struct sock *ssk)
{
	return READ_ONCE(tcp_sk(ssk)->srtt_us) ?: U32_MAX;
}

struct mptcp_subflow_context *lowrtt_best(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool backup = mptcp_is_backup(subflow);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= !backup;
		if (!mptcp_has_room(ssk))
			continue;
		if (!best[backup] ||
		    lowrtt_key(ssk) < lowrtt_key(best[backup]->tcp_sock))
			best[backup] = subflow;
	}
	return best[!regular];
}

static int lowrtt_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow = lowrtt_best(msk);

	if (!subflow)
		return -EINVAL;
	if (lowrtt_blocked(msk)) {
		lowrtt_ask(msk, subflow);
		return -EINVAL;
	}

	/* quota is the bound, not the burst of the default scheduler */
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

static int lowrtt_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk;

	if (lowrtt_blocked(msk) && !lowrtt_reinject(msk))
		return 0;
	ssk = mptcp_subflow_get_retrans(msk);
	if (!ssk)
		return -EINVAL;

	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

static struct mptcp_sched_ops lowrtt = {
	.get_send	= lowrtt_get_send,
	.get_retrans	= lowrtt_get_retrans,
	.quota		= lowrtt_quota,
	.retrans_quota	= lowrtt_retrans_quota,
	.retrans_early	= lowrtt_blocked,
	.push_blocked	= lowrtt_push_blocked,
	.name		= "lowrtt",
	.owner		= THIS_MODULE,
};

static int __init lowrtt_register(void)
{
	return mptcp_register_scheduler(&lowrtt);
}
device_initcall(lowrtt_register);

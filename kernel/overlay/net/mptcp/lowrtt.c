// SPDX-License-Identifier: GPL-2.0
/* The scheduler "lowrtt": lowest smoothed round-trip time with window space
 *
 * This is the default scheduler of the out-of-tree MPTCP v0.91 as Chauvenne and
 * Libioulle describe it (thesis, UCLouvain, 2017, section 2.1.1). Data goes to the
 * subflow with the lowest RTT until its congestion window is full, then to the subflow
 * with the second lowest RTT, and so on. When every congestion window is full, data
 * waits at the connection and not in the queue of a subflow.
 *
 * The sysctls net.mptcp.lowrtt_reinject and net.mptcp.lowrtt_penalise turn on
 * opportunistic retransmission and penalisation (lowrtt_reinject.c).
 *
 * Two differences from v0.91:
 *  - v0.91 decides for every segment. Here a decision holds until the window of the
 *    chosen subflow is full (mptcp_sched_ops::quota). The outcome is the same, because
 *    no round-trip time changes while segments are handed over.
 *  - Lost segments that TCP has not sent again occupy the window, because TCP sends
 *    them first. v0.91 instead sends nothing new on a subflow that recovers from a
 *    timeout.
 *
 * A subflow without a measured RTT comes last. Ties go to the older subflow. Backup
 * subflows are used only when no other subflow works.
 */

#include "cwnd_space.h"
#include "lowrtt_reinject.h"

static u32 lowrtt_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return mptcp_cwnd_space(ssk);
}

static u32 lowrtt_key(const struct sock *ssk)
{
	return READ_ONCE(tcp_sk(ssk)->srtt_us) ?: U32_MAX;
}

/* The subflow to use next; NULL if no congestion window has space. */
static struct mptcp_subflow_context *lowrtt_best(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool backup = mptcp_is_backup(subflow);
		bool space = mptcp_has_cwnd_space(ssk);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, space);
		if (!space)
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

	/* lowrtt_quota() bounds what is sent, not the burst of the default scheduler. */
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

static int lowrtt_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk;

	if (lowrtt_blocked(msk) && !lowrtt_reinject(msk, lowrtt_best(msk)))
		return 0;
	ssk = mptcp_subflow_get_retrans(msk);
	if (!ssk)
		return -EINVAL;

	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

/* With reinjection, an acknowledgement that opens no receive window still makes the
 * kernel call lowrtt_get_send(), which asks for the reinjection. The kernel does not
 * call it when all data is sent, so that case is handled here.
 */
static bool lowrtt_push_blocked(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	if (!lowrtt_reinjects(msk))
		return false;
	if (!mptcp_send_head((struct sock *)msk) && lowrtt_blocked(msk)) {
		subflow = lowrtt_best(msk);
		if (subflow)
			lowrtt_ask(msk, subflow);
	}
	return true;
}

static struct mptcp_sched_ops lowrtt = {
	.get_send	= lowrtt_get_send,
	.get_retrans	= lowrtt_get_retrans,
	.quota		= lowrtt_quota,
	.retrans_quota	= lowrtt_retrans_quota,
	.retrans_early	= lowrtt_retrans_early,
	.push_blocked	= lowrtt_push_blocked,
	.name		= "lowrtt",
	.owner		= THIS_MODULE,
};

static int __init lowrtt_register(void)
{
	return mptcp_register_scheduler(&lowrtt);
}
device_initcall(lowrtt_register);

// SPDX-License-Identifier: GPL-2.0
/* The scheduler "paced": lowest smoothed round-trip time among those with a short queue
 *
 *	T. Gilad, N. Rozen-Schiff, P. B. Godfrey, C. Raiciu, M. Schapira: MPCC:
 *	Online Learning Multipath Transport. CoNEXT 2020, section 6.
 *
 * A controller that sets rates keeps its window so large that it is never full. Data
 * would then all go to the subflow with the lowest round-trip time. Here a subflow is not
 * available while it has as much unsent data queued as it sends in a tenth of a round
 * trip (sysctl net.mptcp.paced_share_permille), or two segments if that is more.
 *
 * The congestion window limits a subflow too, as in "lowrtt" (lowrtt.c). A subflow with a
 * window-based controller sends its data as soon as the window has space, so that hardly
 * anything is queued unsent. There, "paced" is "lowrtt" in small portions.
 *
 * A subflow without a measured round-trip time comes last. Ties go to the older subflow.
 * Backup subflows are used only when no other subflow works.
 */

#include "cwnd_space.h"
#include "lab.h"
#include "quota.h"

/* The bytes that a subflow may still queue; 0 if that is less than one segment. get_send
 * and quota both use this function. While it returns 0, the subflow has data queued, so
 * that acknowledgements will come and ask again.
 */
static u32 paced_space(const struct sock *ssk)
{
	u64 rate = min(READ_ONCE(ssk->sk_pacing_rate), 1UL << 40);
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 mss = READ_ONCE(tp->mss_cache);
	u64 limit, queued;

	limit = mul_u64_u64_div_u64(rate, READ_ONCE(tp->srtt_us), 8 * USEC_PER_SEC);
	limit = mul_u64_u64_div_u64(limit, lab_get(sock_net(ssk), LAB_PACED_SHARE), 1000);
	limit = clamp_t(u64, limit, 2 * mss, INT_MAX);
	queued = (u32)(READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt));
	return limit >= queued + mss ? limit - queued : 0;
}

static u32 paced_key(const struct sock *ssk)
{
	return READ_ONCE(tcp_sk(ssk)->srtt_us) ?: U32_MAX;
}

static int paced_get_send(struct mptcp_sock *msk)
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
		if (!space || !paced_space(ssk))
			continue;
		if (!best[backup] ||
		    paced_key(ssk) < paced_key(best[backup]->tcp_sock))
			best[backup] = subflow;
	}
	subflow = best[!regular];
	if (!subflow)
		return -EINVAL;
	/* the quota bounds what is sent, not the burst of the default scheduler */
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

static int paced_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);

	if (!ssk)
		return -EINVAL;
	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

static u32 paced_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return min(mptcp_cwnd_space(ssk), paced_space(ssk));
}

static struct mptcp_sched_ops paced = {
	.get_send	= paced_get_send,
	.get_retrans	= paced_get_retrans,
	.quota		= paced_quota,
	.name		= "paced",
	.owner		= THIS_MODULE,
};

static int __init paced_register(void)
{
	return mptcp_register_scheduler(&paced);
}
device_initcall(paced_register);

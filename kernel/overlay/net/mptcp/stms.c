// SPDX-License-Identifier: GPL-2.0
/* The scheduler "stms": slide together multipath scheduler
 *
 *	H. Shi, Y. Cui, X. Wang, Y. Hu, M. Dai, F. Wang, K. Zheng: STMS: Improving MPTCP
 *	Throughput Under Heterogeneous Networks. USENIX ATC 2018.
 *
 * The fastest path sends the oldest unsent data. A slower path s sends data that lies a
 * gap further, so that both arrive in order. The gap is what the faster paths f carry
 * while a segment on s is on its way and one on f would not be:
 *
 *	gap_s = sum over f of w_f / RTT_f (RTT_s - RTT_f) / 2
 *
 * The sender measures whether the gap is right. If a segment of s has come at the right
 * time, its acknowledgement acknowledges the data of the connection up to its end. If more
 * is acknowledged, the segment was late by so many bytes, because data behind it had to
 * wait for it. If less is acknowledged, it was early.
 *
 *	correction_s += gain late
 *	ahead_s = gap_s + correction_s
 *
 * The paper leaves open, and this file decides:
 *  - The one-way delay is half of the round-trip time. The correction makes up for paths
 *    where it is not.
 *  - gain is 1/8, as that of TCP's smoothed round-trip time (sysctl
 *    net.mptcp.stms_gain_permille); 0 keeps the computed gap. One segment per round trip
 *    is measured.
 *  - A path that has had a timeout since its last acknowledgement is not among the faster
 *    ones: the others then send its data.
 *  - The gap ends at the next fragment, which has at most 4 KiB (quota.h).
 */

#include "lab.h"
#include "quota.h"
#include "sched_choice.h"
#include "stms.h"

/* @end:	the end of the segment that is measured
 * @reached:	the subflow's sequence number at its end
 * @ahead:	the bytes that the subflow leaves out now
 */
struct stms {
	u64 end;
	s32 correction;
	u32 reached, ahead;
	bool measuring;
};

static bool stms_counts(struct mptcp_subflow_context *subflow)
{
	return mptcp_subflow_active(subflow) && !mptcp_is_backup(subflow) &&
	       !READ_ONCE(inet_csk(subflow->tcp_sock)->icsk_backoff);
}

static void stms_learn(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		       bool missed)
{
	struct stms *stms = mptcp_sched_state(subflow, struct stms);
	const struct tcp_sock *tp = tcp_sk(subflow->tcp_sock);

	if (!stms->measuring || before(READ_ONCE(tp->snd_una), stms->reached))
		return;
	stms->measuring = false;
	if (missed)
		return;
	stms->correction =
		stms_correct(stms->correction, READ_ONCE(msk->snd_una) - stms->end,
			     lab_get(sock_net(subflow->tcp_sock), LAB_STMS_GAIN));
}

/* Called at every acknowledgement, after the connection's own state is updated. While the
 * socket is owned, its subflows may change; what was acknowledged meanwhile is not
 * measured.
 */
static bool stms_push_blocked(struct mptcp_sock *msk)
{
	bool *missed = mptcp_sched_state(msk, bool);
	struct mptcp_subflow_context *subflow;

	if (sock_owned_by_user((struct sock *)msk)) {
		*missed = true;
		return false;
	}
	mptcp_for_each_subflow(msk, subflow)
		stms_learn(msk, subflow, *missed);
	*missed = false;
	return false;
}

/* Computes what @subflow leaves out now. */
static void stms_decide(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	u32 slow = READ_ONCE(tcp_sk(subflow->tcp_sock)->srtt_us);
	struct stms *stms = mptcp_sched_state(subflow, struct stms);
	struct mptcp_subflow_context *other;
	u64 gap = 0;

	mptcp_for_each_subflow(msk, other) {
		const struct tcp_sock *tp = tcp_sk(other->tcp_sock);

		if (other != subflow && stms_counts(other))
			gap += stms_gap((u64)tcp_snd_cwnd(tp) * tp->mss_cache,
					READ_ONCE(tp->srtt_us), slow);
	}
	stms->ahead = gap ? stms_ahead(min_t(u64, gap, STMS_MOST), stms->correction) : 0;
	WRITE_ONCE(subflow->sched_number, stms->ahead);
}

static int stms_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *best[2] = {};
	bool regular = false;

	mptcp_for_each_subflow(msk, subflow) {
		bool space = mptcp_has_cwnd_space(subflow->tcp_sock);
		bool backup = mptcp_is_backup(subflow);

		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, space);
		stms_decide(msk, subflow);
		if (space &&
		    (!best[backup] ||
		     mptcp_choice_key(subflow) < mptcp_choice_key(best[backup])) &&
		    mptcp_ahead_head(msk, mptcp_sched_state(subflow, struct stms)->ahead))
			best[backup] = subflow;
	}
	return mptcp_send_segment_on(msk, best[!regular]);
}

/* Called with the segment that is sent next. */
static u32 stms_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	struct stms *stms = mptcp_sched_state(mptcp_subflow_ctx(ssk), struct stms);
	u32 quota = mptcp_one_segment(msk, ssk);
	const struct mptcp_data_frag *dfrag;

	if (stms->measuring || !stms->ahead)
		return quota;
	dfrag = mptcp_ahead_head(msk, stms->ahead);
	if (dfrag) {
		u32 left = min_t(u32, quota, dfrag->data_len - dfrag->already_sent);

		stms->measuring = true;
		stms->end = dfrag->data_seq + dfrag->already_sent + left;
		stms->reached = tcp_sk(ssk)->write_seq + left;
	}
	return quota;
}

static u32 stms_ahead_of(struct mptcp_sock *msk, struct sock *ssk)
{
	return mptcp_sched_state(mptcp_subflow_ctx(ssk), struct stms)->ahead;
}

static struct mptcp_sched_ops stms = {
	.get_send	= stms_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= stms_quota,
	.ahead		= stms_ahead_of,
	.push_blocked	= stms_push_blocked,
	.publishes	= true,
	.name		= "stms",
	.owner		= THIS_MODULE,
};

static int __init stms_register(void)
{
	return mptcp_register_scheduler(&stms);
}
device_initcall(stms_register);

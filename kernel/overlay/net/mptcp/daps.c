// SPDX-License-Identifier: GPL-2.0
/* The scheduler "daps": delay-aware packet scheduling
 *
 *	N. Kuhn, E. Lochin, A. Mifdaoui, G. Sarwar, O. Mehani, R. Boreli: DAPS: Intelligent
 *	Delay-Aware Packet Scheduling For Multipath Transport. ICC 2014.
 *
 * Data is scheduled in runs. At the start of a run, the windows w_i and round-trip times
 * RTT_i of all subflows are taken, and they count until its end:
 *
 *	length = lcm(RTT_1, ..., RTT_n)
 *	planned_i = w_i length / RTT_i
 *
 * Subflow i sends w_i segments per RTT_i. A segment that it sends in round k, from 0,
 * arrives at k RTT_i + RTT_i / 2. The data is distributed in the order of arrival. So
 * subflow s leaves out the unsent segments of the run that arrive before its next one:
 *
 *	ahead_s = sum over i of max(0, |segments of i that arrive before| - sent_i)
 *
 * A run ends when all of it is sent, or after its length if a subflow with space has sent
 * what was planned for it.
 *
 * The paper leaves open, and this file decides:
 *  - A least common multiple needs whole numbers. Round-trip times count in units of 10 ms
 *    (sysctl net.mptcp.daps_unit_ms), as TCP's clock in the guest. If the run would be
 *    longer than 4096 units, it lasts for the longest round-trip time.
 *  - The delay of a path is half of its round-trip time.
 *  - Where segments arrive at the same time, those of the shorter round-trip time are
 *    first, then those of the older subflow.
 *  - A subflow that has had a timeout since its last acknowledgement is in no run, and
 *    its part of the present one is given to the others. A new subflow waits for the next
 *    run.
 *  - The gap ends at the next fragment, which has at most 4 KiB (quota.h).
 */

#include "daps.h"
#include "lab.h"
#include "quota.h"
#include "sched_choice.h"

/* @number:	of the present run, from 1; of a subflow, that of the run that it is in
 * @began:	in jiffies
 * @length:	in jiffies
 */
struct daps_run {
	u32 number, began, length;
};

/* @cwnd, @rtt:	at the start of the run; segments, units
 * @planned:	segments
 * @mark:	the subflow's sequence number at the start of the run
 * @ahead:	the bytes that the subflow leaves out now
 */
struct daps {
	u32 number, cwnd, rtt, planned, mark, ahead;
};

static bool daps_works(struct mptcp_subflow_context *subflow)
{
	return mptcp_subflow_active(subflow) &&
	       !READ_ONCE(inet_csk(subflow->tcp_sock)->icsk_backoff);
}

static bool daps_regular(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow)
		if (mptcp_subflow_active(subflow) &&
		    mptcp_spares_backups(msk, subflow,
					 mptcp_has_cwnd_space(subflow->tcp_sock)))
			return true;
	return false;
}

/* The segments of the run that a subflow has sent. Options make segments shorter than
 * mss_cache, so a part of a segment counts as one.
 */
static u32 daps_sent(const struct mptcp_subflow_context *subflow, const struct daps *daps)
{
	const struct tcp_sock *tp = tcp_sk(subflow->tcp_sock);

	return DIV_ROUND_UP(READ_ONCE(tp->write_seq) - daps->mark,
			    max(READ_ONCE(tp->mss_cache), 1U));
}

/* The segments that a subflow has still to send; 0 if it is not in the run. */
static u32 daps_left(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	const struct daps_run *run = mptcp_sched_state(msk, struct daps_run);
	const struct daps *daps = mptcp_sched_state(subflow, struct daps);
	u32 sent;

	if (!run->number || daps->number != run->number || !daps_works(subflow))
		return 0;
	sent = daps_sent(subflow, daps);
	return daps->planned - min(daps->planned, sent);
}

static void daps_begin(struct mptcp_sock *msk, bool regular)
{
	u32 unit_ms = lab_get(sock_net((struct sock *)msk), LAB_DAPS_UNIT);
	struct daps_run *run = mptcp_sched_state(msk, struct daps_run);
	struct mptcp_subflow_context *subflow;
	u32 length = 1;
	struct daps *daps;

	run->number++;
	mptcp_for_each_subflow(msk, subflow) {
		const struct tcp_sock *tp = tcp_sk(subflow->tcp_sock);

		if (!daps_works(subflow) || mptcp_is_backup(subflow) == regular)
			continue;
		daps = mptcp_sched_state(subflow, struct daps);
		daps->number = run->number;
		daps->cwnd = tcp_snd_cwnd(tp);
		daps->rtt = daps_units(READ_ONCE(tp->srtt_us) >> 3, unit_ms * USEC_PER_MSEC);
		daps->mark = READ_ONCE(tp->write_seq);
		length = daps_length(length, daps->rtt);
	}
	mptcp_for_each_subflow(msk, subflow) {
		daps = mptcp_sched_state(subflow, struct daps);
		if (daps->number == run->number)
			daps->planned = min_t(u64, U32_MAX,
					      (u64)daps->cwnd * (length / daps->rtt));
	}
	run->began = tcp_jiffies32;
	run->length = msecs_to_jiffies(length * unit_ms);
}

/* Computes what @subflow leaves out before its next segment. */
static void daps_decide(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	struct daps *daps = mptcp_sched_state(subflow, struct daps);
	struct mptcp_subflow_context *other;
	u32 time = daps_arrival(daps_sent(subflow, daps), daps->cwnd, daps->rtt);
	bool older = true;
	u64 segments = 0;

	mptcp_for_each_subflow(msk, other) {
		const struct daps *beside = mptcp_sched_state(other, struct daps);
		u32 before, sent;

		if (other == subflow) {
			older = false;
			continue;
		}
		if (!daps_left(msk, other))
			continue;
		before = daps_before(time,
				     beside->rtt < daps->rtt ||
				     (beside->rtt == daps->rtt && older),
				     beside->cwnd, beside->rtt, beside->planned);
		sent = daps_sent(other, beside);
		segments += before - min(before, sent);
	}
	daps->ahead = min_t(u64, segments * tcp_sk(subflow->tcp_sock)->mss_cache, U32_MAX);
	WRITE_ONCE(subflow->sched_number, daps->ahead);
}

/* @due: set to whether a new run can begin */
static struct mptcp_subflow_context *daps_choose(struct mptcp_sock *msk, bool regular,
						 bool *due)
{
	const struct daps_run *run = mptcp_sched_state(msk, struct daps_run);
	bool over = tcp_jiffies32 - run->began >= run->length;
	struct mptcp_subflow_context *subflow, *best = NULL;
	bool left = false, spare = false;

	mptcp_for_each_subflow(msk, subflow) {
		bool space = mptcp_has_cwnd_space(subflow->tcp_sock);

		if (!mptcp_subflow_active(subflow) || mptcp_is_backup(subflow) == regular)
			continue;
		if (!daps_left(msk, subflow)) {
			spare |= space && daps_works(subflow);
			continue;
		}
		left = true;
		daps_decide(msk, subflow);
		if (space &&
		    (!best || mptcp_choice_key(subflow) < mptcp_choice_key(best)) &&
		    mptcp_ahead_head(msk, mptcp_sched_state(subflow, struct daps)->ahead))
			best = subflow;
	}
	*due = spare && (over || !left);
	return best;
}

static int daps_get_send(struct mptcp_sock *msk)
{
	bool regular = daps_regular(msk), due;
	struct mptcp_subflow_context *subflow = daps_choose(msk, regular, &due);

	if (!subflow && due) {
		daps_begin(msk, regular);
		subflow = daps_choose(msk, regular, &due);
	}
	return mptcp_send_segment_on(msk, subflow);
}

static u32 daps_ahead_of(struct mptcp_sock *msk, struct sock *ssk)
{
	return mptcp_sched_state(mptcp_subflow_ctx(ssk), struct daps)->ahead;
}

static struct mptcp_sched_ops daps_ops = {
	.get_send	= daps_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= mptcp_one_segment,
	.ahead		= daps_ahead_of,
	.publishes	= true,
	.name		= "daps",
	.owner		= THIS_MODULE,
};

static int __init daps_register(void)
{
	return mptcp_register_scheduler(&daps_ops);
}
device_initcall(daps_register);

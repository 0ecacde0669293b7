// SPDX-License-Identifier: GPL-2.0
/* The scheduler "redundant": every subflow sends everything
 *
 * The first copy that arrives counts, so the delay of each byte is the delay of the
 * fastest path at that moment. A subflow continues from its own position, but skips data
 * that the receiver has already acknowledged. A slow subflow therefore carries only some
 * pieces of the data, and a subflow that stops does not delay the others. MPTCP v0.9x
 * offered this scheduler under the same name.
 *
 * A subflow is used while its congestion window has space. Backup subflows are used
 * when there is no other. No subflow sends beyond the receive window.
 */

#include "cwnd_space.h"
#include "protocol.h"
#include "quota.h"

/* The next byte that this subflow has not sent and that is not acknowledged. When a
 * subflow closes, its data is marked as unsent (__mptcp_retransmit_pending_data());
 * that data then is unsent for all subflows.
 */
static u64 redundant_seq(const struct mptcp_sock *msk,
			 const struct mptcp_subflow_context *subflow)
{
	const struct mptcp_data_frag *pending = msk->first_pending;
	u64 acked = READ_ONCE(msk->snd_una);
	u64 seq = subflow->sched_turn ? subflow->sched_seq : acked;

	if (pending && after64(seq, pending->data_seq + pending->already_sent))
		seq = pending->data_seq + pending->already_sent;
	return before64(seq, acked) ? acked : seq;
}

struct mptcp_data_frag *mptcp_copy_head(const struct mptcp_sock *msk,
					const struct mptcp_subflow_context *subflow,
					u16 *sent)
{
	u64 seq = redundant_seq(msk, subflow);
	struct mptcp_data_frag *dfrag;

	list_for_each_entry(dfrag, &msk->rtx_queue, list)
		if (after64(dfrag->data_seq + dfrag->data_len, seq)) {
			*sent = after64(seq, dfrag->data_seq) ?
				seq - dfrag->data_seq : 0;
			return dfrag;
		}
	return NULL;
}

bool mptcp_copy_wanted(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u16 sent;

	mptcp_for_each_subflow(msk, subflow)
		if (mptcp_subflow_active(subflow) &&
		    mptcp_copy_head(msk, subflow, &sent))
			return true;
	return false;
}

static int redundant_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	bool regular = false;
	int err = -EINVAL;
	u16 sent;

	mptcp_for_each_subflow(msk, subflow)
		regular |=
			mptcp_subflow_active(subflow) &&
			mptcp_spares_backups(msk, subflow,
					     mptcp_has_cwnd_space(subflow->tcp_sock));

	mptcp_for_each_subflow(msk, subflow) {
		if (!mptcp_subflow_active(subflow) ||
		    mptcp_is_backup(subflow) == regular ||
		    !mptcp_has_cwnd_space(mptcp_subflow_tcp_sock(subflow)) ||
		    !mptcp_copy_head(msk, subflow, &sent))
			continue;
		mptcp_subflow_set_scheduled(subflow, true);
		err = 0;
	}
	/* the quota limits this subflow, not the default scheduler's burst */
	msk->snd_burst = INT_MAX;
	return err;
}

static int redundant_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);

	if (!ssk)
		return -EINVAL;
	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

static u32 redundant_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	return mptcp_cwnd_space(ssk);
}

/* Copies of data that another subflow has sent fit into the receive window. */
static bool redundant_push_blocked(struct mptcp_sock *msk)
{
	return true;
}

static struct mptcp_sched_ops redundant = {
	.get_send	= redundant_get_send,
	.get_retrans	= redundant_get_retrans,
	.quota		= redundant_quota,
	.push_blocked	= redundant_push_blocked,
	.copies		= true,
	.name		= "redundant",
	.owner		= THIS_MODULE,
};

static int __init redundant_register(void)
{
	return mptcp_register_scheduler(&redundant);
}
device_initcall(redundant_register);

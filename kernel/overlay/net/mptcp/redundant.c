// SPDX-License-Identifier: GPL-2.0
/* The scheduler "redundant": every subflow sends everything
 *
 * What arrives first counts, so that the delay of each byte is that of the fastest
 * path at that moment. A subflow goes on where it is itself, but never behind what
 * the receiver has: what came over another path is not sent any more. So a slow
 * subflow carries every so many-th piece of the data, and one that stops holds up
 * nobody. It is what MPTCP v0.9x offered under this name.
 *
 * A subflow is used while its congestion window has room; backup subflows are used
 * when there is no other. What the receive window forbids is not sent by any.
 */

#include "protocol.h"
#include "quota.h"
#include "room.h"

/* The next byte that this subflow has not sent and that is not acknowledged. Data
 * marked unsent, for a subflow that closed (__mptcp_retransmit_pending_data()), is
 * unsent for all.
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
		regular |= mptcp_subflow_active(subflow) &&
			   !mptcp_is_backup(subflow);

	mptcp_for_each_subflow(msk, subflow) {
		if (!mptcp_subflow_active(subflow) ||
		    mptcp_is_backup(subflow) == regular ||
		    !mptcp_has_room(mptcp_subflow_tcp_sock(subflow)) ||
		    !mptcp_copy_head(msk, subflow, &sent))
			continue;
		mptcp_subflow_set_scheduled(subflow, true);
		err = 0;
	}
	/* quota is the bound, not the burst of the default scheduler */
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
	return mptcp_room(ssk);
}

/* Copies of what another subflow has sent fit into the receive window. */
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

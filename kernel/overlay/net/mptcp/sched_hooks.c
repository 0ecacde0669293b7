// SPDX-License-Identifier: GPL-2.0
/* What quota.h offers to schedulers: data sent ahead, the tail, init and release */

#include "quota.h"

struct mptcp_data_frag *mptcp_ahead_head(const struct mptcp_sock *msk, u32 skip)
{
	struct mptcp_data_frag *dfrag = msk->first_pending;

	if (!dfrag || list_is_singular(&msk->conn_list))
		return dfrag;
	list_for_each_entry_from(dfrag, &msk->rtx_queue, list) {
		u32 unsent = dfrag->data_len - dfrag->already_sent;

		/* what follows lies beyond the receive window, too */
		if (dfrag != msk->first_pending &&
		    !before64(dfrag->data_seq + dfrag->already_sent,
			      READ_ONCE(msk->wnd_end)))
			return NULL;
		if (unsent && !skip)
			return dfrag;
		skip -= min(skip, unsent);
	}
	return NULL;
}

static void mptcp_sent_to(struct mptcp_sock *msk, u64 seq)
{
	if (!after64(seq, msk->snd_nxt))
		return;
	msk->bytes_sent += seq - msk->snd_nxt;
	WRITE_ONCE(msk->snd_nxt, seq);
}

void mptcp_push_next(struct mptcp_sock *msk)
{
	struct mptcp_data_frag *dfrag = msk->first_pending;

	list_for_each_entry_continue(dfrag, &msk->rtx_queue, list) {
		mptcp_sent_to(msk, dfrag->data_seq + dfrag->already_sent);
		if (dfrag->already_sent < dfrag->data_len) {
			msk->first_pending = dfrag;
			return;
		}
	}
	msk->first_pending = NULL;
}

void mptcp_reach_ahead(struct mptcp_sock *msk)
{
	struct mptcp_data_frag *dfrag;

	if (!mptcp_sends_ahead(msk))
		return;
	list_for_each_entry(dfrag, &msk->rtx_queue, list)
		if (dfrag->already_sent)
			mptcp_sent_to(msk, dfrag->data_seq + dfrag->already_sent);
}

void mptcp_tail_ask(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;

	if (!lab_get(sock_net(sk), LAB_SCHED_TAIL) || list_empty(&msk->rtx_queue) ||
	    list_is_singular(&msk->conn_list) || mptcp_sends_copies(msk) ||
	    __mptcp_check_fallback(msk))
		return;
	/* the list of subflows does not change unless the socket is owned */
	if (!sock_owned_by_user(sk) && !mptcp_subflow_get_retrans(msk))
		return;
	WRITE_ONCE(msk->tail_asked, true);
	if (!test_and_set_bit(MPTCP_WORK_RTX, &msk->flags))
		mptcp_schedule_work(sk);
}

void mptcp_sched_meet_all(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->sched_met)
			continue;
		subflow->sched_met = true;
		msk->sched->init_subflow(msk, subflow);
	}
}

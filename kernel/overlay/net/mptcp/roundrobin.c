// SPDX-License-Identifier: GPL-2.0
/* The scheduler "roundrobin": the subflows in turn
 *
 * A turn is sysctl net.mptcp.roundrobin_segments full segments (1). A subflow whose
 * congestion window has no room is passed over, and what is left of its turn is lost
 * if another one begins meanwhile; so on paths that are always full the shares are
 * those of the windows, and the turns only decide when there is a choice. Among
 * subflows with room the one whose last turn is longest ago is next. Backup subflows
 * are used when there is no other.
 *
 * MPTCP v0.9x offered it under this name, with the same two parameters, of which
 * the second (wait for the subflow whose turn it is) is not here.
 */

#include "lab.h"
#include "protocol.h"
#include "quota.h"
#include "room.h"

/* Bytes left of a subflow's turn; less than half a segment, which options of other
 * lengths may leave, is none. sched_turn is the number of the turn, sched_mark where
 * in the subflow's sequence it began, sched_seq the bytes that quota took a segment
 * to have: with another number get_send would find something left where quota does
 * not, and the connection would wait.
 */
static u32 roundrobin_left(const struct sock *ssk)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 mss = subflow->sched_seq;
	u32 used = READ_ONCE(tcp_sk(ssk)->write_seq) - subflow->sched_mark;
	u32 turn = mss * lab_get(sock_net(ssk), LAB_ROUNDROBIN_SEGMENTS);

	if (!subflow->sched_turn || used + mss / 2 >= turn)
		return 0;
	return turn - used;
}

static void roundrobin_begin(struct mptcp_subflow_context *subflow, u64 number)
{
	subflow->sched_turn = number;
	subflow->sched_mark =
		READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->write_seq);
}

static int roundrobin_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow, *current_turn = NULL;
	struct mptcp_subflow_context *next[2] = {};
	bool regular = false;
	u64 turns = 0;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool backup = mptcp_is_backup(subflow);

		if (subflow->sched_turn > turns) {
			turns = subflow->sched_turn;
			current_turn = subflow;
		}
		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= !backup;
		if (mptcp_has_room(ssk) &&
		    (!next[backup] ||
		     subflow->sched_turn < next[backup]->sched_turn))
			next[backup] = subflow;
	}
	/* the one whose turn it is goes on, if it can */
	subflow = current_turn;
	if (!subflow || !mptcp_subflow_active(subflow) ||
	    mptcp_is_backup(subflow) == regular ||
	    !mptcp_has_room(subflow->tcp_sock) ||
	    !roundrobin_left(subflow->tcp_sock)) {
		subflow = next[!regular];
		if (!subflow)
			return -EINVAL;
		roundrobin_begin(subflow, turns + 1);
	}
	/* quota is the bound, not the burst of the default scheduler */
	msk->snd_burst = INT_MAX;
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

static int roundrobin_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);

	if (!ssk)
		return -EINVAL;
	mptcp_subflow_set_scheduled(mptcp_subflow_ctx(ssk), true);
	return 0;
}

static u32 roundrobin_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	mptcp_subflow_ctx(ssk)->sched_seq = tcp_current_mss(ssk);
	return min(mptcp_room(ssk), roundrobin_left(ssk));
}

static struct mptcp_sched_ops roundrobin = {
	.get_send	= roundrobin_get_send,
	.get_retrans	= roundrobin_get_retrans,
	.quota		= roundrobin_quota,
	.name		= "roundrobin",
	.owner		= THIS_MODULE,
};

static int __init roundrobin_register(void)
{
	return mptcp_register_scheduler(&roundrobin);
}
device_initcall(roundrobin_register);

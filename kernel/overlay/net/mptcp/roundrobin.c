// SPDX-License-Identifier: GPL-2.0
/* The scheduler "roundrobin": the subflows in turn
 *
 * A turn is sysctl net.mptcp.roundrobin_segments full segments. A subflow whose
 * congestion window has no space is skipped, and loses the rest of its turn if another
 * turn begins meanwhile. On paths that are always full, the windows therefore determine
 * the shares, and the turns matter only where there is a choice. Among the subflows with
 * space, the one whose last turn is longest ago is next. Backup subflows are used when
 * there is no other.
 *
 * MPTCP v0.9x offered this scheduler under the same name, with two parameters. The
 * second (wait for the subflow whose turn it is) is not implemented here.
 */

#include "cwnd_space.h"
#include "lab.h"
#include "protocol.h"
#include "quota.h"

/* The bytes left in a subflow's turn. Options of varying length can leave less than half
 * a segment, which counts as nothing.
 *
 * sched_turn is the number of the turn, and sched_mark the subflow's sequence number
 * where the turn began. sched_seq is the segment size that quota used. With another size
 * get_send could find bytes left where quota finds none, and the connection would stall.
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
		bool space = mptcp_has_cwnd_space(ssk);

		if (subflow->sched_turn > turns) {
			turns = subflow->sched_turn;
			current_turn = subflow;
		}
		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, space);
		if (space &&
		    (!next[backup] ||
		     subflow->sched_turn < next[backup]->sched_turn))
			next[backup] = subflow;
	}
	/* the subflow whose turn it is continues, if it can */
	subflow = current_turn;
	if (!subflow || !mptcp_subflow_active(subflow) ||
	    mptcp_is_backup(subflow) == regular ||
	    !mptcp_has_cwnd_space(subflow->tcp_sock) ||
	    !roundrobin_left(subflow->tcp_sock)) {
		subflow = next[!regular];
		if (!subflow)
			return -EINVAL;
		roundrobin_begin(subflow, turns + 1);
	}
	/* the quota limits this subflow, not the default scheduler's burst */
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
	return min(mptcp_cwnd_space(ssk), roundrobin_left(ssk));
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

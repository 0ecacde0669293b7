// SPDX-License-Identifier: GPL-2.0
/* The scheduler "weighted": weighted round robin
 *
 *	M. Katevenis, S. Sidiropoulos, C. Courcoubetis: Weighted Round-Robin Cell
 *	Multiplexing in a General-Purpose ATM Switch Chip. IEEE JSAC 9(8), 1991.
 *
 * The subflows take turns. A turn of the subflow of path i is w_i full segments (sysctl
 * net.mptcp.weighted_weight1 to 4; 1 for further paths), so that path i carries
 *
 *	w_i / sum of all w
 *
 * of the data as long as every path can carry that much. Where a path cannot, there are
 * two rules:
 *  - By default a subflow without space in its congestion window is skipped, and loses the
 *    rest of its turn if another turn begins meanwhile. Full windows then determine the
 *    shares.
 *  - With net.mptcp.weighted_strict the sender waits for the subflow whose turn it is. The
 *    shares are exact, and the path that is slowest for its weight sets the pace. It does
 *    not wait for a subflow that has had a timeout since its last acknowledgement.
 *
 * Path 1 is that of the first subflow. Path i has the address id i - 1 at the end that has
 * several addresses, as mpbench and the kernel's path managers number them.
 */

#include "lab.h"
#include "sched_choice.h"

/* @turn:	the number of the subflow's last turn
 * @mark:	the subflow's sequence number where the turn began
 * @mss:	the segment size that quota used. With another size get_send could find
 *		bytes left where quota finds none, and the connection would stall.
 */
struct weighted {
	u64 turn;
	u32 mark, mss;
};

static u32 weighted_weight(const struct mptcp_subflow_context *subflow)
{
	int id = READ_ONCE(subflow->local_id) ?: READ_ONCE(subflow->remote_id);

	if (id < 0 || id > LAB_WEIGHT4 - LAB_WEIGHT1)
		return 1;
	return lab_get(sock_net(subflow->tcp_sock), LAB_WEIGHT1 + id);
}

/* The bytes left in a subflow's turn. Options of varying length can leave less than half
 * a segment, which counts as nothing.
 */
static u32 weighted_left(struct mptcp_subflow_context *subflow)
{
	struct weighted *state = mptcp_sched_state(subflow, struct weighted);
	u32 used = READ_ONCE(tcp_sk(subflow->tcp_sock)->write_seq) - state->mark;
	u32 turn = state->mss * weighted_weight(subflow);

	if (!state->turn || used + state->mss / 2 >= turn)
		return 0;
	return turn - used;
}

static int weighted_get_send(struct mptcp_sock *msk)
{
	bool strict = lab_get(sock_net((struct sock *)msk), LAB_WEIGHTED_STRICT);
	struct mptcp_subflow_context *subflow, *current_turn = NULL;
	struct mptcp_subflow_context *next[2] = {};
	struct weighted *state;
	bool regular = false;
	u64 turns = 0;

	mptcp_for_each_subflow(msk, subflow) {
		bool space = mptcp_has_cwnd_space(subflow->tcp_sock);
		bool backup = mptcp_is_backup(subflow);

		state = mptcp_sched_state(subflow, struct weighted);
		if (state->turn > turns) {
			turns = state->turn;
			current_turn = subflow;
		}
		if (!mptcp_subflow_active(subflow))
			continue;
		regular |= mptcp_spares_backups(msk, subflow, space);
		if (!space && (!strict ||
			       READ_ONCE(inet_csk(subflow->tcp_sock)->icsk_backoff)))
			continue;
		if (!next[backup] ||
		    state->turn < mptcp_sched_state(next[backup], struct weighted)->turn)
			next[backup] = subflow;
	}
	/* the subflow whose turn it is continues, if it can or is waited for */
	subflow = current_turn;
	if (!subflow || !mptcp_subflow_active(subflow) ||
	    mptcp_is_backup(subflow) == regular || !weighted_left(subflow) ||
	    (!mptcp_has_cwnd_space(subflow->tcp_sock) &&
	     (!strict || READ_ONCE(inet_csk(subflow->tcp_sock)->icsk_backoff)))) {
		subflow = next[!regular];
		if (!subflow)
			return -EINVAL;
		if (!mptcp_has_cwnd_space(subflow->tcp_sock))
			return -EINVAL;
		state = mptcp_sched_state(subflow, struct weighted);
		state->turn = turns + 1;
		state->mark = READ_ONCE(tcp_sk(subflow->tcp_sock)->write_seq);
	}
	if (!mptcp_has_cwnd_space(subflow->tcp_sock))
		return -EINVAL;
	return mptcp_send_on(msk, subflow);
}

static u32 weighted_quota(struct mptcp_sock *msk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	mptcp_sched_state(subflow, struct weighted)->mss = tcp_current_mss(ssk);
	return min(mptcp_cwnd_space(ssk), weighted_left(subflow));
}

static struct mptcp_sched_ops weighted = {
	.get_send	= weighted_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= weighted_quota,
	.name		= "weighted",
	.owner		= THIS_MODULE,
};

static int __init weighted_register(void)
{
	return mptcp_register_scheduler(&weighted);
}
device_initcall(weighted_register);

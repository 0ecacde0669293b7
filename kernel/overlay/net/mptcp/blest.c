// SPDX-License-Identifier: GPL-2.0
/* The scheduler "blest": blocking estimation
 *
 *	S. Ferlin, O. Alay, O. Mehani, R. Boreli: BLEST: Blocking Estimation-based MPTCP
 *	Scheduler for Heterogeneous Networks. IFIP Networking 2016.
 *
 * f is the subflow with the lowest round-trip time, s the one with the lowest round-trip
 * time of those with space in their windows. If s is f, it sends. Otherwise a segment on
 * s would occupy the send window of the connection for a round trip of s. Meanwhile f
 * could send, with a window w_f that grows by one segment per round trip:
 *
 *	rounds = RTT_s / RTT_f
 *	X = mss_f (w_f + (rounds - 1) / 2) rounds
 *
 * Where M is the send window, s is left out and f awaited if
 *
 *	X lambda > M - mss_s (inflight_s + 1)
 *
 * lambda corrects X: per round trip of s it grows by a step if the window was full in
 * that time, and falls by a step if not.
 *
 * The paper leaves open, and this file decides:
 *  - lambda starts at 1 (sysctl net.mptcp.blest_lambda_permille), its step is 0.01
 *    (blest_step_permille), and it stays between half and twice its start.
 *  - M is what the receiver allows beyond the oldest unacknowledged byte.
 *  - f is not a subflow that has had a timeout since its last acknowledgement.
 */

#include "blest.h"
#include "lab.h"
#include "sched_choice.h"

/* @lambda:	in thousandths
 * @mark:	when the last round trip of the slow subflow began, in jiffies
 * @full:	whether the window was full since then
 */
struct blest {
	u32 lambda, mark;
	bool full;
};

static void blest_init(struct mptcp_sock *msk)
{
	struct blest *blest = mptcp_sched_state(msk, struct blest);

	blest->lambda = lab_get(sock_net((struct sock *)msk), LAB_BLEST_LAMBDA);
	blest->mark = tcp_jiffies32;
}

static void blest_learn(struct mptcp_sock *msk, u32 rtt_us)
{
	const struct net *net = sock_net((struct sock *)msk);
	struct blest *blest = mptcp_sched_state(msk, struct blest);

	if (tcp_jiffies32 - blest->mark < usecs_to_jiffies(rtt_us))
		return;
	blest->mark = tcp_jiffies32;
	blest->lambda = blest_lambda(blest->lambda, lab_get(net, LAB_BLEST_LAMBDA),
				     lab_get(net, LAB_BLEST_STEP), blest->full);
	blest->full = false;
}

static bool blest_waits(struct mptcp_sock *msk, const struct mptcp_choice *choice)
{
	const struct tcp_sock *f = tcp_sk(choice->fast->tcp_sock);
	const struct tcp_sock *s = tcp_sk(choice->best->tcp_sock);
	u32 rtt_s = READ_ONCE(s->srtt_us), rtt_f = READ_ONCE(f->srtt_us);
	u64 bytes;

	/* the round-trip time of s is not known yet */
	if (!rtt_s)
		return false;
	blest_learn(msk, rtt_s >> 3);
	bytes = blest_bytes(tcp_snd_cwnd(f), f->mss_cache, rtt_f, rtt_s);
	return blest_blocks(bytes, mptcp_sched_state(msk, struct blest)->lambda,
			    READ_ONCE(msk->wnd_end) - READ_ONCE(msk->snd_una),
			    s->mss_cache, tcp_packets_in_flight(s));
}

static int blest_get_send(struct mptcp_sock *msk)
{
	struct mptcp_choice choice = mptcp_choose(msk);

	if (!before64(READ_ONCE(msk->snd_nxt), READ_ONCE(msk->wnd_end)))
		mptcp_sched_state(msk, struct blest)->full = true;
	if (choice.best && choice.best != choice.fast && blest_waits(msk, &choice))
		return -EINVAL;
	return mptcp_send_on(msk, choice.best);
}

/* The kernel shall call get_send when the window is full, too. */
static bool blest_push_blocked(struct mptcp_sock *msk)
{
	return true;
}

static struct mptcp_sched_ops blest = {
	.get_send	= blest_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= mptcp_one_segment,
	.push_blocked	= blest_push_blocked,
	.init		= blest_init,
	.name		= "blest",
	.owner		= THIS_MODULE,
};

static int __init blest_register(void)
{
	return mptcp_register_scheduler(&blest);
}
device_initcall(blest_register);

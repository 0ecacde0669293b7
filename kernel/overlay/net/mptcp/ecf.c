// SPDX-License-Identifier: GPL-2.0
/* The scheduler "ecf": earliest completion first
 *
 *	Y. Lim, E. Nahum, D. Towsley, R. Gibbens: ECF: An MPTCP Path Scheduler to Manage
 *	Heterogeneous Paths. CoNEXT 2017, Algorithm 1.
 *
 * f is the subflow with the lowest round-trip time, s the one with the lowest round-trip
 * time of those with space in their windows. If s is f, it sends. Otherwise, where k is
 * what the connection has to send and no subflow has yet, w are windows, and delta is the
 * larger deviation of the two round-trip times:
 *
 *	(1 + k / w_f) RTT_f < (1 + waiting beta) (RTT_s + delta)	(1)
 *	k / w_s RTT_s >= 2 RTT_f + delta				(2)
 *
 * If (1) and (2) hold, the sender waits for f, and waiting becomes 1. If (1) does not
 * hold, waiting becomes 0. In all other cases s sends.
 *
 * The paper leaves open, and this file decides:
 *  - Less than a window takes one round trip, so k / w is at least 1. Otherwise (2) would
 *    send the last segments of a transfer on any slow path.
 *  - beta is 0.25, as in the paper's experiments (sysctl net.mptcp.ecf_beta_permille).
 *  - The deviation is TCP's mean deviation (mdev).
 *  - f is not a subflow that has had a timeout since its last acknowledgement.
 */

#include "ecf.h"
#include "lab.h"
#include "sched_choice.h"

struct ecf {
	bool waiting;
};

static struct ecf_path ecf_path(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(subflow->tcp_sock);

	return (struct ecf_path){
		.window		= (u64)tcp_snd_cwnd(tp) * tp->mss_cache,
		.rtt		= READ_ONCE(tp->srtt_us) >> 3,
		.deviation	= READ_ONCE(tp->mdev_us) >> 2,
	};
}

static bool ecf_waits(struct mptcp_sock *msk, const struct mptcp_choice *choice)
{
	struct ecf_path f = ecf_path(choice->fast), s = ecf_path(choice->best);
	u64 left = READ_ONCE(msk->write_seq) - READ_ONCE(msk->snd_nxt);

	/* the round-trip time of s is not known yet */
	if (!s.rtt)
		return false;
	return ecf_decide(left, &f, &s,
			  lab_get(sock_net((struct sock *)msk), LAB_ECF_BETA),
			  &mptcp_sched_state(msk, struct ecf)->waiting);
}

static int ecf_get_send(struct mptcp_sock *msk)
{
	struct mptcp_choice choice = mptcp_choose(msk);

	if (choice.best && choice.best != choice.fast && ecf_waits(msk, &choice))
		return -EINVAL;
	return mptcp_send_on(msk, choice.best);
}

static struct mptcp_sched_ops ecf = {
	.get_send	= ecf_get_send,
	.get_retrans	= mptcp_retransmit_as_default,
	.quota		= mptcp_one_segment,
	.name		= "ecf",
	.owner		= THIS_MODULE,
};

static int __init ecf_register(void)
{
	return mptcp_register_scheduler(&ecf);
}
device_initcall(ecf_register);

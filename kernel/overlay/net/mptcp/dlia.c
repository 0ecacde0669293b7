// SPDX-License-Identifier: GPL-2.0
/* D-LIA, LIA with a decrease that depends on the time between losses
 *
 *	T. Lubna, I. Mahmud, Y.-Z. Cho: D-LIA: Dynamic congestion control algorithm for
 *	MPTCP. ICT Express 6(4), 2020.
 *
 *	each ACK:  as RFC 6356 (lia_rfc6356.c)
 *	each loss: the window becomes beta times itself, with beta of dlia.h
 *
 * The equations and numbers are those of the implementation that the authors released for
 * MPTCP in Linux 4.9. The code differs from it as follows.
 *  - beta has 16 fraction bits, where the released code has whole per cent.
 *  - The increase is lia_rfc6356's.
 *  - A single subflow is Reno, also in its decrease.
 */

#include "coupled_core.h"
#include "dlia.h"
#include "lab.h"
#include "lia_rfc6356.h"

static u32 dlia_gain(const struct net *net)
{
	return lab_get(net, LAB_DLIA_GAIN);
}

static u32 dlia_keep_own(const void *private, u32 cwnd, u32 gain_permille)
{
	const struct dlia *dlia = private;
	struct dlia last = { READ_ONCE(dlia->beta), READ_ONCE(dlia->window) };

	return dlia_window(cwnd, dlia_beta(&last, cwnd, gain_permille));
}

static const struct coupled_law dlia_law = {
	.increase	= lia_rfc6356_increase,
	.keep_own	= dlia_keep_own,
	.alpha		= lia_rfc6356_alpha,
	.parameter	= dlia_gain,
	.min_ssthresh	= 2,
	.private	= sizeof(struct dlia),
};

static void dlia_init(struct sock *sk)
{
	coupled_init(sk, &dlia_law);
}

static u32 dlia_ssthresh(struct sock *sk)
{
	u32 cwnd = clamp(tcp_snd_cwnd(tcp_sk(sk)), 1U, COUPLED_CWND_MAX);
	struct dlia *dlia = coupled_private(sk);
	u32 kept = coupled_ssthresh(sk);

	if (dlia && !coupled_alone(sk)) {
		WRITE_ONCE(dlia->beta, dlia_beta(dlia, cwnd, dlia_gain(sock_net(sk))));
		WRITE_ONCE(dlia->window, kept);
	}
	return kept;
}

static struct tcp_congestion_ops dlia_ops __read_mostly = {
	.init		= dlia_init,
	.release	= coupled_release,
	.set_state	= coupled_set_state,
	.pkts_acked	= coupled_pkts_acked,
	.cong_avoid	= coupled_cong_avoid,
	.ssthresh	= dlia_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "dlia",
	.owner		= THIS_MODULE,
};

static int __init dlia_register(void)
{
	return tcp_register_congestion_control(&dlia_ops);
}
device_initcall(dlia_register);

// SPDX-License-Identifier: GPL-2.0
/* wVegas, Weighted Vegas
 *
 *	Y. Cao, M. Xu, X. Fu: Delay-based Congestion Control for Multipath TCP.
 *	ICNP 2012; also Chauvenne and Libioulle (thesis, UCLouvain, 2017), 2.1.2.
 *
 * Once per round trip, on subflow r, with diff_r and alpha_r of wvegas.h:
 *
 *	slow start:	  ends when diff_r > gamma, with w_r = w_r base_r / rtt_r + 1
 *	afterwards:	  diff_r >= alpha_r: alpha_r is computed again from the rates
 *			  diff_r < alpha_r: w_r += 1;  diff_r > alpha_r: w_r -= 1
 *	to drain queues:  q_r = rtt_r - base_r;  the minimum of q_r is kept;  when q_r
 *			  is more than twice the minimum, w_r = w_r base_r / (2 rtt_r)
 *			  and the search for the minimum starts again. Every round trip
 *			  outside slow start counts.
 *	each loss:	  w_r -= w_r / 2
 *
 * The connection thus keeps sysctl net.mptcp.wvegas_total_alpha packets in queues,
 * however many subflows it has, and shifts rate to the paths with shorter queues.
 * gamma is sysctl net.mptcp.wvegas_gamma.
 *
 * With a single subflow, or without MPTCP, alpha_r is total_alpha and nothing is
 * drained. That is Vegas with both of its thresholds at total_alpha.
 *
 * The code differs from the text, or decides what the text leaves open, as follows.
 *  - The weights use the smoothed round-trip times that subflows publish. The windows
 *    of subflows under other coupled controllers count, too, if there are any.
 *  - A new alpha_r applies at once, in the round that computes it.
 *  - A drain changes the window alone, which is all that the text says. Where ssthresh
 *    is above the new window, slow start follows and ends as above.
 *  - The window grows only if it limits the sender, and delay alone never reduces it
 *    below 2 segments. Outside of TCP_CA_Open the window is Reno's, also in slow start.
 *
 * With sysctl net.mptcp.wvegas_rule the code works as that of MPTCP for Linux 0.91
 * (wvegas_end_round_v091() and the functions around it):
 *  - diff_r and alpha_r are cut to whole packets. alpha_r starts at 2 after each change of
 *    the congestion state, and is never below 2.
 *  - Every round after slow start may drain, at q_r of twice the minimum, also where the
 *    subflow is alone. A change of the congestion state forgets the minimum.
 *  - Where the window is equal to ssthresh, the subflow is in slow start, which ends at
 *    ssthresh + 1 as in Linux 4.1.
 *  - At the end of each round ssthresh is set to three quarters of the window if it is
 *    below that. After a drain slow start therefore nearly always follows.
 *  - The window grows also if it does not limit the sender. A round with at most two
 *    samples of the round-trip time is Reno's.
 */

#include <linux/inet_diag.h>

#include "coupled_core.h"
#include "lab.h"
#include "wvegas.h"

struct wvegas {
	struct coupled coupled;	/* must be first: coupled_priv() expects it */
	u64 alpha;		/* 2^-16 segments; 0: not computed yet */
	u64 rtt_sum_us;		/* of this round's samples */
	u32 rtt_count;
	u32 round_end;		/* the round ends when this is acknowledged */
	u32 base_us;		/* the smallest sample ever; U32_MAX: none */
	u32 rtt_us;		/* the last round's average */
	u32 min_queueing_us;	/* since the last drain; U32_MAX: none */
	bool running;		/* false before .init and in recovery */
};

/* What alpha starts with in MPTCP v0.91, and its minimum there; 2^-16 segments */
#define WVEGAS_ALPHA_V091	(2ULL << 16)

static struct wvegas *wvegas_priv(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

static void wvegas_begin_round(const struct sock *sk)
{
	struct wvegas *wv = wvegas_priv(sk);

	wv->round_end = tcp_sk(sk)->snd_nxt;
	wv->rtt_sum_us = 0;
	wv->rtt_count = 0;
}

static bool wvegas_v091(const struct sock *sk)
{
	return lab_get(sock_net(sk), LAB_WVEGAS_RULE);
}

static const struct coupled_law wvegas_law = {
	.min_ssthresh	= 2,
};

static void wvegas_init(struct sock *sk)
{
	struct wvegas *wv = wvegas_priv(sk);

	BUILD_BUG_ON(sizeof(*wv) > offsetof(struct coupled_area, slot));

	memset(wv, 0, sizeof(*wv));
	wv->base_us = U32_MAX;
	wv->min_queueing_us = U32_MAX;
	wv->running = true;
	if (wvegas_v091(sk))
		wv->alpha = WVEGAS_ALPHA_V091;
	wvegas_begin_round(sk);
	coupled_init(sk, &wvegas_law);
}

static void wvegas_set_state(struct sock *sk, u8 new_state)
{
	struct wvegas *wv = wvegas_priv(sk);

	coupled_set_state(sk, new_state);
	if (!wv->base_us)	/* before .init */
		return;
	wv->running = new_state == TCP_CA_Open;
	if (wvegas_v091(sk)) {
		wv->alpha = WVEGAS_ALPHA_V091;
		wv->min_queueing_us = U32_MAX;
	}
	wvegas_begin_round(sk);
}

/* The samples from before an idle period say nothing about the queues now; the
 * smallest sample ever remains valid.
 */
static void wvegas_tx_start(struct sock *sk)
{
	if (wvegas_priv(sk)->base_us)
		wvegas_begin_round(sk);
}

static void wvegas_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct wvegas *wv = wvegas_priv(sk);
	u32 rtt_us;

	coupled_pkts_acked(sk, sample);
	if (!wv->base_us || sample->rtt_us < 0)
		return;
	rtt_us = clamp(sample->rtt_us, 1, (s32)WVEGAS_RTT_MAX);
	wv->base_us = min(wv->base_us, rtt_us);
	wv->rtt_sum_us += rtt_us;
	wv->rtt_count++;
}

static void wvegas_compute_alpha(const struct sock *sk, struct wvegas *wv)
{
	u32 total = lab_get(sock_net(sk), LAB_WVEGAS_ALPHA);
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count = 0;

	if (!coupled_alone(sk))
		count = coupled_snapshot(coupled_own(sk), paths);
	wv->alpha = count > 1 ? wvegas_alpha(paths, count, total) :
				(u64)total << 16;
}

/* Set the window, and ssthresh below it so that slow start does not follow. */
static void wvegas_set_cwnd(struct tcp_sock *tp, u32 cwnd)
{
	cwnd = clamp(cwnd, 2U, tp->snd_cwnd_clamp);
	tcp_snd_cwnd_set(tp, cwnd);
	WRITE_ONCE(tp->snd_ssthresh, min(tp->snd_ssthresh, max(cwnd - 1, 2U)));
}

static void wvegas_avoid(struct sock *sk, struct wvegas *wv, u32 cwnd, u64 diff)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!wv->alpha || diff >= wv->alpha)
		wvegas_compute_alpha(sk, wv);
	if (diff > wv->alpha)
		wvegas_set_cwnd(tp, cwnd - 1);
	else if (diff < wv->alpha && tcp_is_cwnd_limited(sk))
		wvegas_set_cwnd(tp, cwnd + 1);
}

static void wvegas_drain(struct tcp_sock *tp, struct wvegas *wv)
{
	u32 queueing_us = wv->rtt_us - wv->base_us;

	wv->min_queueing_us = min(wv->min_queueing_us, queueing_us);
	if (queueing_us <= 2 * wv->min_queueing_us)
		return;
	tcp_snd_cwnd_set(tp, wvegas_drained(tcp_snd_cwnd(tp), wv->base_us,
					    wv->rtt_us));
	wv->min_queueing_us = U32_MAX;
}

static void wvegas_end_round(struct sock *sk, struct wvegas *wv, u32 acked)
{
	u32 gamma = lab_get(sock_net(sk), LAB_WVEGAS_GAMMA);
	u32 cwnd = min(tcp_snd_cwnd(tcp_sk(sk)), COUPLED_CWND_MAX);
	struct tcp_sock *tp = tcp_sk(sk);
	u64 diff;

	wv->rtt_us = div_u64(wv->rtt_sum_us, wv->rtt_count);
	diff = wvegas_diff(cwnd, wv->base_us, wv->rtt_us);
	if (!tcp_in_slow_start(tp)) {
		wvegas_avoid(sk, wv, cwnd, diff);
		if (!coupled_alone(sk))
			wvegas_drain(tp, wv);
	} else if (diff > (u64)gamma << 16) {
		wvegas_set_cwnd(tp, min(cwnd, wvegas_target(cwnd, wv->base_us,
							    wv->rtt_us) + 1));
	} else if (tcp_is_cwnd_limited(sk)) {
		tcp_slow_start(tp, acked);
	}
	wvegas_begin_round(sk);
	coupled_note(sk, wv->alpha, wv->base_us);
}

/* The new window at the end of a round of MPTCP v0.91 after slow start */
static u32 wvegas_avoid_v091(struct sock *sk, struct wvegas *wv, u32 cwnd, u64 diff)
{
	u32 queueing_us = wv->rtt_us - wv->base_us;
	struct tcp_sock *tp = tcp_sk(sk);

	if (diff >= wv->alpha) {
		wvegas_compute_alpha(sk, wv);
		wv->alpha = max(round_down(wv->alpha, 1ULL << 16),
				WVEGAS_ALPHA_V091);
	}
	if (diff > wv->alpha) {
		cwnd--;
		tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd - 1);
	} else if (diff < wv->alpha) {
		cwnd++;
	}
	wv->min_queueing_us = min(wv->min_queueing_us, queueing_us);
	if (queueing_us >= 2ULL * wv->min_queueing_us) {
		cwnd = wvegas_drained(cwnd, wv->base_us, wv->rtt_us);
		wv->min_queueing_us = U32_MAX;
	}
	return cwnd;
}

static void wvegas_end_round_v091(struct sock *sk, struct wvegas *wv, u32 acked)
{
	u64 gamma = (u64)lab_get(sock_net(sk), LAB_WVEGAS_GAMMA) << 16;
	u32 cwnd = min(tcp_snd_cwnd(tcp_sk(sk)), COUPLED_CWND_MAX);
	struct tcp_sock *tp = tcp_sk(sk);
	u64 diff;

	wv->rtt_us = div_u64(wv->rtt_sum_us, wv->rtt_count);
	diff = round_down(wvegas_diff(cwnd, wv->base_us, wv->rtt_us), 1ULL << 16);
	if (cwnd > tp->snd_ssthresh) {
		cwnd = wvegas_avoid_v091(sk, wv, cwnd, diff);
	} else if (diff > gamma) {
		cwnd = min(cwnd, wvegas_target(cwnd, wv->base_us, wv->rtt_us) + 1);
		tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd - 1);
	} else {
		cwnd = wvegas_slow_start_v091(cwnd, tp->snd_ssthresh, acked);
	}
	tcp_snd_cwnd_set(tp, clamp(cwnd, 2U, tp->snd_cwnd_clamp));
	WRITE_ONCE(tp->snd_ssthresh, tcp_current_ssthresh(sk));
	coupled_note(sk, wv->alpha, wv->base_us);
}

static void wvegas_cong_avoid_v091(struct sock *sk, struct wvegas *wv, u32 ack,
				   u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tcp_snd_cwnd(tp);

	if (!after(ack, wv->round_end)) {
		if (cwnd <= tp->snd_ssthresh)
			cwnd = wvegas_slow_start_v091(cwnd, tp->snd_ssthresh, acked);
		tcp_snd_cwnd_set(tp, min(cwnd, tp->snd_cwnd_clamp));
		return;
	}
	if (wv->rtt_count <= 2)
		tcp_reno_cong_avoid(sk, ack, acked);
	else
		wvegas_end_round_v091(sk, wv, acked);
	wvegas_begin_round(sk);
}

static void wvegas_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct wvegas *wv = wvegas_priv(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!wv->running) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	if (wvegas_v091(sk)) {
		wvegas_cong_avoid_v091(sk, wv, ack, acked);
		return;
	}
	if (after(ack, wv->round_end)) {
		if (wv->rtt_count)
			wvegas_end_round(sk, wv, acked);
		else
			wvegas_begin_round(sk);
	} else if (tcp_in_slow_start(tp) && tcp_is_cwnd_limited(sk)) {
		tcp_slow_start(tp, acked);
	}
}

/* The times that ss -ti shows for Vegas, in microseconds */
static size_t wvegas_get_info(struct sock *sk, u32 ext, int *attr,
			      union tcp_cc_info *info)
{
	const struct wvegas *wv = wvegas_priv(sk);

	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	info->vegas.tcpv_enabled = wv->running;
	info->vegas.tcpv_rttcnt = wv->rtt_count;
	info->vegas.tcpv_rtt = wv->rtt_us;
	info->vegas.tcpv_minrtt = wv->base_us;
	*attr = INET_DIAG_VEGASINFO;
	return sizeof(struct tcpvegas_info);
}

static struct tcp_congestion_ops wvegas_ops __read_mostly = {
	.init		= wvegas_init,
	.release	= coupled_release,
	.set_state	= wvegas_set_state,
	.pkts_acked	= wvegas_pkts_acked,
	.cwnd_event_tx_start = wvegas_tx_start,
	.cong_avoid	= wvegas_cong_avoid,
	.ssthresh	= coupled_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.get_info	= wvegas_get_info,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "wvegas",
	.owner		= THIS_MODULE,
};

static int __init wvegas_register(void)
{
	return tcp_register_congestion_control(&wvegas_ops);
}
device_initcall(wvegas_register);

// SPDX-License-Identifier: GPL-2.0
/* MPCC: Online Learning Multipath Transport
 *
 *	T. Gilad, N. Rozen-Schiff, P. B. Godfrey, C. Raiciu, M. Schapira: MPCC:
 *	Online Learning Multipath Transport. CoNEXT 2020, section 5.
 *
 * Each subflow sets its rate, and no window, by itself. It measures the utility of a
 * rate (mpcc.h) in a monitor interval (mpcc_interval.h) and goes through three states:
 *
 *	slow start:  the rate doubles until the utility falls; then the rate before that
 *	probing:     two pairs of intervals at rate + w and rate - w, in random order,
 *		     where w is a fraction of the connection's total rate; again until
 *		     both pairs agree on a direction
 *	moving:      steps along the gradient in that direction until the utility falls
 *
 * What couples the subflows is that the utility of each contains the total rate. A
 * subflow publishes the rate at which it sends (coupled_core.c), and 0 while it has
 * nothing to send. It reads the others' rates when it begins to probe, and keeps their
 * sum until it probes again.
 *
 * A connection with one subflow, and a TCP without MPTCP, is PCC Vivace with the
 * parameters of MPCC:
 *
 *	M. Dong, T. Meng, D. Zarchy, E. Arslan, Y. Gilad, B. Godfrey, M. Schapira:
 *	PCC Vivace: Online-Learning Congestion Control. NSDI 2018.
 *
 * The paper leaves several choices open. docs/mpcc.md has a table of them, with what the
 * authors' release does; most are parameters (lab_parameters.h).
 *  - The results of an interval come one round trip after it. Meanwhile the subflow
 *    sends at the state's own rate, without measuring.
 *  - The first move begins at the better of the two probing rates, whose utility is the
 *    mean of two intervals.
 *  - A fall of the utility while moving leaves the rate where it is.
 *  - An interval in which the subflow did not send what its rate allows says nothing
 *    about the rate, and is discarded.
 *  - Slow start also ends when the link delivers less than it is sent.
 *  - The window is twice the rate times the round-trip time, so that it limits nothing
 *    but a subflow that gets no acknowledgements.
 *  - Packets leave one by one (sk_gso_max_segs). Linux would otherwise pace bursts of
 *    1 ms, which a short queue drops.
 *
 * Without memory for its state, the subflow runs Reno.
 */

#include "coupled_core.h"
#include "coupled_slot.h"
#include "mpcc_state.h"

static s64 mpcc_evaluate(const struct sock *sk, const struct mpcc *m,
			 const struct mpcc_interval *interval)
{
	struct mpcc_weights weights = {
		.kappa	= mpcc_get(sk, LAB_MPCC_UNIT) ? MPCC_POWER_ONE : MPCC_KAPPA_BYTES,
		.beta	= mpcc_get(sk, LAB_MPCC_BETA),
	};
	u32 loss = mpcc_interval_loss(interval);
	s32 slope = mpcc_interval_slope(interval);
	struct coupled_interval shown = {
		.loss = loss, .slope = slope, .rate = interval->rate,
	};

	if (mpcc_get(sk, LAB_MPCC_VARIANT))
		weights.gamma = mpcc_get(sk, LAB_MPCC_GAMMA);
	if (abs(slope) < mpcc_permille(MPCC_ONE, sk, LAB_MPCC_SLOPE))
		slope = 0;
	if (m->phase == MPCC_SLOW_START) {
		slope = max(slope, 0);
		if (loss < mpcc_permille(MPCC_ONE, sk, LAB_MPCC_START_LOSS))
			loss = 0;
	}
	shown.utility = mpcc_utility(interval->rate, m->others, loss, slope, &weights);
	coupled_note_interval(sk, &shown);
	return shown.utility;
}

/* Hear of the intervals in order. */
static void mpcc_hear(struct sock *sk, struct mpcc *m, const struct rate_sample *rs,
		      u64 now_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct mpcc_interval *interval;
	s64 utility;

	while (m->heard < m->begun) {
		interval = &m->intervals[m->heard];
		if (!mpcc_interval_hear(interval, tp->delivered, tp->lost, now_us,
					rs->rtt_us))
			return;
		utility = mpcc_evaluate(sk, m, interval);
		if (!mpcc_kept_up(interval->end - interval->begin, tp->mss_cache,
				  interval->end_us - interval->begin_us,
				  interval->rate, mpcc_get(sk, LAB_MPCC_SENT))) {
			mpcc_discard(sk, m, interval, utility, now_us);
			return;
		}
		m->utility[m->heard] = utility;
		m->heard++;
	}
}

/* Reno, for a subflow that has no state */
static void mpcc_without_state(struct sock *sk, u32 ack, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (tcp_in_cwnd_reduction(sk))
		tcp_snd_cwnd_set(tp, max(tp->snd_ssthresh, 2U));
	else if (rs->acked_sacked)
		tcp_reno_cong_avoid(sk, ack, rs->acked_sacked);
}

static void mpcc_control(struct sock *sk, u32 ack, int flag,
			 const struct rate_sample *rs)
{
	struct mpcc *m = coupled_private(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u64 now_us = tp->tcp_mstamp;

	if (!m) {
		mpcc_without_state(sk, ack, rs);
		return;
	}
	if (!tp->packets_out && tp->write_seq == tp->snd_nxt) {
		m->idle = true;
		coupled_publish_rate(sk, 0, m->phase);
	}
	if (m->idle || !m->begun)
		return;
	mpcc_hear(sk, m, rs, now_us);
	if (m->heard == m->wanted) {
		mpcc_end_round(sk, m, now_us);
	} else if (!m->intervals[m->begun - 1].end_us && now_us >= m->deadline_us) {
		mpcc_interval_end(&m->intervals[m->begun - 1], mpcc_in_flight_mark(tp),
				  now_us);
		if (m->begun < m->wanted)
			mpcc_begin_interval(sk, m, now_us);
		else
			mpcc_set_rate(sk, m, m->rate);
	} else if (tcp_snd_cwnd(tp) != m->cwnd) {
		tcp_snd_cwnd_set(tp, m->cwnd);
	}
}

/* Called when a packet is sent and no other is in flight; also by a timeout, after which
 * the intervals remain valid.
 */
static void mpcc_tx_start(struct sock *sk)
{
	struct mpcc *m = coupled_private(sk);

	if (!m || !m->idle)
		return;
	m->idle = false;
	mpcc_restart(sk, m, tcp_clock_us());
}

/* A subflow whose acknowledgements stay away is not sending at its rate. */
static void mpcc_set_state(struct sock *sk, u8 new_state)
{
	struct mpcc *m = coupled_private(sk);

	if (m && new_state == TCP_CA_Loss)
		coupled_publish_rate(sk, 0, m->phase);
}

static const struct coupled_law mpcc_law = {
	.min_ssthresh	= 2,
	.private	= sizeof(struct mpcc),
	.plain		= true,
};

static void mpcc_init(struct sock *sk)
{
	struct mpcc *m;

	coupled_init(sk, &mpcc_law);
	m = coupled_private(sk);
	if (!m)
		return;
	m->phase = MPCC_SLOW_START;
	m->idle = true;
	m->gso_max_segs = sk->sk_gso_max_segs;
	m->rate = mpcc_kbps(sk, LAB_MPCC_FIRST_RATE);
	WRITE_ONCE(tcp_sk(sk)->snd_ssthresh, TCP_INFINITE_SSTHRESH);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	mpcc_set_rate(sk, m, m->rate);
	/* the controller was chosen for a connection that is already sending */
	if (tcp_sk(sk)->packets_out)
		mpcc_tx_start(sk);
}

static void mpcc_release(struct sock *sk)
{
	const struct mpcc *m = coupled_private(sk);

	if (m && sk->sk_gso_max_segs == 1)
		WRITE_ONCE(sk->sk_gso_max_segs, m->gso_max_segs);
	coupled_release(sk);
}

static u32 mpcc_ssthresh(struct sock *sk)
{
	return coupled_private(sk) ? TCP_INFINITE_SSTHRESH : tcp_reno_ssthresh(sk);
}

static u32 mpcc_undo_cwnd(struct sock *sk)
{
	return coupled_private(sk) ? tcp_snd_cwnd(tcp_sk(sk)) : tcp_reno_undo_cwnd(sk);
}

static struct tcp_congestion_ops mpcc_ops __read_mostly = {
	.init		= mpcc_init,
	.release	= mpcc_release,
	.set_state	= mpcc_set_state,
	.cwnd_event_tx_start = mpcc_tx_start,
	.cong_control	= mpcc_control,
	.ssthresh	= mpcc_ssthresh,
	.undo_cwnd	= mpcc_undo_cwnd,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "mpcc",
	.owner		= THIS_MODULE,
};

static int __init mpcc_register(void)
{
	return tcp_register_congestion_control(&mpcc_ops);
}
device_initcall(mpcc_register);

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

#include <linux/random.h>

#include "coupled_core.h"
#include "coupled_slot.h"
#include "lab.h"
#include "mpcc.h"
#include "mpcc_interval.h"

#define MPCC_INTERVALS	4
#define MPCC_CWND_MIN	4U

enum mpcc_phase {
	MPCC_SLOW_START = 1,
	MPCC_PROBING,
	MPCC_MOVING,
};

/* In the slot, used with the socket locked only */
struct mpcc {
	u64 rate;		/* the state's own rate */
	u64 others;		/* C, the sum of the others' rates */
	u64 last_rate;		/* of the last interval that counts */
	s64 last_utility;
	u64 deadline_us;	/* when the interval that is being sent ends */
	u32 cwnd;
	u16 gso_max_segs;	/* before it was set to 1 */
	u8 phase;
	u8 begun, heard, wanted;	/* intervals of this round */
	bool idle;		/* nothing is sent or expected */
	bool compared;		/* last_rate and last_utility are set */
	struct mpcc_stride stride;
	u64 plan[MPCC_INTERVALS];	/* their rates */
	s64 utility[MPCC_INTERVALS];
	struct mpcc_interval intervals[MPCC_INTERVALS];
};

static u32 mpcc_get(const struct sock *sk, enum lab_parameter parameter)
{
	return lab_get(sock_net(sk), parameter);
}

static u64 mpcc_kbps(const struct sock *sk, enum lab_parameter parameter)
{
	return div_u64((u64)mpcc_get(sk, parameter) << MPCC_SHIFT, 1000);
}

static u64 mpcc_permille(u64 value, const struct sock *sk, enum lab_parameter parameter)
{
	return div_u64(value * mpcc_get(sk, parameter), 1000);
}

/* Two segments per round trip at least, so that there is something to measure. */
static u64 mpcc_clamp_rate(const struct sock *sk, u64 rate)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 least = mpcc_kbps(sk, LAB_MPCC_LEAST_RATE);

	if (tp->srtt_us)
		least = max(least, div_u64((u64)tp->mss_cache * (2 * 8 * 8) << MPCC_SHIFT,
					   tp->srtt_us));
	return clamp(rate, min(least, MPCC_RATE_MAX), MPCC_RATE_MAX);
}

static u32 mpcc_in_flight_mark(const struct tcp_sock *tp)
{
	return tp->delivered + tp->lost + tcp_packets_in_flight(tp);
}

static void mpcc_set_rate(struct sock *sk, struct mpcc *m, u64 rate)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 bytes = mul_u64_u64_shr(rate, 125000, MPCC_SHIFT);	/* per second */
	u64 window;

	bytes = min_t(u64, bytes, READ_ONCE(sk->sk_max_pacing_rate));
	WRITE_ONCE(sk->sk_pacing_rate, bytes);
	if (sk->sk_gso_max_segs != 1) {	/* initially, and after a change of route */
		m->gso_max_segs = sk->sk_gso_max_segs;
		WRITE_ONCE(sk->sk_gso_max_segs, 1);
	}
	window = mul_u64_u64_shr(rate, tp->srtt_us, MPCC_SHIFT);	/* bits, times 8 */
	window = div_u64(2 * window, 64 * max(tp->mss_cache, 1U));
	if (!tp->srtt_us)
		window = tcp_snd_cwnd(tp);
	m->cwnd = clamp_t(u64, window, MPCC_CWND_MIN, tp->snd_cwnd_clamp);
	tcp_snd_cwnd_set(tp, m->cwnd);
	coupled_publish_rate(sk, m->idle ? 0 : rate, m->phase);
	coupled_note(sk, 0, 0);
}

static void mpcc_begin_interval(struct sock *sk, struct mpcc *m, u64 now_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 length_us = mpcc_permille(max(tp->srtt_us >> 3, 1U), sk, LAB_MPCC_INTERVAL);

	mpcc_interval_begin(&m->intervals[m->begun], m->plan[m->begun],
			    mpcc_in_flight_mark(tp), now_us);
	m->deadline_us = now_us + length_us;
	mpcc_set_rate(sk, m, m->plan[m->begun]);
	m->begun++;
}

/* How far probing moves the rate */
static u64 mpcc_distance(const struct sock *sk, const struct mpcc *m)
{
	return mpcc_permille(min(m->rate + m->others, MPCC_RATE_MAX), sk,
			     LAB_MPCC_PROBE);
}

static u64 mpcc_low_rate(const struct sock *sk, const struct mpcc *m)
{
	return mpcc_clamp_rate(sk, m->rate - min(mpcc_distance(sk, m), m->rate));
}

/* The rates of two pairs. The lower rate is below the higher one, even where the probed
 * distance exceeds the subflow's own rate.
 */
static void mpcc_plan_pairs(const struct sock *sk, struct mpcc *m)
{
	u64 distance = mpcc_distance(sk, m), low = mpcc_low_rate(sk, m);
	u64 high = max(min(m->rate + distance, MPCC_RATE_MAX), low + MPCC_ONE / 100);
	u32 random = get_random_u32();
	unsigned int i;

	for (i = 0; i < MPCC_INTERVALS; i++)
		m->plan[i] = (random >> (i / 2) & 1) == (i & 1) ? high : low;
}

static void mpcc_begin_round(struct sock *sk, struct mpcc *m, u64 now_us)
{
	m->rate = mpcc_clamp_rate(sk, m->rate);
	m->begun = 0;
	m->heard = 0;
	m->wanted = 1;
	m->plan[0] = m->rate;
	if (m->phase == MPCC_PROBING || !m->compared)
		m->others = coupled_other_rates(sk);
	if (m->phase == MPCC_PROBING) {
		m->wanted = MPCC_INTERVALS;
		mpcc_plan_pairs(sk, m);
	}
	mpcc_begin_interval(sk, m, now_us);
}

/* A series of steps ends, so the next one begins with a small step again. */
static void mpcc_probe(struct mpcc *m)
{
	m->phase = MPCC_PROBING;
	mpcc_stride_reset(&m->stride);
}

static void mpcc_move(const struct sock *sk, struct mpcc *m, int direction,
		      s64 gradient)
{
	const struct mpcc_limits limits = {
		.theta		= mpcc_get(sk, LAB_MPCC_THETA),
		.bound		= mpcc_get(sk, LAB_MPCC_BOUND),
		.amplifier	= mpcc_get(sk, LAB_MPCC_AMPLIFIER),
		.least		= mpcc_kbps(sk, LAB_MPCC_LEAST_STEP),
	};
	u64 step = mpcc_step(&m->stride, direction, gradient, m->last_rate,
			     m->last_rate + m->others, &limits);

	m->phase = MPCC_MOVING;
	m->rate = direction < 0 ? m->last_rate - min(step, m->last_rate) :
				  m->last_rate + step;
	m->rate = mpcc_clamp_rate(sk, m->rate);
	if (m->rate == m->last_rate)
		mpcc_probe(m);
}

static void mpcc_end_slow_start(const struct sock *sk, struct mpcc *m)
{
	const struct mpcc_interval *interval = &m->intervals[0];
	bool delivered = mpcc_kept_up(interval->delivered, tcp_sk(sk)->mss_cache,
				      interval->heard_us, interval->rate,
				      mpcc_get(sk, LAB_MPCC_START_DELIVERED));

	if (m->compared && (m->utility[0] < m->last_utility || !delivered)) {
		m->rate = m->last_rate;
		mpcc_probe(m);
		return;
	}
	m->compared = true;
	m->last_rate = m->rate;
	m->last_utility = m->utility[0];
	m->rate = mpcc_clamp_rate(sk, 2 * m->rate);
	if (m->rate == m->last_rate)
		mpcc_probe(m);
}

static void mpcc_end_probing(const struct sock *sk, struct mpcc *m)
{
	s64 gradients[2], gradient;
	unsigned int i, winner;

	for (i = 0; i < 2; i++)
		gradients[i] = mpcc_gradient(m->utility[2 * i], m->plan[2 * i],
					     m->utility[2 * i + 1], m->plan[2 * i + 1]);
	gradient = mpcc_agreed(gradients[0], gradients[1]);
	if (!gradient)
		return;
	winner = (m->plan[0] > m->plan[1]) == (gradient > 0) ? 0 : 1;
	m->last_rate = m->plan[winner];
	m->last_utility = m->utility[winner];
	winner = m->plan[2] == m->last_rate ? 2 : 3;
	m->last_utility = (m->last_utility + m->utility[winner]) / 2;
	m->compared = true;
	mpcc_move(sk, m, gradient > 0 ? 1 : -1, gradient);
}

static void mpcc_end_moving(const struct sock *sk, struct mpcc *m)
{
	int direction = m->rate > m->last_rate ? 1 : -1;
	s64 gradient;

	if (m->utility[0] < m->last_utility) {
		mpcc_probe(m);
		return;
	}
	gradient = mpcc_gradient(m->utility[0], m->rate, m->last_utility, m->last_rate);
	m->last_rate = m->rate;
	m->last_utility = m->utility[0];
	mpcc_move(sk, m, direction, gradient);
}

static void mpcc_end_round(struct sock *sk, struct mpcc *m, u64 now_us)
{
	switch (m->phase) {
	case MPCC_SLOW_START:
		mpcc_end_slow_start(sk, m);
		break;
	case MPCC_PROBING:
		mpcc_end_probing(sk, m);
		break;
	case MPCC_MOVING:
		mpcc_end_moving(sk, m);
		break;
	}
	mpcc_begin_round(sk, m, now_us);
}

/* Begin again after an idle period. */
static void mpcc_restart(struct sock *sk, struct mpcc *m, u64 now_us)
{
	m->compared = false;
	if (m->phase != MPCC_SLOW_START)
		mpcc_probe(m);
	mpcc_begin_round(sk, m, now_us);
}

/* The subflow sent less than its rate allowed, because it had too little data or the
 * receive window was full. That says nothing in favour of the rate, but a loss or a fall
 * of the utility still counts against it. Without this rule, a subflow could stay for
 * ever at a rate that it can never send.
 */
static void mpcc_discard(struct sock *sk, struct mpcc *m,
			 const struct mpcc_interval *interval, s64 utility, u64 now_us)
{
	if (m->phase != MPCC_SLOW_START) {
		if (interval->lost)
			m->rate = mpcc_low_rate(sk, m);
		mpcc_probe(m);
	} else if (m->compared && utility < m->last_utility) {
		m->rate = m->last_rate;
		mpcc_probe(m);
	}
	mpcc_begin_round(sk, m, now_us);
}

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

// SPDX-License-Identifier: GPL-2.0
/* MPCC's rounds: slow start, probing in two pairs of intervals, moving (mpcc.c). */

#include <linux/random.h>

#include "coupled_core.h"
#include "mpcc_state.h"

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

void mpcc_end_round(struct sock *sk, struct mpcc *m, u64 now_us)
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

void mpcc_restart(struct sock *sk, struct mpcc *m, u64 now_us)
{
	m->compared = false;
	if (m->phase != MPCC_SLOW_START)
		mpcc_probe(m);
	mpcc_begin_round(sk, m, now_us);
}

void mpcc_discard(struct sock *sk, struct mpcc *m,
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

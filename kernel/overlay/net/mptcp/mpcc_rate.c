// SPDX-License-Identifier: GPL-2.0
/* MPCC's rate: its parameters and bounds, and how TCP keeps it (mpcc.c). */

#include "coupled_core.h"
#include "mpcc_state.h"

u32 mpcc_get(const struct sock *sk, enum lab_parameter parameter)
{
	return lab_get(sock_net(sk), parameter);
}

u64 mpcc_kbps(const struct sock *sk, enum lab_parameter parameter)
{
	return div_u64((u64)mpcc_get(sk, parameter) << MPCC_SHIFT, 1000);
}

u64 mpcc_permille(u64 value, const struct sock *sk, enum lab_parameter parameter)
{
	return div_u64(value * mpcc_get(sk, parameter), 1000);
}

u64 mpcc_clamp_rate(const struct sock *sk, u64 rate)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 least = mpcc_kbps(sk, LAB_MPCC_LEAST_RATE);

	if (tp->srtt_us)
		least = max(least, div_u64((u64)tp->mss_cache * (2 * 8 * 8) << MPCC_SHIFT,
					   tp->srtt_us));
	return clamp(rate, min(least, MPCC_RATE_MAX), MPCC_RATE_MAX);
}

u32 mpcc_in_flight_mark(const struct tcp_sock *tp)
{
	return tp->delivered + tp->lost + tcp_packets_in_flight(tp);
}

void mpcc_set_rate(struct sock *sk, struct mpcc *m, u64 rate)
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

void mpcc_begin_interval(struct sock *sk, struct mpcc *m, u64 now_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 length_us = mpcc_permille(max(tp->srtt_us >> 3, 1U), sk, LAB_MPCC_INTERVAL);

	mpcc_interval_begin(&m->intervals[m->begun], m->plan[m->begun],
			    mpcc_in_flight_mark(tp), now_us);
	m->deadline_us = now_us + length_us;
	mpcc_set_rate(sk, m, m->plan[m->begun]);
	m->begun++;
}

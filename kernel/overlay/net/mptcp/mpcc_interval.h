/* SPDX-License-Identifier: GPL-2.0 */
/* A monitor interval: which packets belong to it, and what became of them.
 *
 * Boundaries are counts of packets and not sequence numbers. Each transmission, also
 * that of a packet sent again, leaves the flight either as delivered or as lost. Let
 * counted be the sum of both. All packets sent so far have been heard of when counted
 * reaches counted + in_flight of this moment. That sum is the mark at which an interval
 * begins, and likewise the one at which it ends. A packet that was lost and is
 * delivered nevertheless counts twice, which shifts later marks by one packet. Marks
 * are taken again each time, so such errors do not add up.
 *
 * Losses are noticed MPCC_LATE packets late (duplicate acknowledgements, RACK), so both
 * ends are read this much later.
 *
 * Nothing here touches a socket; mpcc.h has the units.
 */
#ifndef _MPTCP_MPCC_INTERVAL_H
#define _MPTCP_MPCC_INTERVAL_H

#include "mpcc.h"

#define MPCC_LATE	3

/* The bounds that keep the sums of the regression within 63 bits. */
#define MPCC_SAMPLES_MAX	(1U << 16)
#define MPCC_TIME_MAX		((1 << 21) - 1)		/* 8 us: 16.7 s */

struct mpcc_interval {
	u64 rate;		/* at which it was sent */
	u64 begin_us, end_us;	/* when it was sent; end_us 0: still being sent */
	u64 heard_us;		/* when hearing began; the time that it took */
	u32 begin, end;		/* marks */
	u32 delivered, lost;	/* when hearing began; how many */
	bool heard;		/* hearing has begun */
	/* sums over the samples, times in 8 us since the first one, for the slope */
	u32 samples;
	u64 first_us;
	s32 first_rtt;
	u64 sum_t, sum_tt;
	s64 sum_r, sum_tr;
};

static inline void mpcc_interval_begin(struct mpcc_interval *interval, u64 rate,
				       u32 mark, u64 now_us)
{
	*interval = (struct mpcc_interval){
		.rate = rate, .begin = mark, .begin_us = now_us,
	};
}

static inline void mpcc_interval_end(struct mpcc_interval *interval, u32 mark,
				     u64 now_us)
{
	interval->end = mark;
	interval->end_us = max(now_us, interval->begin_us + 1);
}

/* A sample belongs to the time at which its packet was sent. */
static inline void mpcc_interval_sample(struct mpcc_interval *interval, u64 now_us,
					s32 rtt_us)
{
	s32 rtt = rtt_us >> 3;
	u64 sent_us = now_us - rtt_us;
	s64 t, r;

	if (!interval->samples) {
		interval->first_us = sent_us;
		interval->first_rtt = rtt;
	}
	if (interval->samples == MPCC_SAMPLES_MAX || sent_us < interval->first_us)
		return;
	t = min((sent_us - interval->first_us) >> 3, (u64)MPCC_TIME_MAX);
	r = min(rtt, MPCC_TIME_MAX) - min(interval->first_rtt, MPCC_TIME_MAX);
	interval->samples++;
	interval->sum_t += t;
	interval->sum_tt += t * t;
	interval->sum_r += r;
	interval->sum_tr += t * r;
}

/* Note what is counted now, and the round-trip time of the packet that was just
 * acknowledged (-1: none). True once all of the interval has been heard of; delivered
 * and lost are then its own, and heard_us is the time that hearing took.
 */
static inline bool mpcc_interval_hear(struct mpcc_interval *interval, u32 delivered,
				      u32 lost, u64 now_us, s32 rtt_us)
{
	u32 counted = delivered + lost;

	if (!interval->heard) {
		if ((s32)(counted - interval->begin) < MPCC_LATE)
			return false;
		interval->heard = true;
		interval->delivered = delivered;
		interval->lost = lost;
		interval->heard_us = now_us;
	}
	if (interval->end_us && (s32)(counted - interval->end) >= MPCC_LATE) {
		interval->delivered = delivered - interval->delivered;
		interval->lost = lost - interval->lost;
		interval->heard_us = now_us - interval->heard_us;
		return true;
	}
	if (rtt_us >= 0)
		mpcc_interval_sample(interval, now_us, rtt_us);
	return false;
}

/* The loss of an interval that was heard, 0 to MPCC_ONE */
static inline u32 mpcc_interval_loss(const struct mpcc_interval *interval)
{
	u64 lost = (u64)interval->lost << MPCC_SHIFT;
	u32 counted = interval->delivered + interval->lost;

	return counted ? div_u64(lost, counted) : 0;
}

/* The slope of the round-trip time over the time of sending, by least squares; 0 where
 * there are too few samples.
 */
static inline s32 mpcc_interval_slope(const struct mpcc_interval *interval)
{
	u64 n = interval->samples, r, cross, spread, slope;
	s64 rise;

	if (n < 3)
		return 0;
	spread = interval->sum_tt -
		 mul_u64_u64_div_u64(interval->sum_t, interval->sum_t, n);
	r = interval->sum_r < 0 ? -interval->sum_r : interval->sum_r;
	cross = mul_u64_u64_div_u64(interval->sum_t, r, n);
	rise = interval->sum_tr -
	       (interval->sum_r < 0 ? -(s64)cross : (s64)cross);
	if (!spread)
		return 0;
	slope = rise < 0 ? -rise : rise;
	if (slope >> 3 >= spread)
		slope = MPCC_SLOPE_MAX;
	else
		slope = mul_u64_u64_div_u64(slope, MPCC_ONE, spread);
	return rise < 0 ? -(s32)slope : (s32)slope;
}

/* @packets of @bytes in @time_us at no less than @permille of @rate. Two packets are
 * added, because acknowledgements come for two packets at a time.
 */
static inline bool mpcc_kept_up(u32 packets, u32 bytes, u64 time_us, u64 rate,
				u32 permille)
{
	u64 bits = (u64)(packets + 2) * bytes * 8;

	time_us = min(time_us, 1ULL << 24);
	return mul_u64_u64_shr(rate, time_us * permille, MPCC_SHIFT) <= bits * 1000;
}

#endif /* _MPTCP_MPCC_INTERVAL_H */

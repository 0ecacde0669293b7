/* SPDX-License-Identifier: GPL-2.0 */
/* State of a subflow that mpcc controls, and what acts on it.
 *
 *   mpcc.c         what TCP calls; the utility of an interval once it has been heard
 *   mpcc_rounds.c  the three states: which rates a round tries, and what follows
 *   mpcc_rate.c    one rate: parameters, bounds, pacing and the window
 *
 * mpcc.c calls the other two, and mpcc_rounds.c calls mpcc_rate.c.
 */
#ifndef _MPTCP_MPCC_STATE_H
#define _MPTCP_MPCC_STATE_H

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

/* mpcc_rate.c */

u32 mpcc_get(const struct sock *sk, enum lab_parameter parameter);

/* A parameter in kbit/s, as a rate. */
u64 mpcc_kbps(const struct sock *sk, enum lab_parameter parameter);

/* The product of @value and a parameter in permille. */
u64 mpcc_permille(u64 value, const struct sock *sk, enum lab_parameter parameter);

/* Two segments per round trip at least, so that there is something to measure. */
u64 mpcc_clamp_rate(const struct sock *sk, u64 rate);

/* The mark (mpcc_interval.h) of this moment. */
u32 mpcc_in_flight_mark(const struct tcp_sock *tp);

/* Pace at @rate, with a window of twice the rate times the round-trip time. */
void mpcc_set_rate(struct sock *sk, struct mpcc *m, u64 rate);

/* Begin the round's next interval, at its planned rate. */
void mpcc_begin_interval(struct sock *sk, struct mpcc *m, u64 now_us);

/* mpcc_rounds.c */

/* Choose the rate that follows from the utilities of a round, and begin the next one. */
void mpcc_end_round(struct sock *sk, struct mpcc *m, u64 now_us);

/* Begin again after an idle period. */
void mpcc_restart(struct sock *sk, struct mpcc *m, u64 now_us);

/* The subflow sent less than its rate allowed, because it had too little data or the
 * receive window was full. That says nothing in favour of the rate, but a loss or a fall
 * of the utility still counts against it. Without this rule, a subflow could stay for
 * ever at a rate that it can never send.
 */
void mpcc_discard(struct sock *sk, struct mpcc *m,
		  const struct mpcc_interval *interval, s64 utility, u64 now_us);

#endif /* _MPTCP_MPCC_STATE_H */

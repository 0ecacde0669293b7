/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of MPCC: x^0.9, the utility, its gradient, and the step that follows.
 *
 * With x for the subflow's rate, C for the sum of the other subflows' rates, X = x + C,
 * L for the loss (0 to 1) and S for the slope of the round-trip time over time:
 *
 *	U = kappa X^0.9 - beta X L - gamma X S			(equation 2)
 *	gradient = (U_k - U_(k-1)) / (x_k - x_(k-1))
 *
 * kappa is 1 where the paper's rates are in Mbit/s. X^0.9 is not homogeneous, so another
 * unit gives another balance between the first term and the others. If the rates of
 * equation 2 are in bytes/s, U divided by 125000 is the U above with
 * kappa = 125000^-0.1 = 0.309.
 *
 * Nothing here touches a socket, so that KUnit and a plain C program can both test it.
 * Rates, utilities, losses and slopes are fixed-point numbers in 2^-20: rates in
 * Mbit/s, from 0 to MPCC_RATE_MAX; losses from 0 to 1; slopes from -8 to 8.
 */
#ifndef _MPTCP_MPCC_H
#define _MPTCP_MPCC_H

#include <linux/types.h>
#include <linux/minmax.h>
#include <linux/math64.h>

#define MPCC_SHIFT		20
#define MPCC_ONE		(1LL << MPCC_SHIFT)
#define MPCC_RATE_MAX		(16384ULL << MPCC_SHIFT)
#define MPCC_SLOPE_MAX		(8 * MPCC_ONE)
#define MPCC_GRADIENT_MAX	(1024 * MPCC_ONE)

/* Fractions of the intermediate results of x^0.9. */
#define MPCC_POWER_SHIFT	30
#define MPCC_POWER_ONE		(1ULL << MPCC_POWER_SHIFT)

/* ln 2 and 125000^-0.1 in 2^-30 */
#define MPCC_LN2		744261118ULL
#define MPCC_KAPPA_BYTES	332054117ULL

/* The weights of the utility; beta and gamma in thousandths, kappa in 2^-30. */
struct mpcc_weights {
	u64 kappa;
	u32 beta;
	u32 gamma;
};

/* How large a step may be; all but @least in thousandths. */
struct mpcc_limits {
	u32 theta;		/* Mbit/s per unit of the gradient */
	u32 bound;		/* of the total rate: the first bound, and its growth */
	u32 amplifier;		/* what the factor grows by from step to step */
	u64 least;		/* rate */
};

/* What the size of a step depends on besides the gradient. */
struct mpcc_stride {
	u32 amplifier;		/* thousandths; the factor is 1 more */
	u32 widened;		/* how often the bound was reached */
	u32 swing;		/* steps that the amplifier still waits */
	int direction;		/* of the last step; 0: none yet */
};

#define MPCC_AMPLIFIER_MAX	1000000U
#define MPCC_WIDENED_MAX	100U
#define MPCC_SWING_MAX		2U

/* log2(x / 2^20) in 2^-30, for x > 0. Squaring the mantissa yields one binary digit of
 * the logarithm at a time.
 */
static inline s64 mpcc_log2(u64 x)
{
	s64 log = 0;
	int msb, i;

	msb = 63 - __builtin_clzll(x);
	x = msb > 31 ? x >> (msb - 31) : x << (31 - msb);
	for (i = 0; i < MPCC_POWER_SHIFT; i++) {
		x = (x * x) >> 31;
		log <<= 1;
		if (x >> 32) {
			x >>= 1;
			log |= 1;
		}
	}
	return log + (msb - MPCC_SHIFT) * (s64)MPCC_POWER_ONE;
}

/* 2^(y / 2^30) in 2^-20, by the Taylor series of exp for the fractional part. */
static inline u64 mpcc_exp2(s64 y)
{
	s64 whole = y >> MPCC_POWER_SHIFT;
	u64 part = y & (MPCC_POWER_ONE - 1);
	u64 sum = MPCC_POWER_ONE;
	int shift, k;

	part = (part * MPCC_LN2) >> MPCC_POWER_SHIFT;
	for (k = 9; k > 0; k--)
		sum = MPCC_POWER_ONE + div_u64((part * sum) >> MPCC_POWER_SHIFT, k);
	shift = MPCC_POWER_SHIFT - MPCC_SHIFT - whole;
	if (shift > 0)
		return shift < 32 ? (sum + (1ULL << (shift - 1))) >> shift : 0;
	return sum << -shift;
}

/* x^0.9. From 1 Mbit/s on the relative error is below 2 * 10^-6. */
static inline u64 mpcc_power(u64 x)
{
	s64 log;

	if (!x)
		return 0;
	log = mpcc_log2(min(x, MPCC_RATE_MAX));
	/* Division rounds towards zero; what matters is that it is monotonic. */
	return mpcc_exp2(log * 9 / 10);
}

/* The utility of rate @x; @others is C. */
static inline s64 mpcc_utility(u64 x, u64 others, u32 loss, s32 slope,
			       const struct mpcc_weights *weights)
{
	u64 total = min(x + others, MPCC_RATE_MAX);
	u64 gain, lost, delay;

	gain = mul_u64_u64_shr(mpcc_power(total), weights->kappa, MPCC_POWER_SHIFT);
	lost = mul_u64_u64_shr(div_u64(total * weights->beta, 1000), loss, MPCC_SHIFT);
	delay = mul_u64_u64_shr(div_u64(total * weights->gamma, 1000),
				slope < 0 ? -(s64)slope : slope, MPCC_SHIFT);
	return (s64)gain - (s64)lost + (slope < 0 ? (s64)delay : -(s64)delay);
}

/* The gradient between two rates that differ */
static inline s64 mpcc_gradient(s64 utility, u64 rate, s64 last_utility, u64 last_rate)
{
	u64 run = rate > last_rate ? rate - last_rate : last_rate - rate;
	bool down = (utility < last_utility) != (rate < last_rate);
	u64 rise, size;

	rise = utility > last_utility ? utility - last_utility : last_utility - utility;
	if (rise >> 10 >= run)
		size = MPCC_GRADIENT_MAX;
	else
		size = mul_u64_u64_div_u64(rise, MPCC_ONE, run);
	return down ? -(s64)size : size;
}

/* Of two gradients with the same sign, the one that is nearer to 0; 0 if the signs
 * differ.
 */
static inline s64 mpcc_agreed(s64 first, s64 second)
{
	if (first > 0 && second > 0)
		return min(first, second);
	if (first < 0 && second < 0)
		return max(first, second);
	return 0;
}

/* Before a new series of steps */
static inline void mpcc_stride_reset(struct mpcc_stride *stride)
{
	stride->amplifier = 0;
	stride->widened = 0;
}

/* The size of the next step in @direction (1 or -1), with the mechanisms that the paper
 * takes from PCC Vivace:
 *  - rate amplifier: theta times the gradient is multiplied by a factor that grows from
 *    step to step;
 *  - swing buffer: after a turn, the factor first stays as it is;
 *  - change bound: a fraction of the connection's total rate, which grows while it is
 *    reached.
 * Down, a step never takes more than half of the rate.
 */
static inline u64 mpcc_step(struct mpcc_stride *stride, int direction, s64 gradient,
			    u64 rate, u64 total, const struct mpcc_limits *limits)
{
	bool turn = stride->direction == -direction;
	u64 bound, step;

	if (turn) {
		mpcc_stride_reset(stride);
		stride->swing = min(stride->swing + 1, MPCC_SWING_MAX);
	}

	step = gradient < 0 ? -gradient : gradient;
	step = div_u64(step * limits->theta, 1000);
	step = mul_u64_u64_div_u64(step, 1000 + stride->amplifier, 1000);

	/* The first step of a series is not amplified, so the factor grows after it. */
	if (!turn && stride->swing)
		stride->swing--;
	else if (!turn)
		stride->amplifier = min(stride->amplifier + limits->amplifier,
					MPCC_AMPLIFIER_MAX);
	stride->direction = direction;
	step = max(step, limits->least);

	bound = div_u64(min(total, MPCC_RATE_MAX) * limits->bound, 1000) *
		(1 + stride->widened);
	if (step > bound) {
		step = bound;
		stride->widened = min(stride->widened + 1, MPCC_WIDENED_MAX);
	} else if (stride->widened) {
		stride->widened--;
	}
	return direction < 0 ? min(step, rate / 2) : step;
}

#endif /* _MPTCP_MPCC_H */

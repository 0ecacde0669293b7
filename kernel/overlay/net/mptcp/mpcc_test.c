// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of MPCC's arithmetic and of its monitor intervals
 *
 * mpcc_vectors.h is computed from the paper's equation by an independent implementation
 * in floating point (tests/kernel_vectors/ of mpbench).
 */

#include <kunit/test.h>

#include "mpcc.h"
#include "mpcc_interval.h"
#include "mpcc_vectors.h"

static void power_test(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mpcc_powers); i++) {
		s64 wanted = mpcc_powers[i].power;
		s64 got = mpcc_power(mpcc_powers[i].x);

		/* 2 * 10^-6, and the rounding of what is below 1 Mbit/s */
		KUNIT_EXPECT_LE_MSG(test, abs(got - wanted), wanted / 500000 + 2,
				    "x %llu", mpcc_powers[i].x);
	}
	KUNIT_EXPECT_EQ(test, mpcc_power(0), 0);
	KUNIT_EXPECT_EQ(test, mpcc_power(U64_MAX), mpcc_power(MPCC_RATE_MAX));
}

static void utility_test(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mpcc_utilities); i++) {
		struct mpcc_weights weights = {
			.kappa = mpcc_utilities[i].mbps ? MPCC_POWER_ONE : MPCC_KAPPA_BYTES,
			.beta = mpcc_utilities[i].beta,
			.gamma = mpcc_utilities[i].gamma,
		};
		s64 got = mpcc_utility(mpcc_utilities[i].x, mpcc_utilities[i].others,
				       mpcc_utilities[i].loss, mpcc_utilities[i].slope,
				       &weights);

		KUNIT_EXPECT_LE_MSG(test, abs(got - mpcc_utilities[i].utility),
				    mpcc_utilities[i].size / 500000 + 4,
				    "x %llu", mpcc_utilities[i].x);
	}
}

/* The vectors are a series: each step depends on those before it. */
static void step_test(struct kunit *test)
{
	static const struct mpcc_limits limits = {
		.theta = 1000, .bound = 50, .amplifier = 2000, .least = MPCC_ONE / 2,
	};
	struct mpcc_stride stride = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mpcc_steps); i++) {
		s64 wanted = mpcc_steps[i].step, got;

		if (mpcc_steps[i].reset)
			mpcc_stride_reset(&stride);
		got = mpcc_step(&stride, mpcc_steps[i].direction, mpcc_steps[i].gradient,
				mpcc_steps[i].rate, mpcc_steps[i].total, &limits);
		KUNIT_EXPECT_LE_MSG(test, abs(got - wanted), wanted / 100000 + 300,
				    "step %u", i);
	}
}

static void gradient_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mpcc_gradient(6, 8, 2, 4), MPCC_ONE);
	KUNIT_EXPECT_EQ(test, mpcc_gradient(2, 4, 6, 8), MPCC_ONE);
	KUNIT_EXPECT_EQ(test, mpcc_gradient(-6, 8, 2, 4), -2 * MPCC_ONE);
	KUNIT_EXPECT_EQ(test, mpcc_gradient(2, 8, 2, 4), 0);
	KUNIT_EXPECT_EQ(test, mpcc_gradient(S64_MAX / 4, 1, S64_MIN / 4, 2),
			-MPCC_GRADIENT_MAX);
	KUNIT_EXPECT_EQ(test, mpcc_agreed(3, 2), 2);
	KUNIT_EXPECT_EQ(test, mpcc_agreed(-3, -2), -2);
	KUNIT_EXPECT_EQ(test, mpcc_agreed(3, -2), 0);
	KUNIT_EXPECT_EQ(test, mpcc_agreed(0, 2), 0);
}

/* One packet per 1000 us; the round-trip time grows by a fifth of the time. Every tenth
 * packet is lost. The counters wrap on the way.
 */
static void interval_test(struct kunit *test)
{
	u32 delivered = U32_MAX - 20, lost = 10, n;
	struct mpcc_interval interval;
	bool complete = false;

	mpcc_interval_begin(&interval, MPCC_ONE, delivered + lost, 0);
	KUNIT_EXPECT_EQ(test, mpcc_interval_slope(&interval), 0);
	mpcc_interval_end(&interval, delivered + lost + 100, 100000);
	for (n = 0; !complete && n < 200; n++) {
		if (n % 10 == 5)
			lost++;
		else
			delivered++;
		complete = mpcc_interval_hear(&interval, delivered, lost,
					      1000000 + 1200 * n, 30000 + 200 * n);
	}
	KUNIT_EXPECT_EQ(test, n, 100 + MPCC_LATE);
	KUNIT_EXPECT_EQ(test, interval.delivered, 90);
	KUNIT_EXPECT_EQ(test, interval.lost, 10);
	KUNIT_EXPECT_EQ(test, mpcc_interval_loss(&interval), MPCC_ONE / 10);
	KUNIT_EXPECT_LE(test, abs(mpcc_interval_slope(&interval) - MPCC_ONE / 5),
			MPCC_ONE / 1000);
}

/* The largest sums that the bounds allow do not wrap. */
static void interval_extremes_test(struct kunit *test)
{
	struct mpcc_interval interval;
	u32 n;

	mpcc_interval_begin(&interval, MPCC_ONE, 0, 0);
	for (n = 0; n < MPCC_SAMPLES_MAX + 10; n++)
		mpcc_interval_sample(&interval, n ? 1ULL << 40 : S32_MAX,
				     n & 1 ? S32_MAX : 0);
	KUNIT_EXPECT_EQ(test, interval.samples, MPCC_SAMPLES_MAX);
	KUNIT_EXPECT_LE(test, abs(mpcc_interval_slope(&interval)), MPCC_SLOPE_MAX);
}

static void kept_up_test(struct kunit *test)
{
	/* 100 Mbit/s for 12 ms are 100 packets of 1500 bytes; two are added */
	KUNIT_EXPECT_TRUE(test, mpcc_kept_up(78, 1500, 12000, 100 * MPCC_ONE, 800));
	KUNIT_EXPECT_FALSE(test, mpcc_kept_up(77, 1500, 12000, 100 * MPCC_ONE, 800));
	KUNIT_EXPECT_FALSE(test, mpcc_kept_up(0, 1500, U64_MAX, MPCC_RATE_MAX, 1000));
}

static struct kunit_case mpcc_cases[] = {
	KUNIT_CASE(power_test),
	KUNIT_CASE(utility_test),
	KUNIT_CASE(step_test),
	KUNIT_CASE(gradient_test),
	KUNIT_CASE(interval_test),
	KUNIT_CASE(interval_extremes_test),
	KUNIT_CASE(kept_up_test),
	{}
};

static struct kunit_suite mpcc_suite = {
	.name = "mptcp-coupled-mpcc",
	.test_cases = mpcc_cases,
};
kunit_test_suite(mpcc_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of MPTCP's congestion control MPCC");

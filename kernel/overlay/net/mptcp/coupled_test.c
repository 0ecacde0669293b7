// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of the coupled controllers' arithmetic.
 *
 * lia_vectors.h is made by an implementation of RFC 6356 of its own, in floating
 * point (tests/kernel_vectors/ of mpbench).
 */

#include <kunit/test.h>

#include "lia.h"
#include "lia_vectors.h"

#define US(us)		((u32)(us) << 3)	/* 1/8 us */
#define SRTT_SHORTEST	US(10)
#define SRTT_LONGEST	US(10000000)

static void lia_describe(const struct lia_vector *vector, char *text)
{
	strscpy(text, vector->name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(lia, lia_vectors, lia_describe);

/* 2^-14 is what the ratios and the rounding up leave of precision at the ends
 * of the range for eight paths.
 */
static void lia_vector_test(struct kunit *test)
{
	const struct lia_vector *vector = test->param_value;
	s64 got = lia_increase(vector->paths, vector->count);

	KUNIT_EXPECT_LE(test, abs(got - vector->increase),
			(vector->increase >> 14) + 1);
}

/* A single path is Reno, whatever its round-trip time. */
static void lia_single_test(struct kunit *test)
{
	struct coupled_path path;

	for (path.cwnd = 1; path.cwnd <= COUPLED_CWND_MAX; path.cwnd *= 2)
		for (path.srtt = SRTT_SHORTEST; path.srtt <= SRTT_LONGEST;
		     path.srtt *= 10)
			KUNIT_EXPECT_EQ(test, lia_increase(&path, 1),
					coupled_reno_increase(path.cwnd));
}

/* N alike paths share one TCP's growth: 1 / (N^2 cwnd) each. */
static void lia_alike_test(struct kunit *test)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, i;

	for (count = 1; count <= COUPLED_PATHS_MAX; count++) {
		for (i = 0; i < count; i++)
			paths[i] = (struct coupled_path){ 100, US(20000) };
		KUNIT_EXPECT_LE(test, abs(lia_increase(paths, count) -
					  COUPLED_ONE / (100 * count * count)), 1);
	}
}

/* A window's worth of Reno's increases is one segment, never less. */
static void reno_window_test(struct kunit *test)
{
	u32 cwnd;

	for (cwnd = 1; cwnd <= COUPLED_CWND_MAX; cwnd = cwnd * 3 / 2 + 1) {
		u64 total = coupled_reno_increase(cwnd) * cwnd;

		KUNIT_EXPECT_GE(test, total, (u64)COUPLED_ONE);
		KUNIT_EXPECT_LT(test, total, (u64)COUPLED_ONE + cwnd);
	}
}

/* All mixtures of the extremes, two to 65 paths: the result is positive, not
 * above Reno's, and not below the formula's least, 1 / (N sum(cwnd)).
 */
static void lia_extremes_test(struct kunit *test)
{
	static const struct coupled_path corners[] = {
		{ 1, SRTT_SHORTEST }, { 1, SRTT_LONGEST },
		{ COUPLED_CWND_MAX, SRTT_SHORTEST },
		{ COUPLED_CWND_MAX, SRTT_LONGEST },
		{ 1, 1 }, { COUPLED_CWND_MAX, COUPLED_SRTT_MAX },
	};
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, own, others, i;

	for (count = 2; count <= COUPLED_PATHS_MAX; count++)
		for (own = 0; own < ARRAY_SIZE(corners); own++)
			for (others = 0; others < ARRAY_SIZE(corners); others++) {
				u64 total = corners[own].cwnd, got, least;

				paths[0] = corners[own];
				for (i = 1; i < count; i++) {
					paths[i] = corners[others];
					total += corners[others].cwnd;
				}
				got = lia_increase(paths, count);
				least = COUPLED_ONE / (count * total);
				least = min(least,
					    coupled_reno_increase(paths[0].cwnd));
				KUNIT_EXPECT_GE(test, got, least - (least >> 12));
				KUNIT_EXPECT_LE(test, got,
						coupled_reno_increase(paths[0].cwnd));
			}
}

static struct kunit_case coupled_cases[] = {
	KUNIT_CASE_PARAM(lia_vector_test, lia_gen_params),
	KUNIT_CASE(lia_single_test),
	KUNIT_CASE(lia_alike_test),
	KUNIT_CASE(lia_extremes_test),
	KUNIT_CASE(reno_window_test),
	{}
};

static struct kunit_suite coupled_suite = {
	.name = "mptcp-coupled",
	.test_cases = coupled_cases,
};
kunit_test_suite(coupled_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of MPTCP's coupled congestion control");

// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of the coupled controllers' arithmetic
 *
 * coupled_vectors.h is computed from the papers' equations by an independent
 * implementation in floating point (tests/kernel_vectors/ of mpbench).
 */

#include <kunit/test.h>

#include "balia.h"
#include "cmpbbr.h"
#include "coupled.h"
#include "dlia.h"
#include "ewtcp.h"
#include "lia.h"
#include "lia_rfc6356.h"
#include "olia.h"
#include "semicoupled.h"
#include "wvegas.h"
#include "coupled_vectors.h"

#define US(us)		((u32)(us) << 3)	/* 1/8 us */
#define SRTT_SHORTEST	US(10)
#define SRTT_LONGEST	US(10000000)

typedef s64 (*increase_t)(const struct coupled_path *paths, unsigned int count,
			  u32 parameter);

static void vector_describe(const struct coupled_vector *vector, char *text)
{
	strscpy(text, vector->name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(vector, coupled_vectors, vector_describe);

/* The ratios and the rounding up leave a precision of 2^-14 at the ends of the range
 * for eight paths.
 */
static void vector_check(struct kunit *test, increase_t increase, u32 parameter,
			 enum vector_increase column)
{
	const struct coupled_vector *vector = test->param_value;
	s64 wanted = vector->increase[column], terms = abs(wanted);
	s64 got = increase(vector->paths, vector->count, parameter);

	if (column == VECTOR_OLIA) {
		s64 first = vector->increase[VECTOR_COUPLED_BALIA];

		terms = first + abs(wanted - first);
	}
	KUNIT_EXPECT_LE(test, abs(got - wanted), (terms >> 14) + 2);
}

#define VECTOR_TEST(_name, _increase, _parameter, _column)			\
static void _name##_vector_test(struct kunit *test)				\
{										\
	vector_check(test, _increase, _parameter, _column);			\
}

VECTOR_TEST(lia_rfc6356, lia_rfc6356_increase, 0, VECTOR_LIA_RFC6356)
VECTOR_TEST(lia, lia_increase, 0, VECTOR_LIA)
VECTOR_TEST(olia, olia_increase, 0, VECTOR_OLIA)
VECTOR_TEST(balia, balia_increase, 0, VECTOR_BALIA)
VECTOR_TEST(ewtcp, ewtcp_increase, 0, VECTOR_EWTCP)
VECTOR_TEST(ewtcp_quarter, ewtcp_increase, 250, VECTOR_EWTCP_QUARTER)
VECTOR_TEST(semicoupled, semicoupled_increase, 1000, VECTOR_SEMICOUPLED)
VECTOR_TEST(semicoupled_half, semicoupled_increase, 500, VECTOR_SEMICOUPLED_HALF)
VECTOR_TEST(semicoupled_balia, semicoupled_increase, 1000 | SEMICOUPLED_BALIA,
	    VECTOR_SEMICOUPLED_BALIA)
VECTOR_TEST(coupled, fully_coupled_increase, 0, VECTOR_COUPLED)
VECTOR_TEST(coupled_balia, fully_coupled_increase, 1, VECTOR_COUPLED_BALIA)
VECTOR_TEST(lia_v091, lia_increase, 1, VECTOR_LIA_V091)

static void keep_vector_test(struct kunit *test)
{
	const struct coupled_vector *vector = test->param_value;
	u32 balia = balia_keep(vector->paths, vector->count, 0);
	u32 balia_v091 = balia_keep(vector->paths, vector->count, 1);
	u32 coupled = fully_coupled_keep(vector->paths, vector->count, 0);

	KUNIT_EXPECT_LE(test, abs((s64)balia - vector->keep[VECTOR_BALIA_KEEP]),
			(vector->paths[0].cwnd >> 14) + 1);
	KUNIT_EXPECT_EQ(test, balia_v091, vector->keep[VECTOR_BALIA_V091_KEEP]);
	KUNIT_EXPECT_EQ(test, coupled, vector->keep[VECTOR_COUPLED_KEEP]);
}

static const struct {
	const char *name;
	increase_t increase;
	u32 parameter;
} laws[] = {
	{ "lia", lia_increase, 0 }, { "lia_rfc6356", lia_rfc6356_increase, 0 },
	{ "olia", olia_increase, 0 }, { "balia", balia_increase, 0 },
	{ "ewtcp", ewtcp_increase, 0 },
	{ "semicoupled", semicoupled_increase, 1000 },
	{ "semicoupled, balia", semicoupled_increase, 1000 | SEMICOUPLED_BALIA },
	{ "coupled", fully_coupled_increase, 0 },
	{ "coupled, balia", fully_coupled_increase, 1 },
};

/* A single path is Reno, whatever its round-trip time. */
static void single_test(struct kunit *test)
{
	struct coupled_path path = { .interloss = 1448 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(laws); i++)
		for (path.cwnd = 1; path.cwnd <= COUPLED_CWND_MAX; path.cwnd *= 2)
			for (path.srtt = SRTT_SHORTEST; path.srtt <= SRTT_LONGEST;
			     path.srtt *= 10) {
				s64 got = laws[i].increase(&path, 1,
							   laws[i].parameter);

				KUNIT_EXPECT_LE_MSG(test,
					abs(got - COUPLED_ONE / path.cwnd), 1,
					"%s", laws[i].name);
			}
}

/* N equal paths share the growth of one TCP, 1 / (N^2 cwnd) each, under lia,
 * lia_rfc6356, olia, balia and the Balia paper's form of coupled.
 */
static void alike_test(struct kunit *test)
{
	static const increase_t laws_sharing[] = {
		lia_rfc6356_increase, lia_increase, olia_increase, balia_increase,
	};
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, i;

	for (count = 1; count <= COUPLED_PATHS_MAX; count++) {
		s64 share = COUPLED_ONE / (100 * count * count);

		for (i = 0; i < count; i++)
			paths[i] = (struct coupled_path){ 100, US(20000), 1448 };
		for (i = 0; i < ARRAY_SIZE(laws_sharing); i++)
			KUNIT_EXPECT_LE(test, abs(laws_sharing[i](paths, count, 0) - share),
					2);
		KUNIT_EXPECT_LE(test, abs(fully_coupled_increase(paths, count, 1) -
					  share), 2);
	}
}

/* Reno's increases over a whole window add up to one segment, never to less. */
static void reno_window_test(struct kunit *test)
{
	u32 cwnd;

	for (cwnd = 1; cwnd <= COUPLED_CWND_MAX; cwnd = cwnd * 3 / 2 + 1) {
		u64 total = coupled_reno_increase(cwnd) * cwnd;

		KUNIT_EXPECT_GE(test, total, (u64)COUPLED_ONE);
		KUNIT_EXPECT_LT(test, total, (u64)COUPLED_ONE + cwnd);
	}
}

/* All mixtures of the extremes, with two to 65 paths. The growth stays within
 * +-1 / cwnd, so that 2^20 segments acknowledged at once fit into 63 bits; OLIA's growth,
 * which has a second term, stays within twice that. At most half of the window remains
 * after a loss. lia's growth is not above lia_rfc6356's, and not below the formula's
 * minimum, 1 / (N sum(cwnd)).
 */
static void extremes_check(struct kunit *test, const struct coupled_path *paths,
			   unsigned int count)
{
	s64 reno = coupled_reno_increase(paths[0].cwnd);
	s64 minimum = div64_u64(COUPLED_ONE, count * coupled_cwnd_sum(paths, count));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(laws); i++) {
		s64 got = laws[i].increase(paths, count, laws[i].parameter);
		s64 maximum = laws[i].increase == olia_increase ? 2 * reno : reno;

		KUNIT_EXPECT_LE_MSG(test, got, maximum + 1, "%s", laws[i].name);
		KUNIT_EXPECT_GE_MSG(test, got, -reno, "%s", laws[i].name);
	}
	minimum = min(minimum, reno);
	KUNIT_EXPECT_GE(test, lia_increase(paths, count, 0),
			minimum - (minimum >> 12));
	KUNIT_EXPECT_LE(test, lia_increase(paths, count, 0),
			lia_rfc6356_increase(paths, count, 0) + (reno >> 14) + 2);
	KUNIT_EXPECT_LE(test, balia_keep(paths, count, 0), paths[0].cwnd / 2);
	KUNIT_EXPECT_GE(test, balia_keep(paths, count, 0), paths[0].cwnd / 4);
	KUNIT_EXPECT_LE(test, fully_coupled_keep(paths, count, 0),
			paths[0].cwnd / 2);
	KUNIT_EXPECT_GT(test, lia_increase(paths, count, 1), 0);
	KUNIT_EXPECT_LE(test, lia_increase(paths, count, 1), reno);
	KUNIT_EXPECT_GE(test, balia_keep(paths, count, 1), paths[0].cwnd / 4);
	KUNIT_EXPECT_LE(test, balia_keep(paths, count, 1),
			paths[0].cwnd - paths[0].cwnd / 2);
}

static void extremes_test(struct kunit *test)
{
	static const struct coupled_path corners[] = {
		{ 1, SRTT_SHORTEST, 0 }, { 1, SRTT_LONGEST, U64_MAX },
		{ COUPLED_CWND_MAX, SRTT_SHORTEST, U64_MAX },
		{ COUPLED_CWND_MAX, SRTT_LONGEST, 1 },
		{ 1, 1, 1 }, { COUPLED_CWND_MAX, COUPLED_SRTT_MAX, 1 },
	};
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count, own, others, i;

	for (count = 2; count <= COUPLED_PATHS_MAX; count++)
		for (own = 0; own < ARRAY_SIZE(corners); own++)
			for (others = 0; others < ARRAY_SIZE(corners); others++) {
				paths[0] = corners[own];
				for (i = 1; i < count; i++)
					paths[i] = corners[others];
				extremes_check(test, paths, count);
			}
}

static void wvegas_test(struct kunit *test)
{
	struct coupled_path paths[2] = { { 30, US(20000) }, { 10, US(20000) } };

	/* 40 segments and 20 ms, 5 ms of them in queues: 10 are queued, 30 in flight */
	KUNIT_EXPECT_EQ(test, wvegas_diff(40, 15000, 20000), 10ULL << 16);
	KUNIT_EXPECT_EQ(test, wvegas_target(40, 15000, 20000), 30);
	KUNIT_EXPECT_EQ(test, wvegas_drained(40, 15000, 20000), 15);
	KUNIT_EXPECT_EQ(test, wvegas_drained(2, 15000, 20000), 2);
	KUNIT_EXPECT_EQ(test, wvegas_diff(40, 15000, 15000), 0);
	KUNIT_EXPECT_EQ(test, wvegas_alpha(paths, 2, 10), 15ULL << 15);
	/* slow start of MPTCP v0.91 ends at ssthresh + 1 */
	KUNIT_EXPECT_EQ(test, wvegas_slow_start_v091(10, 20, 2), 12);
	KUNIT_EXPECT_EQ(test, wvegas_slow_start_v091(20, 20, 0), 20);
	KUNIT_EXPECT_EQ(test, wvegas_slow_start_v091(20, 20, 1), 21);
	KUNIT_EXPECT_EQ(test, wvegas_slow_start_v091(19, 20, 4), 21);
	KUNIT_EXPECT_EQ(test, wvegas_slow_start_v091(2, INT_MAX, 4), 6);
	/* the ends of the range */
	KUNIT_EXPECT_EQ(test, wvegas_diff(COUPLED_CWND_MAX, 1, WVEGAS_RTT_MAX),
			((u64)COUPLED_CWND_MAX << 16) - 512);
	paths[1] = (struct coupled_path){ COUPLED_CWND_MAX, 1 };
	paths[0].srtt = COUPLED_SRTT_MAX;
	KUNIT_EXPECT_EQ(test, wvegas_alpha(paths, 2, 10000), 0);
}

/* Windows at five loss events, and what remains: worked by hand from the equations */
static void dlia_test(struct kunit *test)
{
	static const u32 windows[] = { 10, 10, 6, 3, 2 }, kept[] = { 5, 5, 3, 2, 1 };
	struct dlia last = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		last.beta = dlia_beta(&last, windows[i], 250);
		last.window = dlia_window(windows[i], last.beta);
		KUNIT_EXPECT_EQ(test, last.window, kept[i]);
	}
	/* beta is 1/2, 1/2, 7/12, 11/16, 49/64, each cut to 2^-16 */
	KUNIT_EXPECT_LE(test, abs((int)last.beta - (49 << 10)), 4);
	/* the bounds, and the ends of the range */
	for (i = 0; i < 20; i++) {
		last.beta = dlia_beta(&last, 7, 1000);
		last.window = 7;
	}
	KUNIT_EXPECT_EQ(test, last.beta, DLIA_GREATEST);
	KUNIT_EXPECT_EQ(test, dlia_beta(&last, COUPLED_CWND_MAX, 1000), DLIA_LEAST);
	KUNIT_EXPECT_EQ(test, dlia_window(COUPLED_CWND_MAX, DLIA_LEAST),
			COUPLED_CWND_MAX / 2);
	KUNIT_EXPECT_EQ(test, dlia_window(1, DLIA_GREATEST), 0);
}

/* Worked by hand: 80 and 120 differ from 100 by a fifth of it, 79 and 121 by more */
static void cmpbbr_test(struct kunit *test)
{
	static const u32 bw[] = { 100, 80, 120, 79, 121, 0 };
	static const u32 two[] = { 40, 100 }, equal[] = { 100, 100 }, lone[] = { 100, 0 };
	static const u32 ends[] = { U32_MAX, U32_MAX, 1 };

	KUNIT_EXPECT_EQ(test, cmpbbr_alike(bw, 6, 200), 3);
	KUNIT_EXPECT_EQ(test, cmpbbr_alike(bw, 6, 0), 1);
	KUNIT_EXPECT_EQ(test, cmpbbr_alike(ends, 3, 1000), 3);
	KUNIT_EXPECT_EQ(test, cmpbbr_alike(ends, 3, 999), 2);

	/* alike in two cycles; one cycle that differs keeps the number */
	KUNIT_EXPECT_EQ(test, cmpbbr_divisor(2, 0), 1);
	KUNIT_EXPECT_EQ(test, cmpbbr_divisor(2, 1), 1);
	KUNIT_EXPECT_EQ(test, cmpbbr_divisor(3, 2), 3);
	KUNIT_EXPECT_EQ(test, cmpbbr_divisor(1, 3), 3);
	KUNIT_EXPECT_EQ(test, cmpbbr_divisor(1, 1), 1);

	/* 59 of 100 is less than 0.6, and 60 is not */
	KUNIT_EXPECT_TRUE(test, cmpbbr_no_benefit(two, 2, 59, 600));
	KUNIT_EXPECT_FALSE(test, cmpbbr_no_benefit(two, 2, 60, 600));
	KUNIT_EXPECT_FALSE(test, cmpbbr_no_benefit(equal, 2, 0, 600));
	KUNIT_EXPECT_FALSE(test, cmpbbr_no_benefit(lone, 2, 0, 600));
	KUNIT_EXPECT_TRUE(test, cmpbbr_no_benefit(ends, 3, U32_MAX - 1, 1000));
	KUNIT_EXPECT_FALSE(test, cmpbbr_no_benefit(ends, 3, cmpbbr_delivery(U32_MAX, 1),
						   1000));

	KUNIT_EXPECT_TRUE(test, cmpbbr_slowest(two, 2));
	KUNIT_EXPECT_FALSE(test, cmpbbr_slowest(bw, 6));
	KUNIT_EXPECT_FALSE(test, cmpbbr_slowest(equal, 2));
	KUNIT_EXPECT_FALSE(test, cmpbbr_slowest(lone, 2));

	/* 3 packets in 2 us */
	KUNIT_EXPECT_EQ(test, cmpbbr_delivery(3, 2), 3ULL << 23);
	KUNIT_EXPECT_EQ(test, cmpbbr_delivery(3, 0), 0);
}

static struct kunit_case coupled_cases[] = {
	KUNIT_CASE_PARAM(lia_rfc6356_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(lia_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(olia_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(balia_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(ewtcp_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(ewtcp_quarter_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(semicoupled_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(semicoupled_half_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(semicoupled_balia_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(coupled_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(coupled_balia_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(lia_v091_vector_test, vector_gen_params),
	KUNIT_CASE_PARAM(keep_vector_test, vector_gen_params),
	KUNIT_CASE(single_test),
	KUNIT_CASE(alike_test),
	KUNIT_CASE(extremes_test),
	KUNIT_CASE(reno_window_test),
	KUNIT_CASE(wvegas_test),
	KUNIT_CASE(dlia_test),
	KUNIT_CASE(cmpbbr_test),
	{}
};

static struct kunit_suite coupled_suite = {
	.name = "mptcp-coupled",
	.test_cases = coupled_cases,
};
kunit_test_suite(coupled_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of MPTCP's coupled congestion control");

// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of segments on a link: their frames beside the same frames as packets */

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/tcp.h>
#include <net/ip.h>

#include "fabric_segments_test.h"

#define MBPS		1000000ULL
#define ROUNDS		400
#define GATHER_NS	(50 * NSEC_PER_USEC)

static struct fabric_link *test_link(struct kunit *test, const struct fabric_queue *queue)
{
	struct fabric_link *link = kunit_kzalloc(test, sizeof(*link), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, link);
	link->queue = *queue;
	prandom_seed_state(&link->queue.random, 9);
	return link;
}

/* The same frames, each a packet of its own */
static void test_enter_frames(struct kunit *test, struct fabric_link *link, u64 now,
			      u32 bytes)
{
	struct sk_buff *skb;
	u32 size;

	for (; bytes; bytes -= size) {
		size = min(bytes, MSS);
		skb = alloc_skb(HEADER, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		fabric_item(skb)->kind = FABRIC_PACKET;
		fabric_item(skb)->bytes = HEADER + size;
		fabric_enter(fabric_item(skb), link, now);
	}
}

static void test_enter_segment(struct kunit *test, struct fabric_link *link, u64 now,
			       u32 bytes)
{
	struct sk_buff *skb;

	if (bytes <= MSS) {
		test_enter_frames(test, link, now, bytes);
		return;
	}
	skb = test_segment(test, bytes);
	KUNIT_ASSERT_TRUE(test, fabric_can_cut(skb));
	KUNIT_ASSERT_EQ(test, fabric_frames_of(skb), DIV_ROUND_UP(bytes, MSS));
	fabric_enter_segment(skb, NULL, link, now);
}

/* The frames of a part are gathered, fit its headers, and are in order. */
static void test_part(struct kunit *test, struct sk_buff *skb)
{
	const struct fabric_train *train = fabric_train(fabric_item(skb));
	u32 at = ntohl(tcp_hdr(skb)->seq) - 1000, bytes = 0;
	unsigned int frame;

	for (frame = 0; frame < train->count; frame++)
		bytes += fabric_train_bytes(train, frame);
	KUNIT_ASSERT_EQ(test, bytes, fabric_item(skb)->bytes);
	KUNIT_ASSERT_EQ(test, bytes, skb->len + (train->count - 1) * HEADER);
	KUNIT_ASSERT_EQ(test, at % MSS, 0);
	if (train->count == 1)
		KUNIT_ASSERT_FALSE(test, skb_is_gso(skb));
	else
		KUNIT_ASSERT_EQ(test, fabric_frames_of(skb), train->count);
	KUNIT_ASSERT_LE(test, train->times[frame - 1].arrives - train->times[0].arrives,
			GATHER_NS);
	if (at) {
		KUNIT_ASSERT_EQ(test, ntohs(ip_hdr(skb)->id), (u16)(65530 + at / MSS));
		KUNIT_ASSERT_FALSE(test, tcp_hdr(skb)->cwr);
	}
}

/* Every frame has the times of the packet beside it. */
static void test_compare(struct kunit *test, const struct fabric_link *whole,
			 const struct fabric_link *single)
{
	struct fabric_item *one = single->head, *item;
	struct fabric_times own, *times;
	struct fabric_train *train;
	unsigned int frame;

	for (item = whole->head; item; item = item->next) {
		own.begins = item->begins;
		own.leaves = item->leaves;
		own.arrives = item->arrives;
		train = fabric_train(item);
		if (train)
			test_part(test, fabric_skb(item));
		for (frame = 0; frame < fabric_frames(item); frame++, one = one->next) {
			times = train ? &train->times[frame] : &own;
			KUNIT_ASSERT_NOT_NULL(test, one);
			KUNIT_ASSERT_EQ(test, times->begins, one->begins);
			KUNIT_ASSERT_EQ(test, times->leaves, one->leaves);
			KUNIT_ASSERT_EQ(test, times->arrives, one->arrives);
		}
	}
	KUNIT_ASSERT_NULL(test, one);
}

static void test_count(struct kunit *test, const struct fabric_link *whole,
		       const struct fabric_link *single)
{
	KUNIT_ASSERT_EQ(test, whole->queue.bytes, single->queue.bytes);
	KUNIT_ASSERT_EQ(test, whole->queue.packets, single->queue.packets);
	KUNIT_ASSERT_EQ(test, whole->lost, single->lost);
	KUNIT_ASSERT_EQ(test, whole->red, single->red);
	KUNIT_ASSERT_EQ(test, whole->full, single->full);
	KUNIT_ASSERT_EQ(test, whole->most_bytes, single->most_bytes);
	KUNIT_ASSERT_EQ(test, whole->waited, single->waited);
}

static void test_beside(struct kunit *test, const struct fabric_queue *queue)
{
	struct fabric_link *whole = test_link(test, queue), *single = test_link(test, queue);
	struct rnd_state random;
	unsigned int round;
	u64 now = 1;
	u32 bytes;

	single->id = 1;
	KUNIT_ASSERT_EQ(test, fabric_heap_grow(2), 0);
	fabric_offload(true, GATHER_NS);
	prandom_seed_state(&random, 6);
	for (round = 0; round < ROUNDS; round++) {
		now += prandom_u32_state(&random) % 400000;
		bytes = 1 + prandom_u32_state(&random) % 64000;
		test_enter_segment(test, whole, now, bytes);
		test_enter_frames(test, single, now, bytes);
		test_count(test, whole, single);
		now += prandom_u32_state(&random) % 100000;
		fabric_line_settle(whole, now);
		fabric_line_settle(single, now);
		test_count(test, whole, single);
	}
	test_compare(test, whole, single);
	fabric_offload(false, 0);
	fabric_line_free(whole);
	fabric_line_free(single);
	fabric_heap_drop();
	fabric_heap_drop();
	fabric_heap_free();
}

/* 1 Gbit/s for a load of 1.3 Gbit/s */
static const struct fabric_queue usual = {
	.rate.bps = 1000 * MBPS, .delay_ns = NSEC_PER_MSEC, .limit_bytes = 100 * 1514,
};

static void fabric_segments_plain_test(struct kunit *test)
{
	test_beside(test, &usual);
}

static void fabric_segments_bucket_test(struct kunit *test)
{
	struct fabric_queue queue = usual;

	queue.delay_first = true;
	queue.burst = 3028;
	queue.credit = 3028;
	test_beside(test, &queue);
}

static void fabric_segments_jitter_test(struct kunit *test)
{
	struct fabric_queue queue = usual;

	queue.jitter_ns = 200 * NSEC_PER_USEC;
	test_beside(test, &queue);
	queue.delay_first = true;
	test_beside(test, &queue);
	queue.burst = 3028;
	queue.credit = 3028;
	test_beside(test, &queue);
}

static void fabric_segments_loss_test(struct kunit *test)
{
	struct fabric_queue queue = usual;

	queue.loss = (1ULL << 32) / 50;
	test_beside(test, &queue);
	queue.jitter_ns = 200 * NSEC_PER_USEC;
	queue.delay_first = true;
	test_beside(test, &queue);
}

static void fabric_segments_red_test(struct kunit *test)
{
	struct fabric_queue queue = usual;

	queue.limit_bytes = 0;
	queue.limit_packets = 90;
	queue.red.min = 20 << 16;
	queue.red.max = 50 << 16;
	test_beside(test, &queue);
	queue.loss = (1ULL << 32) / 50;
	queue.jitter_ns = 200 * NSEC_PER_USEC;
	queue.delay_first = true;
	queue.burst = 3028;
	queue.credit = 3028;
	test_beside(test, &queue);
}

/* A link that is out for good in the midst of the test, so that some times never come */
static void fabric_segments_steps_test(struct kunit *test)
{
	static struct fabric_step steps[] = {
		{ 0, 1000 * MBPS }, { 20 * NSEC_PER_MSEC, 100 * MBPS },
		{ 40 * NSEC_PER_MSEC, 2000 * MBPS }, { 60 * NSEC_PER_MSEC, 0 },
	};
	struct fabric_queue queue = usual;

	queue.rate.steps = steps;
	queue.rate.count = ARRAY_SIZE(steps);
	test_beside(test, &queue);
	queue.delay_first = true;
	queue.burst = 3028;
	queue.credit = 3028;
	test_beside(test, &queue);
}

static struct kunit_case fabric_segments_cases[] = {
	KUNIT_CASE(fabric_segments_plain_test),
	KUNIT_CASE(fabric_segments_bucket_test),
	KUNIT_CASE(fabric_segments_jitter_test),
	KUNIT_CASE(fabric_segments_loss_test),
	KUNIT_CASE(fabric_segments_red_test),
	KUNIT_CASE(fabric_segments_steps_test),
	{}
};

static struct kunit_suite fabric_segments_suite = {
	.name		= "lab-fabric-segments",
	.test_cases	= fabric_segments_cases,
};
kunit_test_suite(fabric_segments_suite);

MODULE_DESCRIPTION("KUnit suite of the fabric's segments");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of the fabric's queues, of its heap and of the packets on a link */

#include <kunit/test.h>
#include <linux/module.h>

#include "fabric.h"

#define FRAME		1514U
#define MBPS		1000000ULL
#define ARRIVALS	20000

static struct fabric_queue *test_queue(struct kunit *test, u64 bps)
{
	struct fabric_queue *queue = kunit_kzalloc(test, sizeof(*queue), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, queue);
	queue->rate.bps = bps;
	prandom_seed_state(&queue->random, 1);
	return queue;
}

/* Beside the packet that is being sent, exactly @limit_bytes wait. */
static void fabric_limit_test(struct kunit *test)
{
	struct fabric_queue *queue = test_queue(test, 10 * MBPS);
	struct fabric_times times;
	unsigned int at;

	queue->limit_bytes = 3 * FRAME;
	queue->delay_ns = 5 * NSEC_PER_MSEC;
	for (at = 0; at < 4; at++) {
		KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, 7, FRAME, &times),
				FABRIC_ACCEPTED);
		KUNIT_EXPECT_EQ(test, times.begins, 7 + at * 1211200ULL);
		KUNIT_EXPECT_EQ(test, times.leaves, times.begins + 1211200);
		KUNIT_EXPECT_EQ(test, times.arrives, times.leaves + 5 * NSEC_PER_MSEC);
		if (!at)
			fabric_queue_begun(queue, FRAME);
	}
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, 7, 1, &times), FABRIC_FULL);
	fabric_queue_begun(queue, FRAME);
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, 1211207, FRAME, &times),
			FABRIC_ACCEPTED);
}

/* No part of a nanosecond is lost between packets that follow one another. */
static void fabric_remainder_test(struct kunit *test)
{
	struct fabric_queue *queue = test_queue(test, 7 * MBPS + 3);
	u64 bits = 0, last = 0;
	struct fabric_times times;
	unsigned int at;

	for (at = 0; at < 1000; at++) {
		fabric_queue_arrival(queue, 0, FRAME, &times);
		bits += FRAME * 8;
		last = mul_u64_u64_div_u64(bits, NSEC_PER_SEC, queue->rate.bps);
		KUNIT_ASSERT_EQ(test, times.leaves, last);
	}
}

/* What a link with steps can send until @at, in bits */
static u64 test_bits(const struct fabric_rate *rate, u64 at)
{
	u64 bits = 0, whole = 0, end;
	unsigned int step;

	for (step = 0; step < rate->count; step++) {
		end = step + 1 < rate->count ? rate->steps[step + 1].at_ns :
					       rate->period_ns;
		whole += (end - rate->steps[step].at_ns) / 1000 *
			 rate->steps[step].bps / 1000000;
	}
	if (at < rate->zero_ns)
		return at / 1000 * rate->steps[0].bps / 1000000;
	bits = rate->zero_ns / 1000 * rate->steps[0].bps / 1000000;
	at -= rate->zero_ns;
	bits += at / rate->period_ns * whole;
	at %= rate->period_ns;
	for (step = 0; step < rate->count; step++) {
		end = step + 1 < rate->count ? rate->steps[step + 1].at_ns :
					       rate->period_ns;
		end = min(end, at);
		if (end > rate->steps[step].at_ns)
			bits += (end - rate->steps[step].at_ns) / 1000 *
				rate->steps[step].bps / 1000000;
	}
	return bits;
}

/* Packets leave when the capacity until then is their bits, over outages too. */
static void fabric_steps_test(struct kunit *test)
{
	static struct fabric_step steps[] = {
		{ 0, 20 * MBPS }, { NSEC_PER_SEC, 2 * MBPS },
		{ 2 * NSEC_PER_SEC, 0 }, { 3 * (u64)NSEC_PER_SEC, 10 * MBPS },
	};
	struct fabric_queue *queue = test_queue(test, MBPS);
	struct fabric_times times;
	unsigned int at;
	u64 bits = 0;

	queue->rate.steps = steps;
	queue->rate.count = ARRAY_SIZE(steps);
	queue->rate.period_ns = 4 * (u64)NSEC_PER_SEC;
	queue->rate.zero_ns = NSEC_PER_SEC / 2;
	for (at = 0; at < 8000; at++) {
		fabric_queue_arrival(queue, 0, FRAME, &times);
		bits += FRAME * 8;
		/* The integral is in steps of 1 us, which is 20 bits. */
		KUNIT_ASSERT_LE(test, test_bits(&queue->rate, times.leaves), bits + 20);
		KUNIT_ASSERT_GE(test, test_bits(&queue->rate, times.leaves + 2000), bits);
		KUNIT_ASSERT_LT(test, times.begins, times.leaves);
	}
	/* 96.896 Mbit: 10 before the zero, two periods of 32, then 20, 2 and 0 in 3 s.
	 * The rest is sent with 10 Mbit/s.
	 */
	KUNIT_EXPECT_EQ(test, times.leaves, 11589600000ULL);
}

/* A last step of 0 is an outage for good: the queue fills, and nothing leaves. */
static void fabric_outage_test(struct kunit *test)
{
	static struct fabric_step steps[] = { { 0, MBPS }, { NSEC_PER_MSEC, 0 } };
	struct fabric_queue *queue = test_queue(test, MBPS);
	struct fabric_times times;

	queue->rate.steps = steps;
	queue->rate.count = ARRAY_SIZE(steps);
	queue->limit_packets = 2;
	fabric_queue_arrival(queue, 0, FRAME, &times);
	KUNIT_EXPECT_EQ(test, times.arrives, FABRIC_NEVER);
	fabric_queue_begun(queue, FRAME);
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, 1, FRAME, &times),
			FABRIC_ACCEPTED);
	KUNIT_EXPECT_EQ(test, times.begins, FABRIC_NEVER);
	fabric_queue_arrival(queue, 2, FRAME, &times);
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, 3, FRAME, &times), FABRIC_FULL);
}

/* Drops among many arrivals that each find @packets waiting */
static unsigned int test_red(u64 min, u64 max, u64 packets)
{
	struct fabric_red red = { min << 16, max << 16, packets << 16 };
	unsigned int at, drops = 0;
	struct rnd_state random;

	prandom_seed_state(&random, 2);
	for (at = 0; at < ARRIVALS; at++)
		drops += fabric_red_drops(&red, packets, &random);
	return drops;
}

/* A drop comes after 1 to 1/p arrivals, each with the same probability. */
static void fabric_red_test(struct kunit *test)
{
	unsigned int drops;

	KUNIT_EXPECT_EQ(test, test_red(25, 50, 25), 0);
	drops = test_red(25, 50, 50);		/* p = 0.1: one in 5.5 */
	KUNIT_EXPECT_LE(test, abs((int)drops - 3636), 150);
	drops = test_red(10, 50, 30);		/* p = 0.05: one in 10.5 */
	KUNIT_EXPECT_LE(test, abs((int)drops - 1905), 100);
	drops = test_red(25, 50, 75);		/* p = 0.55: one in 1 + 0.45 */
	KUNIT_EXPECT_LE(test, abs((int)drops - 13793), 300);
	KUNIT_EXPECT_EQ(test, test_red(25, 50, 100), ARRIVALS);
}

static void fabric_red_average_test(struct kunit *test)
{
	struct fabric_red red = { 10 << 16, 50 << 16 };
	struct rnd_state random;

	prandom_seed_state(&random, 3);
	fabric_red_drops(&red, 16, &random);
	KUNIT_EXPECT_EQ(test, red.average, 1 << 16);
	fabric_red_drops(&red, 17, &random);
	KUNIT_EXPECT_EQ(test, red.average, 2 << 16);
	fabric_red_drops(&red, 0, &random);
	KUNIT_EXPECT_EQ(test, red.average, (2 << 16) - (2 << 12));
}

static void fabric_jitter_and_loss_test(struct kunit *test)
{
	struct fabric_queue *queue = test_queue(test, 1000 * MBPS);
	u64 before = 0, sum = 0, at;
	unsigned int lost = 0, number;
	struct fabric_times times;

	queue->delay_ns = 10 * NSEC_PER_MSEC;
	queue->jitter_ns = NSEC_PER_MSEC;
	queue->loss = (1ULL << 32) / 20;
	for (number = 0; number < ARRIVALS; number++) {
		/* Far enough apart that the order changes no delay */
		at = number * 3ULL * NSEC_PER_MSEC;
		if (fabric_queue_loses(queue)) {
			lost++;
			continue;
		}
		fabric_queue_arrival(queue, at, FRAME, &times);
		fabric_queue_begun(queue, FRAME);
		KUNIT_ASSERT_GE(test, times.arrives, before);
		KUNIT_ASSERT_GE(test, times.arrives - times.leaves, 9 * NSEC_PER_MSEC);
		KUNIT_ASSERT_LE(test, times.arrives - times.leaves, 11 * NSEC_PER_MSEC);
		before = times.arrives;
		sum += times.arrives - times.leaves;
	}
	KUNIT_EXPECT_LE(test, abs((int)lost - ARRIVALS / 20), 100);
	KUNIT_EXPECT_LE(test, abs((long)(sum / (ARRIVALS - lost)) - 10000000L), 30000);
}

/* At 8 Mbit/s a byte takes 1 us. */
#define BYTE_NS		1000ULL

static struct fabric_queue *test_bucket(struct kunit *test, u64 bytes)
{
	struct fabric_queue *queue = test_queue(test, 8 * MBPS);

	queue->burst = bytes;
	queue->credit = bytes;
	return queue;
}

/* When a packet leaves the queue that reaches it @at */
static u64 test_leaves(struct kunit *test, struct fabric_queue *queue, u64 at, u32 bytes)
{
	struct fabric_times times;

	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, at, bytes, &times),
			FABRIC_ACCEPTED);
	KUNIT_EXPECT_EQ(test, times.begins, times.leaves);
	KUNIT_EXPECT_EQ(test, times.arrives, times.leaves);
	return times.leaves;
}

/* A bucket that was idle for long, one that is half full, and one that is empty */
static void fabric_bucket_test(struct kunit *test)
{
	struct fabric_queue *queue = test_bucket(test, 3000);
	u64 at = NSEC_PER_SEC;

	queue->delay_first = true;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 1500 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 60), at + 1560 * BYTE_NS);

	/* 2000 bytes have come in when the next packets do. */
	at += 3560 * BYTE_NS;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 1000 * BYTE_NS);

	/* It holds no more than its depth, a nanosecond less than which is not full. */
	at += 4000 * BYTE_NS;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at - 1, 2999), at - 1);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at - 1, 1), at);
	at += 3600 * (u64)NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 3000), at);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1), at + BYTE_NS);
}

/* A packet that is larger than the bucket takes what the bucket has, and waits for the
 * rest.
 */
static void fabric_bucket_small_test(struct kunit *test)
{
	struct fabric_queue *queue = test_bucket(test, 1000);
	u64 at = NSEC_PER_SEC;

	queue->delay_first = true;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 500 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 2000 * BYTE_NS);
	at += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 500 * BYTE_NS);
}

/* The packet that waits for the bucket counts, and leaves at a time at which a packet
 * that comes still finds it there.
 */
static void fabric_bucket_limit_test(struct kunit *test)
{
	struct fabric_queue *queue = test_bucket(test, 1500);
	struct fabric_times times;
	u64 at = NSEC_PER_SEC;

	queue->limit_bytes = 3000;
	test_leaves(test, queue, at, 1500);
	KUNIT_EXPECT_EQ(test, fabric_queue_settled(queue, at), at - 1);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1500), at + 1500 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, at, 1, &times), FABRIC_FULL);
	fabric_queue_begun(queue, 1500);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at + 1, 1500),
			at + 3000 * BYTE_NS);
	KUNIT_EXPECT_EQ(test, fabric_queue_arrival(queue, at + 1, 1, &times),
			FABRIC_FULL);
}

/* A bucket keeps its bytes when the capacity changes, and a link that is out sends
 * nothing, whatever its bucket has.
 */
static void fabric_bucket_steps_test(struct kunit *test)
{
	static struct fabric_step steps[] = {
		{ 0, 8 * MBPS }, { NSEC_PER_SEC, MBPS },
		{ 2 * NSEC_PER_SEC, 0 }, { 3 * (u64)NSEC_PER_SEC, 8 * MBPS },
	};
	struct fabric_queue *queue = test_bucket(test, 3000);
	u64 at = NSEC_PER_SEC - 1500 * BYTE_NS;

	queue->delay_first = true;
	queue->rate.steps = steps;
	queue->rate.count = ARRAY_SIZE(steps);
	test_leaves(test, queue, at, 3000);
	/* 1500 bytes have come in at the change, and 100 after it. */
	at = NSEC_PER_SEC + 800 * BYTE_NS;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1600), at);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 100), at + 800 * BYTE_NS);

	/* 1375 bytes stay, and as many come in until the link fails. */
	at = 2 * NSEC_PER_SEC - 11000 * BYTE_NS;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1625), at);
	at = 2 * NSEC_PER_SEC + NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1000), 3000000000ULL);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1000), 3000000000ULL);
	KUNIT_EXPECT_EQ(test, test_leaves(test, queue, at, 1000), 3000250000ULL);
}

/* tbf as Linux has it: tokens in nanoseconds, looked at when a packet is the first of
 * the queue. Returns when the packet leaves.
 */
struct test_tbf {
	s64 tokens, depth, checked, last;
};

static u64 test_tbf_leaves(struct test_tbf *tbf, s64 at, s64 need)
{
	s64 now = max(at, tbf->last), tokens;

	for (;;) {
		tokens = min(now - tbf->checked, tbf->depth) + tbf->tokens;
		tokens = min(tokens, tbf->depth) - need;
		if (tokens >= 0)
			break;
		now -= tokens;
	}
	tbf->checked = now;
	tbf->tokens = tokens;
	tbf->last = now;
	return now;
}

static void fabric_bucket_is_tbf_test(struct kunit *test)
{
	struct fabric_queue *queue = test_bucket(test, 3028);
	s64 depth = 3028 * BYTE_NS;
	struct test_tbf tbf = { depth, depth };
	struct rnd_state random;
	unsigned int number;
	u64 at = 1;
	u32 bytes;

	prandom_seed_state(&random, 5);
	queue->delay_first = true;
	for (number = 0; number < ARRIVALS; number++) {
		at += prandom_u32_state(&random) % (number % 300 < 150 ? 4000000 : 600000);
		bytes = prandom_u32_state(&random) % 1454 + 60;
		KUNIT_ASSERT_EQ(test, test_leaves(test, queue, at, bytes),
				test_tbf_leaves(&tbf, at, bytes * BYTE_NS));
	}
}

/* With the delay first, packets reach the queue in order, and it is last. */
static void fabric_delay_first_test(struct kunit *test)
{
	struct fabric_queue *queue = test_queue(test, 8 * MBPS);
	u64 before = 0, at = 0, reached, least = FABRIC_NEVER, most = 0;
	struct fabric_times times;
	unsigned int number;

	queue->delay_ns = 10 * NSEC_PER_MSEC;
	queue->jitter_ns = NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, fabric_queue_reached(queue, 7), 7);
	queue->delay_first = true;
	for (number = 0; number < ARRIVALS; number++) {
		at += number & 1 ? 100 * NSEC_PER_USEC : 5 * NSEC_PER_MSEC;
		reached = fabric_queue_reached(queue, at);
		KUNIT_ASSERT_GE(test, reached, before);
		least = min(least, reached - at);
		most = max(most, reached - at);
		before = reached;
		fabric_queue_arrival(queue, reached, 60, &times);
		KUNIT_ASSERT_EQ(test, times.arrives, times.leaves);
	}
	KUNIT_EXPECT_GE(test, least, 9 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, least, 9 * NSEC_PER_MSEC + 5000);
	KUNIT_EXPECT_LE(test, most, 11 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GE(test, most, 11 * NSEC_PER_MSEC - 5000);
}

static void fabric_heap_test(struct kunit *test)
{
	struct fabric_link *links = kunit_kcalloc(test, 500, sizeof(*links), GFP_KERNEL);
	struct fabric_item *items = kunit_kcalloc(test, 500, sizeof(*items), GFP_KERNEL);
	u64 at, before = 0, order = 0;
	struct fabric_link *link;
	struct rnd_state random;
	unsigned int number;

	KUNIT_ASSERT_TRUE(test, links && items);
	KUNIT_ASSERT_EQ(test, fabric_heap_grow(500), 0);
	prandom_seed_state(&random, 4);
	for (number = 0; number < 500; number++) {
		links[number].id = number;
		at = prandom_u32_state(&random) % 50;
		links[number].bytes = at;
		links[number].ahead_ns = number % 2;
		links[number].head = &items[number];
		items[number].arrives = at;
		items[number].order = number;
		fabric_heap_add(&links[number], at, number);
	}
	for (number = 1; number < 500; number += 6)
		fabric_heap_ahead(&links[number], 0);
	for (number = 0; number < 500; number++) {
		link = fabric_heap_first(&at);
		KUNIT_ASSERT_NOT_NULL(test, link);
		KUNIT_EXPECT_EQ(test, at, link->bytes);
		KUNIT_EXPECT_GE(test, at, before);
		if (at == before && number)
			KUNIT_EXPECT_GT(test, (u64)link->id, order);
		before = at;
		order = link->id;
		fabric_heap_drop();
	}
	KUNIT_EXPECT_NULL(test, fabric_heap_first(&at));
	fabric_heap_free();
}

#define LINE		600U

/* @at, @leaves: ns; no two packets of a line arrive at the same instant */
struct test_packet {
	u64 at, leaves;
	u32 bytes;
	bool bare;
};

static void test_arrivals(struct test_packet *packets)
{
	struct rnd_state random;
	unsigned int number;
	u64 at = 0;

	prandom_seed_state(&random, 5);
	for (number = 0; number < LINE; number++) {
		packets[number].bare = prandom_u32_state(&random) % 3 == 0;
		packets[number].bytes = packets[number].bare ? 60 : FRAME;
		/* Times to send are multiples of 1600 ns, so nothing begins to be sent
		 * when another packet arrives.
		 */
		at += 1600 * (1 + prandom_u32_state(&random) % 1000);
		packets[number].at = at + number;
	}
}

/* Whenever the link is free, it sends the first bare packet, or else the first one. */
static void test_serve(struct test_packet *packets, u64 bps)
{
	struct test_packet *first, *packet;
	unsigned int served;
	u64 free = 0, begins;

	for (served = 0; served < LINE; served++) {
		for (first = packets; first->leaves; first++)
			;
		begins = max(free, first->at);
		for (packet = first; packet < packets + LINE; packet++)
			if (packet->bare && !packet->leaves && packet->at <= begins)
				break;
		if (packet == packets + LINE)
			packet = first;
		free = begins + packet->bytes * 8 * NSEC_PER_SEC / bps;
		packet->leaves = free;
	}
}

/* Packets that overtake others, beside a server that looks at all of them each time */
static void fabric_line_test(struct kunit *test)
{
	struct test_packet *packets = kunit_kcalloc(test, LINE, sizeof(*packets), GFP_KERNEL);
	struct fabric_link *link = kunit_kzalloc(test, sizeof(*link), GFP_KERNEL);
	struct fabric_item *items = kunit_kcalloc(test, LINE, sizeof(*items), GFP_KERNEL);
	struct fabric_times times;
	struct fabric_item *item;
	unsigned int number;
	u64 before = 0;

	KUNIT_ASSERT_TRUE(test, packets && link && items);
	KUNIT_ASSERT_EQ(test, fabric_heap_grow(1), 0);
	link->queue.rate.bps = 10 * MBPS;
	link->queue.delay_ns = 7;
	link->queue.bare_first = true;
	test_arrivals(packets);
	test_serve(packets, link->queue.rate.bps);
	for (number = 0; number < LINE; number++) {
		item = &items[number];
		fabric_line_settle(link, packets[number].at);
		item->bytes = packets[number].bytes;
		item->bare = packets[number].bare;
		KUNIT_ASSERT_EQ(test, fabric_queue_arrival(&link->queue, packets[number].at,
							   item->bytes, &times),
				FABRIC_ACCEPTED);
		item->begins = times.begins;
		item->leaves = times.leaves;
		item->arrives = times.arrives;
		fabric_line_join(link, item);
	}
	for (number = 0; number < LINE; number++) {
		item = &items[number];
		KUNIT_ASSERT_EQ(test, item->leaves, packets[number].leaves);
		KUNIT_ASSERT_EQ(test, item->arrives, item->leaves + 7);
	}
	for (item = link->head; item; item = item->next) {
		KUNIT_ASSERT_GT(test, item->leaves, before);
		before = item->leaves;
	}
	KUNIT_EXPECT_EQ(test, before, link->tail->leaves);
	fabric_line_settle(link, before);
	KUNIT_EXPECT_EQ(test, link->queue.bytes, 0);
	KUNIT_EXPECT_EQ(test, link->queue.packets, 0);
	fabric_heap_drop();
	fabric_heap_free();
}

static struct kunit_case fabric_cases[] = {
	KUNIT_CASE(fabric_limit_test),
	KUNIT_CASE(fabric_remainder_test),
	KUNIT_CASE(fabric_steps_test),
	KUNIT_CASE(fabric_outage_test),
	KUNIT_CASE(fabric_red_test),
	KUNIT_CASE(fabric_red_average_test),
	KUNIT_CASE(fabric_jitter_and_loss_test),
	KUNIT_CASE(fabric_bucket_test),
	KUNIT_CASE(fabric_bucket_small_test),
	KUNIT_CASE(fabric_bucket_limit_test),
	KUNIT_CASE(fabric_bucket_steps_test),
	KUNIT_CASE(fabric_bucket_is_tbf_test),
	KUNIT_CASE(fabric_delay_first_test),
	KUNIT_CASE(fabric_heap_test),
	KUNIT_CASE(fabric_line_test),
	{}
};

static struct kunit_suite fabric_suite = {
	.name		= "lab-fabric",
	.test_cases	= fabric_cases,
};
kunit_test_suite(fabric_suite);

MODULE_DESCRIPTION("KUnit suite of the fabric");
MODULE_LICENSE("GPL");

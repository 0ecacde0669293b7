// SPDX-License-Identifier: GPL-2.0
/* KUnit suite of segments that go through several links, among other traffic
 *
 *	a --0--.      .--2-- d		segments:  0 1 2 and 3 1 2
 *	        >--1--<			packets:   1, 1 2 and 3 1
 *	b --3--'      '-- c
 *
 * The network is there twice. One gets segments, and the other one the same frames as
 * packets. After every event all links must have the same items and counters. At the end,
 * every frame must have arrived in the part in which a receiver gathers it that knows all
 * arrivals before.
 *
 * All of this is executed again with events that happen late, as those of the fabric do:
 * when a host can get something, and before a packet is sent. Frames, parts and counters
 * must be the same. Paths end at link 1 too, or at link 2 only.
 */

#include <linux/module.h>

#include "fabric_segments_test.h"

#define MBPS		1000000ULL
#define ROUNDS		300
#define LINKS		4
#define PATHS		5
#define SEGMENT_PATHS	2
#define BARE_PATH	4

struct chain {
	struct fabric_port end;
	struct fabric_link *links[LINKS];
	struct fabric_path *paths[PATHS];
};

/* What arrived of each segment: when, and in which part, by its first frame */
struct chain_log {
	u64 at[FABRIC_FRAMES];
	u8 first[FABRIC_FRAMES];
};

/* How both networks are executed, and their counters and arrivals at the end
 * @late: events happen late
 * @ends: no path ends at link 1
 * @rounds: after which both networks are taken down; all if 0
 */
struct chain_run {
	bool late, ends;
	unsigned int rounds;
	u64 armed;
	struct chain *whole, *single;
	struct chain_log *wholes, *singles;
};

static const u8 path_links[2][PATHS][3] = {
	{ { 0, 1, 2 }, { 3, 1, 2 }, { 1 }, { 1, 2 }, { 3, 1 } },
	{ { 0, 1, 2 }, { 3, 1, 2 }, { 2 }, { 1, 2 }, { 3, 1, 2 } },
};
static const u8 path_lengths[2][PATHS] = { { 3, 3, 1, 2, 2 }, { 3, 3, 1, 2, 3 } };

static struct chain *chain_make(struct kunit *test, const struct fabric_queue *queues,
				bool ends)
{
	struct chain *chain = kunit_kzalloc(test, sizeof(*chain), GFP_KERNEL);
	struct fabric_link *link;
	struct fabric_path *path;
	unsigned int at, step;

	KUNIT_ASSERT_NOT_NULL(test, chain);
	for (at = 0; at < LINKS; at++) {
		link = kunit_kzalloc(test, sizeof(*link), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, link);
		link->id = at;
		link->ahead_ns = FABRIC_NEVER;
		link->queue = queues[at];
		prandom_seed_state(&link->queue.random, 9 + at);
		chain->links[at] = link;
	}
	for (at = 0; at < PATHS; at++) {
		path = kunit_kzalloc(test, struct_size(path, links, 3), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, path);
		path->count = path_lengths[ends][at];
		path->to = &chain->end;
		for (step = 0; step < path->count; step++)
			path->links[step] = chain->links[path_links[ends][at][step]];
		fabric_path_ahead(path);
		chain->paths[at] = path;
	}
	return chain;
}

static void chain_enter(struct sk_buff *skb, const struct fabric_path *path, u32 bytes,
			u64 now)
{
	struct fabric_item *item = fabric_item(skb);

	fabric_set_path(skb, path);
	item->kind = FABRIC_PACKET;
	item->step = 0;
	item->bytes = bytes;
	fabric_enter(item, path->links[0], now);
}

/* A packet that links look at: a segment without data if @bare, else nothing known */
static struct sk_buff *chain_packet(struct kunit *test, bool bare)
{
	struct sk_buff *skb = alloc_skb(HEADER, GFP_KERNEL);
	struct iphdr *ip;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->mark = 0;
	if (!bare)
		return skb;
	skb_put_zero(skb, HEADER);
	((struct ethhdr *)skb->data)->h_proto = htons(ETH_P_IP);
	ip = (struct iphdr *)(skb->data + ETH_HLEN);
	ip->ihl = 5;
	ip->protocol = IPPROTO_TCP;
	ip->tot_len = htons(HEADER - ETH_HLEN);
	((struct tcphdr *)(ip + 1))->doff = 8;
	return skb;
}

static void chain_enter_segment(struct kunit *test, struct chain *whole,
				struct chain *single, unsigned int path, u32 bytes,
				unsigned int round, u64 now)
{
	unsigned int frame, count = DIV_ROUND_UP(bytes, MSS);
	struct sk_buff *skb = test_segment(test, bytes);
	u32 size;

	skb->mark = round + 1;
	KUNIT_ASSERT_TRUE(test, fabric_can_cut(skb));
	fabric_enter_frames(skb, whole->paths[path], now);
	for (frame = 0; frame < count; frame++) {
		size = frame + 1 < count ? MSS : bytes - frame * MSS;
		skb = chain_packet(test, false);
		skb->mark = round + 1;
		skb->priority = frame;
		chain_enter(skb, single->paths[path], HEADER + size, now);
	}
}

static void chain_arrived(struct kunit *test, const struct chain *whole,
			  struct chain_log *wholes, struct chain_log *singles,
			  struct sk_buff *skb, u64 now)
{
	unsigned int first = skb->priority, count = 1, at;
	struct chain_log *log = &singles[skb->mark - 1];

	if (skb->mark && fabric_path(fabric_item(skb))->to == &whole->end) {
		log = &wholes[skb->mark - 1];
		first = (ntohl(tcp_hdr(skb)->seq) - 1000) / MSS;
		count = fabric_frames_of(skb);
		KUNIT_ASSERT_EQ(test, ntohs(ip_hdr(skb)->id), (u16)(65530 + first));
	}
	for (at = first; skb->mark && at < first + count; at++) {
		KUNIT_ASSERT_EQ(test, log->at[at], 0);
		log->at[at] = now;
		log->first[at] = first;
	}
	skb->dev_scratch = 0;
	kfree_skb(skb);
}

static void chain_compare(struct kunit *test, const struct chain *whole,
			  const struct chain *single)
{
	struct fabric_item *one, *two;
	struct fabric_link *a, *b;
	unsigned int at;

	for (at = 0; at < LINKS; at++) {
		a = whole->links[at];
		b = single->links[at];
		KUNIT_ASSERT_EQ(test, a->packets, b->packets);
		KUNIT_ASSERT_EQ(test, a->bytes, b->bytes);
		KUNIT_ASSERT_EQ(test, a->lost, b->lost);
		KUNIT_ASSERT_EQ(test, a->red, b->red);
		KUNIT_ASSERT_EQ(test, a->full, b->full);
		KUNIT_ASSERT_EQ(test, a->most_bytes, b->most_bytes);
		KUNIT_ASSERT_EQ(test, a->waited, b->waited);
		KUNIT_ASSERT_EQ(test, a->queue.bytes, b->queue.bytes);
		KUNIT_ASSERT_EQ(test, a->queue.packets, b->queue.packets);
		for (one = a->head, two = b->head; one && two;
		     one = one->next, two = two->next) {
			KUNIT_ASSERT_EQ(test, one->begins, two->begins);
			KUNIT_ASSERT_EQ(test, one->leaves, two->leaves);
			KUNIT_ASSERT_EQ(test, one->arrives, two->arrives);
			KUNIT_ASSERT_EQ(test, one->bytes, two->bytes);
			KUNIT_ASSERT_EQ(test, one->step, two->step);
		}
		KUNIT_ASSERT_TRUE(test, !one && !two);
	}
}

/* All events until @now, in both networks */
static void chain_pass(struct kunit *test, const struct chain *whole,
		       const struct chain *single, struct chain_log *wholes,
		       struct chain_log *singles, u64 now)
{
	struct sk_buff *skb;
	u64 at;

	while ((at = fabric_due()) <= now && at != FABRIC_NEVER) {
		while (fabric_event(at, &skb))
			if (skb)
				chain_arrived(test, whole, wholes, singles, skb, at);
		chain_compare(test, whole, single);
	}
}

/* The timer of the fabric until @now, and what happens before a packet is sent then */
static void chain_pass_late(struct kunit *test, struct chain_run *run, u64 now)
{
	struct sk_buff *skb;
	u64 at;

	while ((at = run->armed) <= now && at != FABRIC_NEVER) {
		while (fabric_event(at, &skb))
			if (skb)
				chain_arrived(test, run->whole, run->wholes, run->singles,
					      skb, at);
		run->armed = fabric_quiet_until();
		KUNIT_ASSERT_GT(test, run->armed, at);
	}
	while (fabric_event(now, &skb))
		KUNIT_ASSERT_NULL(test, skb);
}

/* Parts, and those for whose next frame the receiver waited in vain */
struct chain_parts {
	unsigned int all, vain;
};

/* A receiver that knows when each frame comes begins a part where one is missing, or
 * comes later than the gather time after the first of the part.
 */
static void chain_gathered(struct kunit *test, const struct chain_log *whole,
			   const struct chain_log *single, u64 gather,
			   struct chain_parts *parts)
{
	unsigned int at, first = 0;
	bool begins = true;

	for (at = 0; at < FABRIC_FRAMES; at++) {
		if (!single->at[at]) {
			KUNIT_ASSERT_EQ(test, whole->at[at], 0);
			begins = true;
			continue;
		}
		if (begins || single->at[at] > single->at[first] + gather) {
			first = at;
			parts->all++;
			parts->vain += whole->at[at] == single->at[at] + gather;
		}
		begins = false;
		KUNIT_ASSERT_EQ(test, whole->first[at], first);
		KUNIT_ASSERT_EQ(test, whole->at[at], whole->at[first]);
		KUNIT_ASSERT_GE(test, whole->at[at], single->at[at]);
		KUNIT_ASSERT_LE(test, whole->at[at], single->at[first] + gather);
	}
}

static void chain_free(struct chain *chain)
{
	unsigned int at;

	for (at = 0; at < LINKS; at++) {
		if (chain->links[at]->head)
			fabric_heap_drop();
		fabric_line_free(chain->links[at]);
	}
}

static u32 chain_drops(const struct chain *chain)
{
	unsigned int at;
	u64 drops = 0;

	for (at = 0; at < LINKS; at++)
		drops += chain->links[at]->full + chain->links[at]->red +
			 chain->links[at]->lost;
	return drops;
}

/* Returns the number of the path that packets take. */
static unsigned int chain_round(struct kunit *test, struct chain *whole,
				struct chain *single, struct rnd_state *random,
				unsigned int round, u64 now)
{
	unsigned int path = prandom_u32_state(random) % PATHS;
	unsigned int count = 1 + prandom_u32_state(random) % 20, at;
	bool bare = path == BARE_PATH;
	u32 bytes;

	if (path < SEGMENT_PATHS) {
		bytes = MSS + 1 + prandom_u32_state(random) % 62000;
		chain_enter_segment(test, whole, single, path, bytes, round, now);
		return path;
	}
	for (at = 0; at < count; at++) {
		bytes = bare ? HEADER : 60 + prandom_u32_state(random) % 1454;
		chain_enter(chain_packet(test, bare), whole->paths[path], bytes, now);
		chain_enter(chain_packet(test, bare), single->paths[path], bytes, now);
	}
	return path;
}

static void chain_arm(struct chain_run *run, const struct fabric_link *link)
{
	run->armed = min(run->armed, fabric_link_quiet_until(link));
}

static void chain_rounds(struct kunit *test, struct chain_run *run)
{
	unsigned int round, path;
	struct rnd_state random;
	u64 now = 1;

	prandom_seed_state(&random, 6);
	for (round = 0; round < (run->rounds ? : ROUNDS); round++) {
		now += prandom_u32_state(&random) % 200000;
		if (run->late)
			chain_pass_late(test, run, now);
		else
			chain_pass(test, run->whole, run->single, run->wholes,
				   run->singles, now);
		path = chain_round(test, run->whole, run->single, &random, round, now);
		chain_compare(test, run->whole, run->single);
		chain_arm(run, run->whole->paths[path]->links[0]);
		chain_arm(run, run->single->paths[path]->links[0]);
	}
	if (run->rounds)
		return;
	if (run->late)
		chain_pass_late(test, run, FABRIC_NEVER - 1);
	else
		chain_pass(test, run->whole, run->single, run->wholes, run->singles,
			   FABRIC_NEVER - 1);
}

static void chain_execute(struct kunit *test, struct chain_run *run,
			  const struct fabric_queue *queues, u64 gather)
{
	KUNIT_ASSERT_EQ(test, fabric_heap_grow(2 * LINKS), 0);
	fabric_offload(true, gather);
	run->armed = FABRIC_NEVER;
	run->whole = chain_make(test, queues, run->ends);
	run->single = chain_make(test, queues, run->ends);
	run->wholes = kunit_kcalloc(test, ROUNDS, sizeof(*run->wholes), GFP_KERNEL);
	run->singles = kunit_kcalloc(test, ROUNDS, sizeof(*run->singles), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, run->wholes && run->singles);
	chain_rounds(test, run);
	chain_free(run->whole);
	chain_free(run->single);
	KUNIT_EXPECT_EQ(test, fabric_due(), FABRIC_NEVER);
	KUNIT_EXPECT_FALSE(test, fabric_held_before_last());
	fabric_offload(false, 0);
	fabric_heap_free();
}

static struct chain_parts chain_beside_of(struct kunit *test,
					  const struct fabric_queue *queues, u64 gather,
					  bool ends)
{
	struct chain_run soon = { .ends = ends }, late = { .ends = ends, .late = true };
	struct chain_run down = { .ends = ends, .late = true, .rounds = ROUNDS / 2 };
	struct chain_parts parts = {};
	unsigned int round;

	chain_execute(test, &soon, queues, gather);
	for (round = 0; round < ROUNDS; round++)
		chain_gathered(test, &soon.wholes[round], &soon.singles[round], gather,
			       &parts);
	KUNIT_EXPECT_GT(test, parts.all, ROUNDS / 3);
	KUNIT_EXPECT_GT(test, chain_drops(soon.whole), ROUNDS / 10);
	chain_execute(test, &late, queues, gather);
	chain_compare(test, soon.whole, late.whole);
	KUNIT_ASSERT_MEMEQ(test, soon.wholes, late.wholes, ROUNDS * sizeof(*soon.wholes));
	KUNIT_ASSERT_MEMEQ(test, soon.singles, late.singles,
			   ROUNDS * sizeof(*soon.singles));
	chain_execute(test, &down, queues, gather);
	return parts;
}

static struct chain_parts chain_beside(struct kunit *test,
				       const struct fabric_queue *queues, u64 gather)
{
	chain_beside_of(test, queues, gather, true);
	return chain_beside_of(test, queues, gather, false);
}

/* As in a data centre: packets travel behind queues without buckets. */
static void chain_centre(struct fabric_queue *queues)
{
	unsigned int at;

	for (at = 0; at < LINKS; at++)
		queues[at] = (struct fabric_queue) {
			.rate.bps = 1000 * MBPS, .delay_ns = 20 * NSEC_PER_USEC,
			.limit_bytes = 60 * 1514,
		};
	queues[1].rate.bps = 800 * MBPS;
}

/* As in a network that an experiment describes */
static void chain_network(struct fabric_queue *queues)
{
	unsigned int at;

	chain_centre(queues);
	for (at = 0; at < LINKS; at++) {
		queues[at].delay_ns = at * 500 * NSEC_PER_USEC;
		queues[at].delay_first = true;
		queues[at].burst = 3028;
		queues[at].credit = 3028;
	}
}

static void fabric_chain_plain_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];

	chain_centre(queues);
	chain_beside(test, queues, 0);
	chain_beside(test, queues, 50 * NSEC_PER_USEC);
	/* The receiver learns at once that a frame is gone. */
	KUNIT_EXPECT_EQ(test, chain_beside(test, queues, NSEC_PER_MSEC).vain, 0);
}

static void fabric_chain_network_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];

	chain_network(queues);
	chain_beside(test, queues, 50 * NSEC_PER_USEC);
	chain_beside(test, queues, NSEC_PER_MSEC);
}

/* A slow last link: frames are farther apart than they are gathered. */
static void fabric_chain_slow_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];

	chain_network(queues);
	queues[2].rate.bps = 200 * MBPS;
	chain_beside(test, queues, 50 * NSEC_PER_USEC);
	chain_beside(test, queues, 400 * NSEC_PER_USEC);
}

static void fabric_chain_jitter_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];
	unsigned int at;

	chain_centre(queues);
	for (at = 0; at < LINKS; at++)
		queues[at].jitter_ns = 15 * NSEC_PER_USEC;
	chain_beside(test, queues, 50 * NSEC_PER_USEC);
	chain_network(queues);
	for (at = 0; at < LINKS; at++)
		queues[at].jitter_ns = 200 * NSEC_PER_USEC;
	chain_beside(test, queues, 200 * NSEC_PER_USEC);
}

static void fabric_chain_loss_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];
	unsigned int at;

	chain_network(queues);
	for (at = 0; at < LINKS; at++)
		queues[at].loss = (1ULL << 32) / 50;
	chain_beside(test, queues, NSEC_PER_MSEC);
	/* Frames are lost on the last link when others of their part have arrived. */
	chain_centre(queues);
	queues[0].rate.bps = 200 * MBPS;
	queues[2].loss = (1ULL << 32) / 20;
	chain_beside(test, queues, NSEC_PER_MSEC);
}

static void fabric_chain_red_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];

	chain_centre(queues);
	queues[1].limit_bytes = 0;
	queues[1].limit_packets = 90;
	queues[1].red.min = 20 << 16;
	queues[1].red.max = 50 << 16;
	chain_beside(test, queues, NSEC_PER_MSEC);
}

/* An inner link that is slow, then fast, then out for good */
static void fabric_chain_steps_test(struct kunit *test)
{
	static struct fabric_step steps[] = {
		{ 0, 1000 * MBPS }, { 8 * NSEC_PER_MSEC, 100 * MBPS },
		{ 16 * NSEC_PER_MSEC, 2000 * MBPS }, { 24 * NSEC_PER_MSEC, 0 },
	};
	struct fabric_queue queues[LINKS];

	chain_network(queues);
	queues[1].rate.steps = steps;
	queues[1].rate.count = ARRAY_SIZE(steps);
	chain_beside(test, queues, NSEC_PER_MSEC);
}

/* Segments without data are sent before frames that wait in the host. */
static void fabric_chain_bare_test(struct kunit *test)
{
	struct fabric_queue queues[LINKS];

	chain_centre(queues);
	queues[0].bare_first = true;
	queues[3].bare_first = true;
	queues[3].limit_bytes = 200 * 1514;
	chain_beside(test, queues, 50 * NSEC_PER_USEC);
	chain_beside(test, queues, NSEC_PER_MSEC);
}

static struct kunit_case fabric_chain_cases[] = {
	KUNIT_CASE(fabric_chain_plain_test),
	KUNIT_CASE(fabric_chain_network_test),
	KUNIT_CASE(fabric_chain_slow_test),
	KUNIT_CASE(fabric_chain_jitter_test),
	KUNIT_CASE(fabric_chain_loss_test),
	KUNIT_CASE(fabric_chain_red_test),
	KUNIT_CASE(fabric_chain_steps_test),
	KUNIT_CASE(fabric_chain_bare_test),
	{}
};

static struct kunit_suite fabric_chain_suite = {
	.name		= "lab-fabric-chain",
	.test_cases	= fabric_chain_cases,
};
kunit_test_suite(fabric_chain_suite);

MODULE_DESCRIPTION("KUnit suite of the fabric's segments on several links");
MODULE_LICENSE("GPL");

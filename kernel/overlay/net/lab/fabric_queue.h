/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of one link, as arithmetic; it holds no packets.
 *
 * A first-in, first-out queue whose capacity is known for all time needs no event when
 * a packet begins to be sent: that time follows at the packet's arrival.
 */
#ifndef __LAB_FABRIC_QUEUE_H
#define __LAB_FABRIC_QUEUE_H

#include <linux/prandom.h>
#include <linux/types.h>

#define FABRIC_NEVER	U64_MAX

/* From @at_ns on, the link sends @bps. */
struct fabric_step {
	u64 at_ns, bps;
};

/* @bps: the capacity of a link without steps; 0 for a link that has no queue
 * @zero_ns: the time from which steps count
 * @period_ns: after this long the steps begin again; 0 for a last step that stays
 * @steps: in order, the first at 0
 */
struct fabric_rate {
	u64 bps, zero_ns, period_ns;
	unsigned int count;
	struct fabric_step *steps;
};

/* Gentle RED as in Click (elements/standard/red.cc), which the OLIA paper used: the
 * probability of a drop grows to 0.1 at @max, and then to 1 at twice @max. The average
 * is over arrivals, with the weight 1/16. Drops are spaced evenly.
 *
 * @min, @max, @average: packets, in 1/65536; @max is 0 for no RED
 * @count: packets that were let through since the last drop, or since the average was
 *	below @min
 * @drawn: in 1/65536
 */
struct fabric_red {
	u64 min, max, average;
	u32 count, drawn;
};

/* Settings
 * @delay_ns: one-way delay, which varies by plus or minus @jitter_ns
 * @delay_first: packets are delayed before the queue, as by netem before tbf
 * @loss: probability of a random loss before the queue, in 2^-32
 * @limit_bytes, @limit_packets: what can wait beside the packet that is being sent; 0
 *	for no such limit
 * @burst: the depth of a token bucket as tbf's, in bytes; 0 for none. With a bucket, a
 *	packet is sent as a whole when it leaves, and waits until then.
 * @bare_first: TCP segments without data are sent before all others that wait. The link
 *	has one capacity, no bucket and no jitter, and packets travel behind its queue.
 *
 * State
 * @free_ns: when all that was accepted has been sent; with a bucket, a time at which it
 *	has @credit bytes
 * @rest: what the division at the last packet left, so that no time is lost
 * @last_ns: when the delay of the last packet ends
 * @bytes, @packets: what waits
 */
struct fabric_queue {
	struct fabric_rate rate;
	struct fabric_red red;
	u64 delay_ns, jitter_ns;
	u64 loss, limit_bytes, limit_packets, burst;
	bool delay_first, bare_first;

	struct rnd_state random;
	u64 free_ns, rest, last_ns;
	u64 bytes, packets, credit;
};

/* The times of a packet that was accepted, any of which may be FABRIC_NEVER
 * @begins: when it no longer waits
 */
struct fabric_times {
	u64 begins, leaves, arrives;
};

enum fabric_verdict {
	FABRIC_ACCEPTED,
	FABRIC_LOST,		/* at random */
	FABRIC_RED,
	FABRIC_FULL,
};

/* Whether a packet that arrives at the link is lost at random */
bool fabric_queue_loses(struct fabric_queue *queue);

/* When a packet that arrives at the link at @now reaches the queue. Packets reach it in
 * the order in which they arrive at the link, so what happens at the queue is known
 * before, and costs no event.
 */
u64 fabric_queue_reached(struct fabric_queue *queue, u64 now);

/* The last time that a packet can have stopped waiting so as not to count for another
 * one that reaches the queue @at. tbf takes packets of the same instant before it sends.
 */
static inline u64 fabric_queue_settled(const struct fabric_queue *queue, u64 at)
{
	return queue->burst && at ? at - 1 : at;
}

/* A packet reaches the queue @at, not before the packet before it. If it is accepted,
 * it counts as waiting until fabric_queue_begun() is called, at the time @begins.
 */
enum fabric_verdict fabric_queue_arrival(struct fabric_queue *queue, u64 at,
					 u32 bytes, struct fabric_times *times);

static inline void fabric_queue_begun(struct fabric_queue *queue, u32 bytes)
{
	queue->bytes -= bytes;
	queue->packets--;
}

/* When a packet leaves that begins to be sent at @begins; FABRIC_NEVER if it never
 * does. @rest carries the remainder of the division from packet to packet.
 */
u64 fabric_rate_leaves(const struct fabric_rate *rate, u64 begins, u32 bytes, u64 *rest);

/* Whether RED drops a packet that arrives while @packets wait */
bool fabric_red_drops(struct fabric_red *red, u64 packets, struct rnd_state *random);

#endif /* __LAB_FABRIC_QUEUE_H */

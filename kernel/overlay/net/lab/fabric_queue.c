// SPDX-License-Identifier: GPL-2.0
/* The queue of one link, as arithmetic */

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "fabric_queue.h"

#define RED_ONE		65536ULL
#define RED_AT_MAX	(RED_ONE / 10)	/* probability where the average is max */
#define RED_WEIGHT	4		/* 2^-4 = 1/16 */

/* The last step that has begun @at_ns after the zero of the steps */
static unsigned int fabric_step_at(const struct fabric_rate *rate, u64 at_ns)
{
	unsigned int low = 0, high = rate->count;

	while (high - low > 1) {
		unsigned int middle = low + (high - low) / 2;

		if (rate->steps[middle].at_ns <= at_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* @need: what is to be sent, in bits times 10^9, so that need / bps is in ns */
static u64 fabric_steps_leave(const struct fabric_rate *rate, u64 begins, u64 need,
			      u64 *rest)
{
	u64 now = begins, at = begins > rate->zero_ns ? begins - rate->zero_ns : 0;
	unsigned int step;
	u64 end, left, bps;

	if (rate->period_ns)
		at = at % rate->period_ns;
	step = fabric_step_at(rate, at);
	for (;;) {
		bps = rate->steps[step].bps;
		end = rate->period_ns ? rate->period_ns : FABRIC_NEVER;
		if (step + 1 < rate->count)
			end = rate->steps[step + 1].at_ns;
		left = end - at;
		/* Before the zero, the first step is longer. */
		if (now < rate->zero_ns && end != FABRIC_NEVER)
			left += rate->zero_ns - now;
		if (bps && div64_u64(need, bps) < left) {
			now += div64_u64_rem(need, bps, rest);
			return now;
		}
		if (end == FABRIC_NEVER)
			return FABRIC_NEVER;
		need -= left * bps;
		now += left;
		at = end;
		if (++step == rate->count) {
			step = 0;
			at = 0;
		}
	}
}

u64 fabric_rate_leaves(const struct fabric_rate *rate, u64 begins, u32 bytes, u64 *rest)
{
	u64 need = (u64)bytes * BITS_PER_BYTE * NSEC_PER_SEC;

	if (begins == FABRIC_NEVER)
		return FABRIC_NEVER;
	if (rate->count) {
		*rest = 0;
		return fabric_steps_leave(rate, begins, need, rest);
	}
	if (!rate->bps)
		return begins;
	return begins + div64_u64_rem(need + *rest, rate->bps, rest);
}

/* The probability of a drop, in 1/65536 */
static u64 fabric_red_probability(const struct fabric_red *red)
{
	u64 average = red->average, p;

	if (average <= red->min)
		return 0;
	if (average >= 2 * red->max)
		return RED_ONE;
	if (average <= red->max) {
		p = mul_u64_u64_div_u64(RED_AT_MAX, average - red->min,
					max(red->max - red->min, 1));
		return p;
	}
	p = mul_u64_u64_div_u64(RED_ONE - RED_AT_MAX, average - red->max, red->max);
	return RED_AT_MAX + p;
}

bool fabric_red_drops(struct fabric_red *red, u64 packets, struct rnd_state *random)
{
	u64 scaled = packets * RED_ONE, p;

	if (scaled > red->average)
		red->average += (scaled - red->average) >> RED_WEIGHT;
	else
		red->average -= (red->average - scaled) >> RED_WEIGHT;
	p = fabric_red_probability(red);
	if (!p || p == RED_ONE) {
		red->count = 0;
		return p == RED_ONE;
	}
	if (!red->count)
		red->drawn = prandom_u32_state(random) & (RED_ONE - 1);
	if (++red->count * p <= red->drawn)
		return false;
	red->count = 0;
	return true;
}

/* The delay of one packet */
static u64 fabric_delay(struct fabric_queue *queue)
{
	u64 width = 2 * queue->jitter_ns + 1, drawn;

	if (!queue->jitter_ns)
		return queue->delay_ns;
	drawn = mul_u64_u32_shr(width, prandom_u32_state(&queue->random), 32);
	drawn += queue->delay_ns;
	return drawn > queue->jitter_ns ? drawn - queue->jitter_ns : 0;
}

static bool fabric_full(const struct fabric_queue *queue, u32 bytes)
{
	if (queue->limit_bytes && queue->bytes + bytes > queue->limit_bytes)
		return true;
	return queue->limit_packets && queue->packets >= queue->limit_packets;
}

/* The times of a packet that is accepted, at a link without a bucket */
static void fabric_serve(struct fabric_queue *queue, u64 at, u32 bytes,
			 struct fabric_times *times)
{
	times->begins = queue->free_ns;
	if (queue->free_ns <= at) {
		times->begins = at;
		queue->rest = 0;
	}
	times->leaves = fabric_rate_leaves(&queue->rate, times->begins, bytes,
					   &queue->rest);
	queue->free_ns = times->leaves;
}

/* The bucket is full if it has been filling for long enough. Otherwise @free_ns and
 * @credit stay, and what has come in since then follows from them.
 */
static void fabric_refill(struct fabric_queue *queue, u64 at)
{
	u64 rest = queue->rest;

	if (queue->free_ns >= at ||
	    fabric_rate_leaves(&queue->rate, queue->free_ns,
			       queue->burst - queue->credit, &rest) > at)
		return;
	queue->free_ns = at;
	queue->rest = 0;
	queue->credit = queue->burst;
}

/* The times of a packet that is accepted, at a link with a bucket */
static void fabric_serve_from_bucket(struct fabric_queue *queue, u64 at, u32 bytes,
				     struct fabric_times *times)
{
	u64 none = 0;

	fabric_refill(queue, at);
	if (bytes <= queue->credit) {
		queue->credit -= bytes;
	} else {
		queue->free_ns = fabric_rate_leaves(&queue->rate, queue->free_ns,
						    bytes - queue->credit,
						    &queue->rest);
		queue->credit = 0;
	}
	times->leaves = max(queue->free_ns, at);
	/* A link that is out sends nothing, though it may have credit. */
	if (queue->rate.count)
		times->leaves = fabric_rate_leaves(&queue->rate, times->leaves, 0, &none);
	times->begins = times->leaves;
}

bool fabric_queue_loses(struct fabric_queue *queue)
{
	return queue->loss && prandom_u32_state(&queue->random) < queue->loss;
}

u64 fabric_queue_reached(struct fabric_queue *queue, u64 now)
{
	if (!queue->delay_first)
		return now;
	queue->last_ns = max(queue->last_ns, now + fabric_delay(queue));
	return queue->last_ns;
}

/* When a packet arrives at the far end that leaves the queue at @leaves */
static u64 fabric_arrives(struct fabric_queue *queue, u64 leaves)
{
	if (queue->delay_first)
		return leaves;
	if (leaves == FABRIC_NEVER)
		queue->last_ns = FABRIC_NEVER;
	else
		queue->last_ns = max(queue->last_ns, leaves + fabric_delay(queue));
	return queue->last_ns;
}

enum fabric_verdict fabric_queue_arrival(struct fabric_queue *queue, u64 at,
					 u32 bytes, struct fabric_times *times)
{
	if (queue->red.max &&
	    fabric_red_drops(&queue->red, queue->packets, &queue->random))
		return FABRIC_RED;
	/* Without a bucket, the packet that is being sent does not wait. */
	if ((queue->burst || queue->free_ns > at) && fabric_full(queue, bytes))
		return FABRIC_FULL;

	if (queue->burst)
		fabric_serve_from_bucket(queue, at, bytes, times);
	else
		fabric_serve(queue, at, bytes, times);
	times->arrives = fabric_arrives(queue, times->leaves);
	queue->bytes += bytes;
	queue->packets++;
	return FABRIC_ACCEPTED;
}

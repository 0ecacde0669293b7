// SPDX-License-Identifier: GPL-2.0
/* Orders to the fabric that make links and change what they are */

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric_words.h"

#define MOST_BPS	1000000000000ULL	/* 1 Tbit/s */
#define LEAST_BPS	1000ULL
#define MOST_NS		(1000000 * (u64)NSEC_PER_SEC)
#define MOST_PACKETS	1000000000ULL
#define LEAST_STEP_NS	1000
#define MOST_BURST	(1ULL << 30)

static unsigned int steps_used;

static bool fabric_bps(u64 bps)
{
	return !bps || bps >= LEAST_BPS;
}

int fabric_order_link(char *text)
{
	u64 id, bps, delay, bytes, packets, loss, jitter;
	struct fabric_link *link;

	if (!fabric_number(&text, FABRIC_LINKS, &id) || id != fabric_links() ||
	    !fabric_number(&text, MOST_BPS, &bps) || !fabric_bps(bps) ||
	    !fabric_number(&text, MOST_NS, &delay) ||
	    !fabric_number(&text, MOST_PACKETS << 16, &bytes) ||
	    !fabric_number(&text, MOST_PACKETS, &packets) ||
	    !fabric_number(&text, 1ULL << 32, &loss) ||
	    !fabric_number(&text, MOST_NS, &jitter) || fabric_word(&text))
		return -EINVAL;
	link = fabric_link_add();
	if (IS_ERR(link))
		return PTR_ERR(link);
	link->queue.rate.bps = bps;
	link->queue.delay_ns = delay;
	link->queue.limit_bytes = bytes;
	link->queue.limit_packets = packets;
	link->queue.loss = loss;
	link->queue.jitter_ns = jitter;
	return 0;
}

int fabric_order_red(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	u64 min, max;

	if (!link || !fabric_number(&text, MOST_PACKETS, &min) ||
	    !fabric_number(&text, MOST_PACKETS, &max) || min > max || !max ||
	    fabric_word(&text))
		return -EINVAL;
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	link->queue.red.min = div_u64(min << 16, 1000);
	link->queue.red.max = max(div_u64(max << 16, 1000), 1);
	spin_unlock_bh(&fabric_lock);
	return 0;
}

int fabric_order_burst(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	int error = -EBUSY;
	u64 bytes;

	if (!link || !fabric_number(&text, MOST_BURST, &bytes) || fabric_word(&text) ||
	    !link->queue.rate.bps || link->queue.bare_first)
		return -EINVAL;
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	if (!link->head) {
		link->queue.burst = bytes;
		link->queue.credit = bytes;
		error = 0;
	}
	spin_unlock_bh(&fabric_lock);
	return error;
}

int fabric_order_bare_first(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	int error = -EBUSY;

	if (!link || fabric_word(&text) || !link->queue.rate.bps ||
	    link->queue.rate.count || link->queue.burst || link->queue.delay_first ||
	    link->queue.jitter_ns)
		return -EINVAL;
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	if (!link->head) {
		link->queue.bare_first = true;
		error = 0;
	}
	spin_unlock_bh(&fabric_lock);
	return error;
}

int fabric_order_bare_over(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);

	if (!link || fabric_word(&text))
		return -EINVAL;
	fabric_bare_over(link);
	return 0;
}

int fabric_order_delay_first(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	int error = -EBUSY;

	if (!link || fabric_word(&text) || link->queue.bare_first)
		return -EINVAL;
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	if (!link->head) {
		link->queue.delay_first = true;
		error = 0;
	}
	spin_unlock_bh(&fabric_lock);
	return error;
}

/* The steps of `AT_NS:BPS ...`; the number of them, or an error */
static int fabric_steps(char *text, u64 period, struct fabric_step *steps)
{
	unsigned int count = 0;
	bool sends = false;
	char *word, *at;
	u64 last;

	for (; (word = fabric_word(&text)); count++) {
		struct fabric_step *step = &steps[count];

		at = strsep(&word, ":");
		if (!word || kstrtou64(at, 10, &step->at_ns) ||
		    kstrtou64(word, 10, &step->bps) || step->at_ns > MOST_NS ||
		    step->bps > MOST_BPS || !fabric_bps(step->bps))
			return -EINVAL;
		if (count ? step->at_ns < last + LEAST_STEP_NS : step->at_ns)
			return -EINVAL;
		last = step->at_ns;
		sends |= step->bps;
	}
	if (!count || !sends || (period && period < last + LEAST_STEP_NS))
		return -EINVAL;
	return count;
}

int fabric_order_rate(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	struct fabric_step *steps;
	int count, error = -EBUSY;
	u64 zero, period;

	if (!link || !fabric_number(&text, U64_MAX >> 1, &zero) ||
	    !fabric_number(&text, MOST_NS, &period) || !text)
		return -EINVAL;
	/* A step takes four characters at least. */
	count = strlen(text) / 4 + 1;
	if (steps_used + count > FABRIC_STEPS)
		return -ENOSPC;
	steps = kvzalloc_objs(*steps, count, GFP_KERNEL);
	if (!steps)
		return -ENOMEM;
	count = fabric_steps(text, period, steps);
	if (count < 0) {
		kvfree(steps);
		return count;
	}
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	/* Packets that wait would need new times. */
	if (!link->head && !link->queue.rate.count && link->queue.rate.bps &&
	    !link->queue.bare_first) {
		link->queue.rate.zero_ns = zero;
		link->queue.rate.period_ns = period;
		link->queue.rate.steps = steps;
		link->queue.rate.count = count;
		steps_used += count;
		error = 0;
	}
	spin_unlock_bh(&fabric_lock);
	if (error)
		kvfree(steps);
	return error;
}

void fabric_rates_forget(void)
{
	steps_used = 0;
}

// SPDX-License-Identifier: MIT
/*
 * Packets seen at two points of the network: one-way delay and loss.
 *
 * A packet is known again by what routers leave alone: ends, numbers, flags, window,
 * identification, timestamps. Where two are alike, the one seen first is taken. Who
 * has not come by at the other point within `pair_ns` is lost, in the direction from
 * the point that sees such packets first, if that point was watched then. The clocks
 * must agree.
 */
#include "core.h"

#define FIRST 1024u
#define LARGEST (1u << 19)

static u64 mix(u64 state, u64 value)
{
	state ^= value;
	state *= 0x9E3779B97F4A7C15u;
	return state ^ state >> 32;
}

static u64 fingerprint(const struct analyser *c, const struct packet *p)
{
	u64 state = (u64)c->settings.seed, part[4];

	memcpy(part, p->addresses, 32);
	for (int i = 0; i < 4; i++)
		state = mix(state, part[i]);
	state = mix(state, (u64)p->ports[0] << 48 | (u64)p->ports[1] << 32 |
			   (u64)p->flags << 16 | p->window);
	state = mix(state, (u64)p->seq << 32 | p->ack);
	state = mix(state, (u64)p->id << 48 ^ (u64)p->payload);
	if (p->has_stamp)
		state = mix(state, (u64)p->stamp << 32 | p->echo);
	if (p->sacks)
		state = mix(state, (u64)p->sack[0][0] << 32 | p->sack[0][1]);
	return state;
}

/* Slots are named by their number plus 1; 0 is none. */
static struct seen *slot(const struct pairs *q, u32 name)
{
	return &q->slots[name - 1];
}

static u32 *bucket(const struct pairs *q, u64 print)
{
	return &q->buckets[print & (q->capacity - 1)];
}

/* Out of its bucket and of the list by age; free for the next. */
static void remove_seen(struct pairs *q, u32 name)
{
	struct seen *s = slot(q, name);
	u32 *link = bucket(q, s->fingerprint);

	while (*link != name)
		link = &slot(q, *link)->next;
	*link = s->next;
	*(s->older ? &slot(q, s->older)->newer : &q->oldest) = s->newer;
	*(s->newer ? &slot(q, s->newer)->older : &q->newest) = s->older;
	s->next = q->free;
	q->free = name;
}

/* Whether the other point was looked at when a packet should have come by there: not
 * before the first packet of its capture, nor once that has ended. Until when a
 * capture lasts is known when all its files are over. */
static bool watched(const struct analyser *c, const struct seen *s)
{
	const struct direction *dir = s->direction;
	i64 slowest = dir->delay.count ? 2 * dir->delay.max : 1000000000;
	i64 first = INT64_MAX, last = -1;
	bool over = true;

	for (u32 i = 0; i < c->input_count; i++) {
		const struct input *in = c->inputs[i];

		if (in->row.point == dir->subflow->point)
			continue;
		over = over && in->over;
		last = max(last, in->row.last_ns);
		if (in->row.first_ns >= 0)
			first = min(first, in->row.first_ns);
	}
	return s->time_ns >= first && (!over || s->time_ns + slowest < last);
}

/* The series has gone on since: the interval gets a row of its own. */
static void note_loss(struct analyser *c, const struct direction *dir, i64 time_ns)
{
	struct table *t = &c->out[OUT_SERIES];
	struct series_row *last = t->count ? (struct series_row *)t->rows + t->count - 1 :
				  NULL;
	i64 interval, end = dir != &dir->subflow->directions[0];

	if (!c->settings.interval_ns)
		return;
	interval = max(0, time_ns - c->zero_ns) / c->settings.interval_ns;
	if (!last || last->interval != interval || last->direction != end ||
	    last->subflow != dir->subflow->index) {
		last = new_row(&c->memory, t);
		if (!last)
			return;
		last->interval = interval;
		last->subflow = dir->subflow->index;
		last->direction = end;
	}
	last->unmatched++;
}

static void not_matched(struct analyser *c, const struct seen *s)
{
	struct direction *dir = s->direction;
	struct event_row *e;

	if (!watched(c, s)) {
		dir->row.undecided++;
		return;
	}
	dir->row.unmatched++;
	note_loss(c, dir, s->time_ns);
	e = event(c, EVENT_LOSS, dir, s->time_ns);
	if (e)
		e->length = 1;
}

static void drop_oldest(struct analyser *c)
{
	struct pairs *q = &c->pairs;

	not_matched(c, slot(q, q->oldest));
	remove_seen(q, q->oldest);
}

static void take_delay(struct analyser *c, struct direction *from, struct direction *to, i64 ns,
		       i64 time_ns)
{
	struct series_row *b = bin(c, from, time_ns);
	struct event_row *e = event(c, EVENT_DELAY, from, time_ns);

	from->far = to;
	to->far = from;
	from->row.matched++;
	from->row.origin++;
	to->row.origin--;
	sample(&c->memory, &from->delay, ns);
	if (b) {
		b->delay_min_ns = b->matched ? min(b->delay_min_ns, ns) : ns;
		b->delay_max_ns = max(b->delay_max_ns, ns);
		b->delay_sum_ns += ns;
		b->matched++;
	}
	if (e)
		e->length = ns;
}

static bool widen(struct arena *m, struct pairs *q)
{
	u32 more = q->capacity ? 2 * q->capacity : FIRST;
	u32 *buckets = arena_alloc(m, more * sizeof(*buckets));
	struct seen *slots = buckets ? arena_grow(m, q->slots, q->capacity * sizeof(*slots),
					    more * sizeof(*slots)) : NULL;

	if (!slots) {
		arena_free(m, buckets, more * sizeof(*buckets));
		return false;
	}
	arena_free(m, q->buckets, q->capacity * sizeof(*buckets));
	q->slots = slots;
	q->buckets = buckets;
	q->capacity = more;
	for (u32 name = q->oldest; name; name = slot(q, name)->newer) {
		u32 *link = bucket(q, slot(q, name)->fingerprint);

		while (*link)
			link = &slot(q, *link)->next;
		slot(q, name)->next = 0;
		*link = name;
	}
	return true;
}

/* A slot to put a packet in; 0 if there is no memory for a single one. */
static u32 free_slot(struct analyser *c)
{
	struct pairs *q = &c->pairs;
	u32 name;

	if (!q->free && q->used == q->capacity &&
	    (q->capacity == LARGEST || !widen(&c->memory, q))) {
		if (!q->oldest)
			return 0;
		drop_oldest(c);
	}
	name = q->free;
	if (!name)
		return ++q->used;
	q->free = slot(q, name)->next;
	return name;
}

static void remember(struct analyser *c, const struct packet *p, u64 print)
{
	struct pairs *q = &c->pairs;
	u32 name = free_slot(c), *link;

	if (!name)
		return;
	*slot(q, name) = (struct seen){ print, p->direction, p->time_ns, 0, 0, q->newest };
	*(q->newest ? &slot(q, q->newest)->newer : &q->oldest) = name;
	q->newest = name;
	link = bucket(q, print);
	while (*link)
		link = &slot(q, *link)->next;
	*link = name;
}

void pair(struct analyser *c, const struct packet *p, u32 point)
{
	struct pairs *q = &c->pairs;
	u64 print = fingerprint(c, p);

	while (q->oldest && slot(q, q->oldest)->time_ns + c->settings.pair_ns < p->time_ns)
		drop_oldest(c);
	for (u32 name = q->capacity ? *bucket(q, print) : 0; name;
	     name = slot(q, name)->next) {
		struct seen *s = slot(q, name);

		if (s->fingerprint == print && s->direction->subflow->point != point) {
			take_delay(c, s->direction, p->direction, p->time_ns - s->time_ns,
				   s->time_ns);
			remove_seen(q, name);
			return;
		}
	}
	remember(c, p, print);
}

/* What was under way when the capture ended may have arrived: nobody knows. */
void pairs_end(struct analyser *c)
{
	while (c->pairs.oldest)
		drop_oldest(c);
}

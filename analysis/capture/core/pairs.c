// SPDX-License-Identifier: MIT
/*
 * Packets seen at two points of the network: one-way delay and loss.
 *
 * A packet is known again by what routers leave alone: ends, numbers, flags, window,
 * identification, timestamps. Where two are alike, the one seen first is taken. Who
 * has not come by at the other point within `pair_ns` is lost, in the direction from
 * the point that sees such packets first. The clocks must agree.
 */
#include "core.h"

#define RING (1u << 19)
#define BUCKETS (1u << 18)

static u64 mix(u64 state, u64 value)
{
	state ^= value;
	state *= 0x9E3779B97F4A7C15u;
	return state ^ state >> 32;
}

static u64 fingerprint(const struct capture *c, const struct packet *p)
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

static struct seen *slot(const struct pairs *q, u64 number)
{
	return &q->ring[number & (RING - 1)];
}

/* Lists hold the ring's numbers plus 1, modulo 2^32; 0 ends them. */
static void unlink_seen(struct pairs *q, u64 number)
{
	struct seen *s = slot(q, number);
	u32 *link = &q->buckets[s->fingerprint & (BUCKETS - 1)];
	u32 name = ((u32)number & (RING - 1)) + 1;

	while (*link && *link != name)
		link = &q->ring[*link - 1].next;
	if (*link)
		*link = s->next;
	s->gone = true;
}

static void not_matched(struct capture *c, struct seen *s, bool undecided)
{
	struct half *h = s->half;
	struct event_row *e;
	struct series_row *b;

	if (undecided) {
		h->row.undecided++;
		return;
	}
	h->row.unmatched++;
	/* A series that has gone on gets a row of its own. */
	b = h->bin.interval >= 0 ? &h->bin : NULL;
	if (b)
		b->unmatched++;
	e = event(c, EVENT_LOSS, h, s->time_ns);
	if (e)
		e->length = 1;
}

static void drop_oldest(struct capture *c, bool undecided)
{
	struct pairs *q = &c->pairs;
	struct seen *s = slot(q, q->head);

	if (!s->gone) {
		not_matched(c, s, undecided);
		unlink_seen(q, q->head);
	}
	q->head++;
}

static void take_delay(struct capture *c, struct half *from, struct half *to, i64 ns,
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
		b->delay_min_ns = b->matched ? least(b->delay_min_ns, ns) : ns;
		b->delay_max_ns = most(b->delay_max_ns, ns);
		b->delay_sum_ns += ns;
		b->matched++;
	}
	if (e)
		e->length = ns;
}

static bool begin(struct capture *c)
{
	struct pairs *q = &c->pairs;

	if (!q->ring)
		q->ring = take(&c->memory, RING * sizeof(*q->ring));
	if (!q->buckets)
		q->buckets = take(&c->memory, BUCKETS * sizeof(*q->buckets));
	return q->ring && q->buckets;
}

void pair(struct capture *c, const struct packet *p, u32 point)
{
	struct pairs *q = &c->pairs;
	u64 print = fingerprint(c, p);
	u32 *link;

	if (!begin(c))
		return;
	q->last_ns[point & 1] = p->time_ns;
	while (q->head < q->tail &&
	       (q->tail - q->head == RING || slot(q, q->head)->gone ||
		slot(q, q->head)->time_ns + c->settings.pair_ns < p->time_ns))
		drop_oldest(c, false);
	link = &q->buckets[print & (BUCKETS - 1)];
	while (*link) {
		struct seen *s = &q->ring[*link - 1];

		if (s->fingerprint == print && s->half->subflow->point != point) {
			take_delay(c, s->half, p->half, p->time_ns - s->time_ns,
				   s->time_ns);
			*link = s->next;
			s->gone = true;
			return;
		}
		link = &s->next;
	}
	*slot(q, q->tail) = (struct seen){ print, p->half, p->time_ns, 0, false };
	*link = ((u32)q->tail & (RING - 1)) + 1;
	q->tail++;
}

/* What was under way when the capture ended may have arrived: nobody knows. */
void pairs_end(struct capture *c)
{
	struct pairs *q = &c->pairs;

	while (q->head < q->tail) {
		struct seen *s = slot(q, q->head);
		struct half *h = s->half;
		i64 end = q->last_ns[!(h->subflow->point & 1)];
		i64 slowest = h->delay.count ? 2 * h->delay.most : 1000000000;

		drop_oldest(c, s->time_ns + slowest >= end);
	}
}

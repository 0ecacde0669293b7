// SPDX-License-Identifier: MIT
/*
 * Packets at two capture points: one-way delay and loss.
 *
 * Payload is matched by its range of sequence numbers (pending.c), as an interface may
 * cut a packet (TSO) or put several together (GRO) on the way; the sender's timestamp
 * tells copies of a range apart. A packet without payload is known by the fields that
 * routers leave alone; of two that are alike, the first is taken.
 *
 * What the other capture point does not show within `pair_ns` is lost, in the direction
 * from the point that shows such packets first, if the other was watched then. The
 * clocks must agree.
 */
#include "core.h"

#define FIRST 1024u
#define LARGEST (1u << 19)

static u32 *bucket(const struct pairs *q, u64 print)
{
	return &q->buckets[print & (q->capacity - 1)];
}

/* Out of its index and of the list by age; its slot is free for another. */
static void remove_seen(struct pairs *q, u32 name)
{
	struct seen *s = seen_at(q, name);

	if (s->is_data) {
		pending_remove(q, name);
	} else {
		u32 *link = bucket(q, s->fingerprint);

		while (*link != name)
			link = &seen_at(q, *link)->next;
		*link = s->next;
	}
	*(s->older ? &seen_at(q, s->older)->newer : &q->oldest) = s->newer;
	*(s->newer ? &seen_at(q, s->newer)->older : &q->newest) = s->older;
	s->direction->pending--;
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
static void note_loss(struct analyser *c, const struct direction *dir, i64 time_ns,
		      i64 packets, i64 bytes)
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
	last->unmatched += packets;
	last->unmatched_bytes += bytes;
}

/* How many packets a range was on the wire, if it was cut there: of the size of the
 * largest that the other capture point shows. */
static i64 packets_of(const struct seen *s)
{
	const struct direction *dir = s->direction, *twin = dir->twin;
	i64 size = twin ? min(dir->longest, twin->longest) : 0;

	if (!s->is_data || !dir->row.resegmented || size < 1)
		return 1;
	return (s->to - s->from + size - 1) / size;
}

static void not_matched(struct analyser *c, const struct seen *s)
{
	struct direction *dir = s->direction;
	i64 bytes = s->is_data ? s->to - s->from : 0, packets = packets_of(s);
	struct event_row *e;

	if (!watched(c, s)) {
		dir->row.undecided++;
		return;
	}
	dir->row.unmatched += packets;
	dir->row.unmatched_bytes += bytes;
	note_loss(c, dir, s->time_ns, packets, bytes);
	e = event(c, EVENT_LOSS, dir, s->time_ns);
	if (e)
		e->length = packets;
}

static void drop_oldest(struct analyser *c)
{
	struct pairs *q = &c->pairs;

	not_matched(c, seen_at(q, q->oldest));
	remove_seen(q, q->oldest);
}

static void take_delay(struct analyser *c, struct direction *from,
		       struct direction *to, i64 ns, i64 time_ns, i64 bytes)
{
	struct series_row *b = bin(c, from, time_ns);
	struct event_row *e = event(c, EVENT_DELAY, from, time_ns);

	from->row.matched++;
	from->row.matched_bytes += bytes;
	from->row.origin++;
	to->row.origin--;
	sample(&c->memory, &from->delay, ns);
	if (b) {
		b->delay_min_ns = b->matched ? min(b->delay_min_ns, ns) : ns;
		b->delay_max_ns = max(b->delay_max_ns, ns);
		b->delay_sum_ns += ns;
		b->matched++;
		b->matched_bytes += bytes;
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
	for (u32 name = q->oldest; name; name = seen_at(q, name)->newer) {
		u32 *link = bucket(q, seen_at(q, name)->fingerprint);

		if (seen_at(q, name)->is_data)
			continue;
		while (*link)
			link = &seen_at(q, *link)->next;
		seen_at(q, name)->next = 0;
		*link = name;
	}
	return true;
}

/* A slot that is free without forgetting another packet; 0 if there is none. */
static u32 spare_slot(struct analyser *c)
{
	struct pairs *q = &c->pairs;
	u32 name = q->free;

	if (name) {
		q->free = seen_at(q, name)->next;
		return name;
	}
	if (q->used == q->capacity &&
	    (q->capacity == LARGEST || !widen(&c->memory, q)))
		return 0;
	return ++q->used;
}

static u32 free_slot(struct analyser *c)
{
	u32 name = spare_slot(c);

	if (!name && c->pairs.oldest) {
		drop_oldest(c);
		name = spare_slot(c);
	}
	return name;
}

/* Keep a packet, or a range of its payload, `after` another or as the newest. */
static void keep(struct analyser *c, u32 name, struct seen s, u32 after)
{
	struct pairs *q = &c->pairs;

	s.older = after;
	s.newer = after ? seen_at(q, after)->newer : q->oldest;
	s.next = 0;
	*seen_at(q, name) = s;
	*(s.older ? &seen_at(q, s.older)->newer : &q->oldest) = name;
	*(s.newer ? &seen_at(q, s.newer)->older : &q->newest) = name;
	s.direction->pending++;
	if (s.is_data) {
		pending_add(q, name);
	} else {
		u32 *link = bucket(q, s.fingerprint);

		while (*link)
			link = &seen_at(q, *link)->next;
		*link = name;
	}
}

static void remember(struct analyser *c, const struct seen *s)
{
	u32 name = free_slot(c);

	if (name)
		keep(c, name, *s, c->pairs.newest);
}

void link_twins(struct subflow *s, struct subflow *other)
{
	if (!other || other->directions[0].twin)
		return;
	for (int i = 0; i < 2; i++) {
		struct direction *dir = &s->directions[i], *twin = &other->directions[i];

		dir->twin = twin;
		twin->twin = dir;
		dir->counts_like = twin;
	}
}

void unlink_twins(struct subflow *s)
{
	for (int i = 0; i < 2; i++) {
		struct direction *dir = &s->directions[i], *twin = dir->twin;

		if (!twin)
			continue;
		if (twin->counts_like == dir) {
			twin->counts_like = twin;
			twin->pair_next = dir->pair_next;
		}
		dir->twin = twin->twin = NULL;
	}
}

/* The number of a payload's first byte, past wrap-around, the same at both points. */
static i64 payload_number(struct direction *dir, const struct packet *p)
{
	struct direction *like = dir->counts_like;
	u32 seq = p->seq + !!(p->flags & TCP_SYN);
	i64 number;

	if (!like->pair_next)
		like->pair_next = (i64)1 << 40 | seq;
	number = like->pair_next + (i32)(seq - (u32)like->pair_next);
	like->pair_next = max(like->pair_next, number);
	return number;
}

/* Take [from, to) out of a range that waits; what lies beside it goes on waiting. */
static void take_part(struct analyser *c, u32 name, i64 from, i64 to)
{
	struct pairs *q = &c->pairs;
	struct seen s = *seen_at(q, name), rest = s;
	u32 after = s.older, spare;

	remove_seen(q, name);
	rest.to = from;
	if (rest.to > rest.from && (spare = spare_slot(c))) {
		keep(c, spare, rest, after);
		after = spare;
	}
	rest.from = to;
	rest.to = s.to;
	if (rest.to > rest.from) {
		spare = spare_slot(c);
		if (spare)
			keep(c, spare, rest, after);
		else
			s.direction->row.undecided++;
	}
}

/* Payload: each part that the other capture point has shown is matched, the rest waits
 * for it. */
static void pair_payload(struct analyser *c, const struct packet *p)
{
	struct direction *dir = p->direction, *twin = dir->twin;
	struct pairs *q = &c->pairs;
	struct seen s = {
		.direction = dir, .time_ns = p->time_ns, .is_data = true, .id = p->id,
		.has_stamp = p->has_stamp, .stamp = p->has_stamp ? p->stamp : 0,
	};
	i64 to;

	s.from = payload_number(dir, p);
	s.to = to = s.from + p->payload;
	dir->longest = (u32)max(dir->longest, p->payload);
	while (s.from < to) {
		u32 name = twin ? pending_find(q, twin, &s) : 0;
		struct seen other, rest = s;
		i64 from, end;

		if (!name)
			break;
		other = *seen_at(q, name);
		from = max(s.from, other.from);
		end = min(to, other.to);
		if (from > s.from) {
			rest.to = from;
			remember(c, &rest);
			s.from = from;
			/* That may have pushed the other out. */
			if (pending_find(q, twin, &s) != name)
				break;
		}
		if (end - from != p->payload || end - from != other.to - other.from)
			twin->row.resegmented++;
		take_delay(c, twin, dir, p->time_ns - other.time_ns, other.time_ns,
			   end - from);
		take_part(c, name, from, end);
		s.from = end;
	}
	if (s.from < to)
		remember(c, &s);
}

static void pair_control(struct analyser *c, const struct packet *p, u32 point)
{
	struct pairs *q = &c->pairs;
	struct seen s = {
		.fingerprint = fingerprint(c, p), .direction = p->direction,
		.time_ns = p->time_ns,
	};

	for (u32 name = q->capacity ? *bucket(q, s.fingerprint) : 0; name;
	     name = seen_at(q, name)->next) {
		const struct seen *other = seen_at(q, name);

		if (other->fingerprint == s.fingerprint &&
		    other->direction->subflow->point != point) {
			take_delay(c, other->direction, p->direction,
				   p->time_ns - other->time_ns, other->time_ns, 0);
			remove_seen(q, name);
			return;
		}
	}
	remember(c, &s);
}

void pair(struct analyser *c, const struct packet *p, u32 point)
{
	struct pairs *q = &c->pairs;

	if (!q->random)
		q->random = (u64)c->settings.seed | 1;
	while (q->oldest && seen_at(q, q->oldest)->time_ns + c->settings.pair_ns < p->time_ns)
		drop_oldest(c);
	if (p->payload > 0)
		pair_payload(c, p);
	else
		pair_control(c, p, point);
}

/* What was under way when the capture ended may have arrived: nobody knows. */
void pairs_end(struct analyser *c)
{
	while (c->pairs.oldest)
		drop_oldest(c);
}

/* When memory runs out, the fate of the older half stays undecided. */
void pairs_forget(struct analyser *c)
{
	struct pairs *q = &c->pairs;

	for (u32 i = q->used / 2; i && q->oldest; i--) {
		seen_at(q, q->oldest)->direction->row.undecided++;
		remove_seen(q, q->oldest);
	}
}

// SPDX-License-Identifier: MIT
/*
 * Fragments of IP packets, put together (RFC 791, RFC 8200, 4.5).
 *
 * What is looked for are headers, so the first KEPT bytes of a packet are kept, and of
 * the others only that they came. Fragments that say the same twice are one; where they
 * overlap otherwise, the packet is given up (RFC 5722). The number of packets that wait
 * is bounded, and they wait for so long as receivers do.
 */
#include "core.h"

#define KEPT 2048
#define BLOCK 8			/* the unit of a fragment's place */
#define MOST_PIECES 64		/* stretches of a packet that do not touch */
#define MOST_WAITING 1024	/* packets */
#define WAIT_4_NS 30000000000	/* Linux's ipfrag_time */
#define WAIT_6_NS 60000000000	/* RFC 8200, 4.5 */
#define LONGEST_IP 65535

struct datagram {
	u64 hash;
	u8 addresses[2][16];
	u32 id, source, input;
	u8 version, protocol, protocol_of_first;
	i64 since_ns;
	u64 number;		/* in the order in which they began */
	u32 total;		/* 0: the last fragment has not come */
	u32 frames, frame_bytes, ip_bytes;
	bool ce, overlong;
	u32 pieces;
	struct {
		u32 from, to;
	} piece[MOST_PIECES];
	u64 filled[KEPT / BLOCK / 64];	/* blocks of `bytes` */
	u8 bytes[KEPT];
};

static u64 hash_of(const struct analyser *c, const struct packet *p,
		   const struct fragment *f)
{
	u64 part[4], state = (u64)c->settings.seed;

	memcpy(part, p->addresses, 32);
	for (int i = 0; i < 4; i++)
		state = (state ^ part[i]) * 0x9E3779B97F4A7C15u, state ^= state >> 29;
	state ^= (u64)f->id << 32 | (u64)f->protocol << 8 | p->version;
	state *= 0x9E3779B97F4A7C15u;
	return state ^ state >> 32;
}

static bool is_of(const struct datagram *d, const struct packet *p,
		  const struct fragment *f, u64 hash)
{
	return d->hash == hash && d->id == f->id && d->protocol == f->protocol &&
	       d->version == p->version && d->source == p->source &&
	       d->input == p->input && !memcmp(d->addresses, p->addresses, 32);
}

/* Out of the list; its fragments are left out. */
static void give_up(struct analyser *c, u32 index, bool space)
{
	struct fragments *q = &c->fragments;
	struct datagram *d = q->list[index];
	struct input_row *r = &c->inputs[d->input]->row;

	r->fragments += d->frames;
	r->dropped_fragments += space ? d->frames : 0;
	arena_free(&c->memory, d, sizeof(*d));
	q->list[index] = q->list[--q->count];
}

static void give_up_old(struct analyser *c, i64 now_ns)
{
	struct fragments *q = &c->fragments;

	for (u32 i = q->count; i--;) {
		const struct datagram *d = q->list[i];
		i64 wait_ns = d->version == 4 ? WAIT_4_NS : WAIT_6_NS;

		if (now_ns - d->since_ns > wait_ns || d->since_ns - now_ns > wait_ns)
			give_up(c, i, false);
	}
}

static void give_up_oldest(struct analyser *c)
{
	struct fragments *q = &c->fragments;
	u32 oldest = 0;

	for (u32 i = 1; i < q->count; i++) {
		if (q->list[i]->number < q->list[oldest]->number)
			oldest = i;
	}
	give_up(c, oldest, true);
}

/* Their number in the list; the count of all if there is no memory. */
static u32 begin(struct analyser *c, const struct packet *p, const struct fragment *f,
		 u64 hash)
{
	struct fragments *q = &c->fragments;
	i64 most = min(MOST_WAITING, c->settings.budget / 32 / (i64)sizeof(struct datagram));
	struct datagram *d;

	if (!q->list)
		q->list = arena_alloc(&c->memory, MOST_WAITING * sizeof(struct datagram *));
	if (!q->list)
		return q->count;
	if (q->count && q->count >= most)
		give_up_oldest(c);
	d = arena_alloc(&c->memory, sizeof(*d));
	if (!d)
		return q->count;
	d->hash = hash;
	memcpy(d->addresses, p->addresses, 32);
	d->id = f->id;
	d->protocol = f->protocol;
	d->version = p->version;
	d->source = p->source;
	d->input = p->input;
	d->since_ns = p->time_ns;
	d->number = q->begun++;
	q->list[q->count] = d;
	return q->count++;
}

enum added { NEW, TWICE, WRONG };

/* Note that [from, to) is there. */
static enum added add_piece(struct datagram *d, u32 from, u32 to)
{
	u32 at = 0, joined;

	while (at < d->pieces && d->piece[at].to < from)
		at++;
	if (at < d->pieces && d->piece[at].from <= from && to <= d->piece[at].to)
		return TWICE;
	/* Pieces that touch do not overlap. */
	if (at < d->pieces && d->piece[at].to == from) {
		if (at + 1 < d->pieces && d->piece[at + 1].from < to)
			return WRONG;
		d->piece[at].to = to;
		joined = at + 1;
		if (joined < d->pieces && d->piece[joined].from == to) {
			d->piece[at].to = d->piece[joined].to;
			d->pieces--;
			memmove(&d->piece[joined], &d->piece[joined + 1],
				(d->pieces - joined) * sizeof(d->piece[0]));
		}
		return NEW;
	}
	if (at < d->pieces && d->piece[at].from < to)
		return WRONG;
	if (at < d->pieces && d->piece[at].from == to) {
		d->piece[at].from = from;
		return NEW;
	}
	if (d->pieces == MOST_PIECES)
		return WRONG;
	memmove(&d->piece[at + 1], &d->piece[at], (d->pieces - at) * sizeof(d->piece[0]));
	d->piece[at].from = from;
	d->piece[at].to = to;
	d->pieces++;
	return NEW;
}

/* Keep what was captured of a fragment. A block of which a part was cut off is not there;
 * the last one of the packet may be short. */
static void keep_bytes(struct datagram *d, const struct span *s, u32 from, u32 to)
{
	u32 count = (u32)min((i64)s->left, to - from);
	bool whole = count == to - from;

	if (from >= KEPT)
		return;
	count = (u32)min(count, KEPT - from);
	memcpy(d->bytes + from, s->at, count);
	for (u32 at = 0; at + BLOCK <= count || (at < count && whole); at += BLOCK) {
		u32 block = (from + at) / BLOCK;

		d->filled[block / 64] |= 1ull << block % 64;
	}
}

/* How many bytes are there from the packet's first on. */
static u32 known_bytes(const struct datagram *d)
{
	u32 block = 0;

	while (block < KEPT / BLOCK && d->filled[block / 64] >> block % 64 & 1)
		block++;
	return (u32)min(block * BLOCK, d->total);
}

static bool is_whole(const struct datagram *d)
{
	return d->total && d->pieces == 1 && !d->piece[0].from &&
	       d->piece[0].to == d->total;
}

/* The packet takes the place of its last fragment. */
static void finish(struct analyser *c, u32 index, struct span *s, struct packet *p)
{
	struct fragments *q = &c->fragments;
	struct datagram *d = q->list[index];
	struct input_row *r = &c->inputs[d->input]->row;

	arena_free(&c->memory, q->done, sizeof(*d));
	q->done = d;
	q->list[index] = q->list[--q->count];
	r->reassembled++;
	r->joined_fragments += d->frames;
	*s = (struct span){ d->bytes, known_bytes(d) };
	p->payload = d->total;
	p->frame_bytes = d->frame_bytes;
	p->ip_bytes = d->ip_bytes;
	p->ce = d->ce;
	p->overlong = d->overlong;
}

/* A fragment's payload: `s` is what was captured, `p->payload` what was on the wire. If it
 * is the last one to come, both become those of the whole packet, and IS_TCP says so. */
enum dissected join_fragment(struct analyser *c, struct span *s, struct packet *p,
			     struct fragment *f)
{
	struct fragments *q = &c->fragments;
	u64 hash = hash_of(c, p, f), to = f->from + (u64)max(0, p->payload);
	enum added what;
	struct datagram *d;
	u32 index = 0;

	if (to > LONGEST_IP || to == f->from || (!f->last && to % BLOCK))
		return IS_MALFORMED;
	give_up_old(c, p->time_ns);
	while (index < q->count && !is_of(q->list[index], p, f, hash))
		index++;
	if (index == q->count)
		index = begin(c, p, f, hash);
	if (index == q->count) {
		c->inputs[p->input]->row.dropped_fragments++;
		return IS_FRAGMENT;
	}
	d = q->list[index];
	d->frames++;
	what = (f->last && d->total && d->total != to) || (d->total && to > d->total) ||
	       (f->last && d->pieces && d->piece[d->pieces - 1].to > to) ?
	       WRONG : add_piece(d, f->from, (u32)to);
	if (what == WRONG) {
		give_up(c, index, false);
		return IS_HELD;
	}
	if (what == TWICE)
		return IS_HELD;
	if (f->last)
		d->total = (u32)to;
	d->frame_bytes += p->frame_bytes;
	d->ip_bytes += p->ip_bytes;
	d->ce |= p->ce;
	d->overlong |= p->overlong;
	keep_bytes(d, s, f->from, (u32)to);
	if (!f->from)
		d->protocol_of_first = f->next;
	if (!is_whole(d))
		return IS_HELD;
	f->next = d->protocol_of_first;
	finish(c, index, s, p);
	return IS_TCP;
}

/* At the end of the capture, what has not become whole is left out. */
void end_fragments(struct analyser *c)
{
	while (c->fragments.count)
		give_up(c, 0, false);
}

void free_fragments(struct analyser *c)
{
	end_fragments(c);
	arena_free(&c->memory, c->fragments.done, sizeof(struct datagram));
	arena_free(&c->memory, c->fragments.list,
		   MOST_WAITING * sizeof(struct datagram *));
	c->fragments = (struct fragments){ 0 };
}

// SPDX-License-Identifier: MIT
/*
 * What was captured before the handshake that explains it: joins with the token of a
 * key that came later, and data whose numbers had nothing to count from. Such a
 * connection becomes part of the one that the key belongs to.
 */
#include <stdlib.h>

#include "core.h"

#define MOST_DATA (1ll << 60)	/* no connection carries more */

static i64 lowest(const struct data *d)
{
	const struct ranges *r = &d->ranges;

	return r->count ? min(d->start, r->list[r->head].from) : d->start;
}

/* By how much the numbers of `d` grow if they count from `base` instead; those of 4
 * bytes are taken to be the first such after it, or near `near` if that is positive.
 * False if they cannot be meant. */
static bool distance(const struct data *d, u64 base, bool wide, i64 near, i64 *by)
{
	i64 low = lowest(d), moved;

	if (wide && d->base64)
		moved = (i64)((u64)low + d->base - base);
	else
		moved = (u32)((u32)low + (u32)d->base - (u32)base);
	if (near > 0 && !(wide && d->base64))
		moved = near + (i32)((u32)moved - (u32)near);
	if (moved < 1 || moved > MOST_DATA)
		return false;
	*by = moved - low;
	return true;
}

static void shift(struct connection *conn, struct data *d, i64 by)
{
	struct ranges *r = &d->ranges;

	for (u32 i = 0; i < r->count; i++) {
		r->list[r->head + i].from += by;
		r->list[r->head + i].to += by;
	}
	if (r->forgotten)
		r->floor += by;
	d->base -= (u64)by;
	d->start += by;
	d->next += by;
	d->acked += by;
	d->reinjected_to += by;
	if (d->fin >= 0)
		d->fin += by;
	for (struct subflow *s = conn->first_subflow; s; s = s->sibling) {
		shift_mappings(&s->directions[0], d, by);
		shift_mappings(&s->directions[1], d, by);
	}
}

/* The number that the connection's data count from has become known. */
void count_from(struct connection *conn, struct data *d, u64 first)
{
	i64 by;

	if (!d->seen) {
		d->start = d->next = d->acked = 1;
	} else if (distance(d, first, true, 0, &by)) {
		shift(conn, d, by);
		d->start = 1;
	} else {
		d->row.implausible++;
		return;
	}
	d->base = first;
	d->seen = d->base64 = d->keyed = true;
}

/* Make the numbers of `from` count like those of `to`. */
static bool align(struct connection *conn, struct data *from, struct data *to)
{
	i64 by;

	if (!from->seen)
		return true;
	if (!to->seen) {
		to->seen = true;
		to->base = from->base;
		to->base64 = from->base64;
		to->start = from->start;
		to->next = from->next;
		to->acked = from->acked;
		return true;
	}
	if (!distance(from, to->base, to->base64, to->keyed ? 0 : to->next, &by))
		return false;
	shift(conn, from, by);
	if (from->base64 && !to->base64) {
		to->base = from->base;
		to->base64 = true;
	}
	return true;
}

static int by_index(const void *a, const void *b)
{
	const struct subflow *const *first = a, *const *second = b;

	return (*first)->index < (*second)->index ? -1 : (*first)->index > (*second)->index;
}

/* The subflows of a connection by their index; NULL if there is no memory. */
static struct subflow **sorted_subflows(struct arena *m, const struct connection *conn)
{
	size_t count = (size_t)conn->row.subflows, i = 0;
	struct subflow **list = arena_alloc(m, count * sizeof(*list));

	for (struct subflow *s = conn->first_subflow; list && s && i < count; s = s->sibling)
		list[i++] = s;
	if (list)
		qsort(list, i, sizeof(*list), by_index);
	return list;
}

static struct subflow *subflow_at(struct subflow **list, size_t count, u32 index)
{
	const struct subflow wanted = { .index = index }, *key = &wanted;
	struct subflow **at = bsearch(&key, list, count, sizeof(*list), by_index);

	return at ? *at : NULL;
}

/* Data of both that are the same were sent on two subflows. */
static void unite(struct analyser *c, struct data *to, struct data *from)
{
	size_t count = (size_t)from->connection->row.subflows;
	struct ranges *r = &from->ranges;
	struct subflow **list;
	struct overlap overlap;

	if (!to->ranges.count && !to->ranges.forgotten) {
		struct ranges none = to->ranges;

		to->ranges = *r;
		*r = none;
	}
	list = r->count ? sorted_subflows(&c->memory, from->connection) : NULL;
	for (u32 i = 0; list && i < r->count; i++) {
		const struct range *piece = &r->list[r->head + i];
		struct subflow *s = subflow_at(list, count, piece->owner);
		struct direction *dir;

		ranges_add(&c->memory, &to->ranges, piece->from, piece->to,
			   piece->owner, &overlap);
		if (!overlap.others || !s)
			continue;
		dir = &s->directions[s->directions[0].data != from];
		to->row.bytes -= overlap.others;
		to->row.reinjections++;
		to->row.reinjected_packets++;
		to->row.reinjected_bytes += overlap.others;
		dir->row.data_bytes -= overlap.others;
		dir->row.reinjected_packets++;
		dir->row.reinjected_bytes += overlap.others;
	}
	arena_free(&c->memory, list, count * sizeof(*list));
	to->row.forgotten_ranges += from->ranges.forgotten;
}

static i64 earlier(i64 a, i64 b)
{
	return a < 0 || b < 0 ? max(a, b) : min(a, b);
}

static void add_counts(struct data_row *to, const struct data_row *from)
{
	to->bytes += from->bytes;
	to->packets += from->packets;
	to->reinjections += from->reinjections;
	to->reinjected_packets += from->reinjected_packets;
	to->reinjected_bytes += from->reinjected_bytes;
	to->resent_packets += from->resent_packets;
	to->resent_bytes += from->resent_bytes;
	to->ooo_packets += from->ooo_packets;
	to->ooo_bytes += from->ooo_bytes;
	to->idle_periods += from->idle_periods;
	to->idle_ns += from->idle_ns;
	to->unmapped_packets += from->unmapped_packets;
	to->unmapped_bytes += from->unmapped_bytes;
	to->implausible += from->implausible;
	to->wraps += from->wraps;
	to->ooo_depth_bytes = max(to->ooo_depth_bytes, from->ooo_depth_bytes);
	to->in_flight_max_bytes = max(to->in_flight_max_bytes, from->in_flight_max_bytes);
	to->idle_max_ns = max(to->idle_max_ns, from->idle_max_ns);
	to->first_ns = earlier(to->first_ns, from->first_ns);
	to->last_ns = max(to->last_ns, from->last_ns);
	to->first_reinjection_ns =
		earlier(to->first_reinjection_ns, from->first_reinjection_ns);
	to->last_reinjection_ns =
		max(to->last_reinjection_ns, from->last_reinjection_ns);
	to->data_fin_ns = earlier(to->data_fin_ns, from->data_fin_ns);
	to->data_fin_acked_ns = earlier(to->data_fin_acked_ns, from->data_fin_acked_ns);
}

static void fold(struct analyser *c, struct connection *conn, struct data *from,
		 struct data *to)
{
	if (!align(conn, from, to)) {
		to->row.implausible++;
		to->row.unmapped_packets += from->row.packets;
		to->row.unmapped_bytes += from->row.bytes;
		for (struct subflow *s = conn->first_subflow; s; s = s->sibling)
			forget_mappings(&s->directions[s->directions[0].data != from]);
		to->mapping_unseen |= from->row.packets > 0;
		return;
	}
	if (from->acked > to->acked)
		to->row.complete_ns = from->row.complete_ns;
	to->start = to->keyed ? to->start : min(to->start, from->start);
	to->next = max(to->next, from->next);
	to->acked = max(to->acked, from->acked);
	to->fin = max(to->fin, from->fin);
	to->busy_ns = max(to->busy_ns, from->busy_ns);
	to->mapping_unseen |= from->mapping_unseen;
	to->reinjected_to = from->reinjected_to;
	add_counts(&to->row, &from->row);
	unite(c, to, from);
}

static void move_subflows(struct connection *from, struct connection *to, bool turned)
{
	for (struct subflow *s = from->first_subflow; s; s = s->sibling) {
		s->connection = to;
		s->row.number = to->row.subflows++;
		for (int i = 0; i < 2; i++) {
			s->directions[i].row.direction ^= turned;
			s->directions[i].data = to->data[s->directions[i].row.direction];
		}
	}
	to->last_subflow->sibling = from->first_subflow;
	to->last_subflow = from->last_subflow;
	from->first_subflow = from->last_subflow = NULL;
	from->row.subflows = 0;
}

/* The joins of `from` mean `to`; `turned`: it is the other end that opened them. No
 * token leads to `from` any more. */
void merge_connection(struct analyser *c, struct connection *from, struct connection *to,
		      bool turned)
{
	if (from == to || !from->first_subflow || !to->first_subflow)
		return;
	for (int i = 0; i < 2; i++) {
		struct data *old = from->data[i], **new = &to->data[turned ? !i : i];

		if (old && *new)
			fold(c, from, old, *new);
	}
	move_subflows(from, to, turned);
	to->dss_seen |= from->dss_seen;
	to->listed += from->listed;
	to->row.events_dropped += from->row.events_dropped;
	to->row.unknown |= from->row.unknown & UNKNOWN_MEMORY;
	if (from->row.contradiction && !to->row.contradiction) {
		to->row.contradiction = from->row.contradiction;
		to->row.contradiction_file = from->row.contradiction_file;
		to->row.contradiction_frame = from->row.contradiction_frame;
		to->row.contradiction_ns = from->row.contradiction_ns;
	}
	to->row.first_ns = min(to->row.first_ns, from->row.first_ns);
	to->row.last_ns = max(to->row.last_ns, from->row.last_ns);
	if (from->row.fallback == FALLBACK_INFINITE && !to->row.fallback) {
		to->row.fallback = from->row.fallback;
		to->row.fallback_ns = from->row.fallback_ns;
	}
	if (from->index + 1 == c->connection_total)
		c->connection_total--;
	drop_tokens(c, from);
	free_connection(c, from);
}

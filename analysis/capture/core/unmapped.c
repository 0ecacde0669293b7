// SPDX-License-Identifier: MIT
/*
 * Payload that comes before its mapping: some senders map several segments with one
 * option on the last of them. The payload is held in bounded memory until the mapping
 * comes. It then counts as data sent at the time of its own packet.
 *
 * Payload before the first mapping of all counts as data of TCP, until a mapping shows
 * what it is.
 */
#include "core.h"

#define MAX_HELD 1024		/* pieces of a direction */
#define MAX_COUNTED 64		/* of them counted as data of TCP */

/* Bytes that counted as data of TCP do so no longer. */
static void uncount(struct analyser *c, struct direction *dir,
		    const struct unmapped *piece, i64 bytes)
{
	struct series_row *b = bin(c, dir, piece->time_ns);

	dir->row.data_bytes -= bytes;
	if (b)
		b->data_bytes -= bytes;
}

/* `dropped`: because there is no space left; a mapping may still come. */
static void give_up(struct analyser *c, struct direction *dir,
		    const struct unmapped *piece, bool dropped)
{
	const struct connection *conn = dir->subflow->connection;

	if (!dir->data)
		return;
	if (piece->counted && (!conn->dss_seen || conn->row.fallback)) {
		tell_data(c, dir, piece->time_ns, piece->from, piece->to - piece->from);
		return;
	}
	if (piece->counted)
		uncount(c, dir, piece, piece->to - piece->from);
	if (dropped || piece->from < dir->dropped_to)
		dir->subflow->connection->row.unknown |= UNKNOWN_DROPPED;
	else
		dir->data->mapping_unseen = true;
	dir->data->row.unmapped_packets++;
	dir->data->row.unmapped_bytes += piece->to - piece->from;
}

static bool make_space_for(struct analyser *c, const struct packet *p)
{
	struct direction *dir = p->direction;
	u32 capacity = dir->unmapped_capacity, more = capacity ? 2 * capacity : 8;
	struct unmapped *list = NULL;

	if (dir->unmapped_count < capacity)
		return true;
	if (more <= MAX_HELD)
		list = arena_grow(&c->memory, dir->unmapped, capacity * sizeof(*list),
				  more * sizeof(*list));
	if (list) {
		dir->unmapped = list;
		dir->unmapped_capacity = more;
		return true;
	}
	if (!capacity)
		return false;
	/* No mapping has come for the older half. */
	for (u32 i = 0; i < capacity / 2; i++)
		give_up(c, dir, &dir->unmapped[i], true);
	bin(c, dir, p->time_ns);	/* `p->bin` is again that of the packet */
	dir->unmapped_count -= capacity / 2;
	memmove(dir->unmapped, dir->unmapped + capacity / 2,
		dir->unmapped_count * sizeof(*list));
	return true;
}

/* `counted`: the payload already counted as data of TCP, because no mapping had been seen
 * yet. Its event waits for what becomes of it. */
void hold_unmapped(struct analyser *c, const struct packet *p, i64 from, i64 to,
		   bool counted)
{
	const struct data *d = p->direction->data;
	struct unmapped piece = { from, to, p->time_ns, d && d->seen ? d->next : 0, counted };

	if (counted && p->direction->unmapped_count >= MAX_COUNTED)
		tell_data(c, p->direction, p->time_ns, from, to - from);
	else if (make_space_for(c, p))
		p->direction->unmapped[p->direction->unmapped_count++] = piece;
	else
		give_up(c, p->direction, &piece, true);
}

/* The part of a held piece that the mapping covers becomes data. */
static void map_piece(struct analyser *c, const struct packet *p,
		      const struct unmapped *piece, const struct mapping *map)
{
	i64 from = max(piece->from, map->from);
	i64 to = min(piece->to, map->from + map->length);
	i64 first = map->dsn + (from - map->from);
	struct packet then = *p;
	struct once once = { false };

	then.time_ns = piece->time_ns;
	then.high = piece->high;
	then.once = &once;
	if (piece->counted)
		uncount(c, p->direction, piece, to - from);
	then.bin = bin(c, p->direction, then.time_ns);
	add_data(c, &then, p->direction->data, first, first + (to - from));
}

/* A mapping has come: all payload held for it becomes data. */
void map_held(struct analyser *c, const struct packet *p, const struct mapping *map)
{
	struct direction *dir = p->direction;
	i64 end = map->from + map->length;
	u32 count = dir->unmapped_count, stay = 0;
	struct unmapped after = { 0 };

	if (!count)
		return;
	for (u32 i = 0; i < count; i++) {
		struct unmapped piece = dir->unmapped[i];

		if (piece.to <= map->from || piece.from >= end) {
			dir->unmapped[stay++] = piece;
			continue;
		}
		map_piece(c, p, &piece, map);
		if (piece.to > end) {
			/* At most one piece reaches past the mapping's end. */
			after = piece;
			after.from = end;
		}
		if (piece.from < map->from) {
			piece.to = map->from;
			dir->unmapped[stay++] = piece;
		}
	}
	bin(c, dir, p->time_ns);	/* `p->bin` is again that of the packet */
	dir->unmapped_count = stay;
	if (after.to && make_space_for(c, p))
		dir->unmapped[dir->unmapped_count++] = after;
}

/* At the end of the connection: no mapping will come. */
void give_up_unmapped(struct analyser *c, struct direction *dir)
{
	for (u32 i = 0; i < dir->unmapped_count; i++)
		give_up(c, dir, &dir->unmapped[i], false);
	dir->unmapped_count = 0;
}

// SPDX-License-Identifier: MIT
/*
 * Data sequence mappings: they say which of the connection's data a subflow's payload
 * carries (RFC 8684, 3.3.1). A mapping can come before, with or after its payload. It is
 * kept until the subflow has carried all that it covers.
 */
#include "core.h"

#define ENDLESS (1ll << 46)
#ifndef MOST_MAPPINGS
#define MOST_MAPPINGS 16384	/* of a direction, whose payload is not whole */
#endif

/* Relative subflow number of subflow sequence number `ssn`, near `from`. */
static i64 rel_ssn(struct direction *dir, u32 ssn, i64 from)
{
	i64 candidate = (i32)((u32)from - ssn);

	if (dir->isn_known)
		return from + (i32)(ssn - (u32)from);
	/* The capture began later. A mapping begins where its packet does, unless
	 * that is one of several that share it: then it begins before. */
	if (!dir->ssn_base_known ||
	    (candidate < dir->ssn_base && candidate > dir->ssn_base - 65536)) {
		dir->ssn_base = candidate;
		dir->ssn_base_known = true;
	}
	return from + (i32)(ssn + (u32)dir->ssn_base - (u32)from);
}

static struct mapping *mapping_at(const struct direction *dir, u32 index)
{
	return &dir->mappings.list[dir->mappings.head + index];
}

static i64 end_of(const struct mapping *map)
{
	return map->from + map->length;
}

/* Whether the subflow has carried all that a mapping covers. It carries no byte as a new
 * one twice, so nobody asks for the mapping any more. */
static bool is_whole(const struct direction *dir, const struct mapping *map)
{
	return end_of(map) <= dir->next &&
	       !ranges_touch(&dir->holes, map->from, end_of(map));
}

/* The first mapping that ends after a number; their count if there is none. */
static u32 first_after(const struct direction *dir, i64 number)
{
	u32 low = 0, high = dir->mappings.count;

	if (high && end_of(mapping_at(dir, high - 1)) <= number)
		return high;
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (end_of(mapping_at(dir, middle)) > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Their first quarter: what they cover has been missing for the longest. */
static void drop_some(struct direction *dir)
{
	struct mappings *m = &dir->mappings;
	u32 count = max(1, m->count / 4);

	for (u32 i = 0; i < count; i++) {
		const struct mapping *map = mapping_at(dir, i);

		if (is_whole(dir, map))
			continue;
		dir->row.dropped_mappings++;
		dir->dropped_to = max(dir->dropped_to, end_of(map));
		dir->subflow->connection->row.unknown |= UNKNOWN_DROPPED;
	}
	m->head += count;
	m->count -= count;
}

/* Space for two more at the end of the list. */
static bool space_for_two(struct analyser *c, struct direction *dir)
{
	struct mappings *m = &dir->mappings;
	u32 more = m->capacity ? 2 * m->capacity : 8;
	struct mapping *list = NULL;

	if (m->head + m->count + 2 <= m->capacity)
		return true;
	if (m->head <= m->capacity / 4 && more <= MOST_MAPPINGS)
		list = arena_grow(&c->memory, m->list, m->capacity * sizeof(*list),
				  more * sizeof(*list));
	if (list) {
		m->list = list;
		m->capacity = more;
		return true;
	}
	if (!m->capacity)
		return false;
	if (m->count + 2 > m->capacity)
		drop_some(dir);
	memmove(m->list, m->list + m->head, m->count * sizeof(*list));
	m->head = 0;
	return true;
}

static void insert(struct direction *dir, u32 index, struct mapping map)
{
	struct mapping *to = mapping_at(dir, index);

	memmove(to + 1, to, (dir->mappings.count++ - index) * sizeof(map));
	*to = map;
}

static void remove_at(struct direction *dir, u32 index)
{
	struct mapping *from = mapping_at(dir, index);

	dir->mappings.count--;
	if (index)
		memmove(from, from + 1, (dir->mappings.count - index) * sizeof(*from));
	else
		dir->mappings.head++;
}

/* What a mapping covers from `number` on. */
static struct mapping tail(struct mapping map, i64 number)
{
	i64 by = number - map.from;

	return (struct mapping){ number, map.dsn + by, map.length - by };
}

/* Keep a mapping of which payload is missing. Of what an older one covers as well, the
 * newer one says what it is. */
static void keep_mapping(struct analyser *c, struct direction *dir, struct mapping map)
{
	i64 end = end_of(&map);
	u32 index;

	if (!space_for_two(c, dir)) {	/* an old one may be cut in two */
		dir->row.dropped_mappings++;
		dir->dropped_to = max(dir->dropped_to, end);
		dir->subflow->connection->row.unknown |= UNKNOWN_MEMORY;
		return;
	}
	index = first_after(dir, map.from);
	while (index < dir->mappings.count && mapping_at(dir, index)->from < end) {
		struct mapping *old = mapping_at(dir, index), whole = *old;

		if (whole.from < map.from) {
			old->length = map.from - whole.from;
			index++;
			if (end_of(&whole) > end)
				insert(dir, index, tail(whole, end));
		} else if (end_of(&whole) > end) {
			*old = tail(whole, end);
		} else {
			remove_at(dir, index);
		}
	}
	insert(dir, index, map);
}

static void add_mapping(struct analyser *c, struct direction *dir, struct mapping map)
{
	const struct mapping *last = &dir->newest;

	if (dir->mapped && last->from == map.from && last->dsn == map.dsn &&
	    last->length >= map.length)
		return;
	if (dir->mapped && !is_whole(dir, last))
		keep_mapping(c, dir, *last);
	dir->newest = map;
	dir->mapped = true;
}

/* After a fallback, the data continue without mappings from the last one. */
void map_endlessly(struct analyser *c, struct direction *dir)
{
	struct mapping map = { .from = 1, .dsn = 1, .length = ENDLESS };

	if (!dir->data || (!dir->mapped && !dir->data->keyed))
		return;
	if (dir->mapped)
		map = dir->newest;
	map.length = ENDLESS;
	add_mapping(c, dir, map);
}

/* The data number of a subflow number, -1 if no mapping covers it. Sets `end`, which comes
 * in as the end of the payload, to where that mapping ends or the next one begins. */
static i64 data_number(const struct direction *dir, i64 number, i64 *end)
{
	const struct mapping *last = &dir->newest, *map;
	u32 index;

	if (dir->mapped && number >= last->from && number < end_of(last)) {
		*end = min(*end, end_of(last));
		return last->dsn + (number - last->from);
	}
	if (dir->mapped && last->from > number)
		*end = min(*end, last->from);
	index = first_after(dir, number);
	if (index == dir->mappings.count)
		return -1;
	map = mapping_at(dir, index);
	if (map->from > number) {
		*end = min(*end, map->from);
		return -1;
	}
	*end = min(*end, end_of(map));
	return map->dsn + (number - map->from);
}

/* Of mappings that cover [from, to) of the subflow, forget those that are whole. A segment
 * can fill several gaps of one: call this when all its payload has been tracked. */
void forget_whole(struct direction *dir, i64 from, i64 to)
{
	u32 index;

	if (!dir->mappings.count)
		return;
	index = first_after(dir, from);
	while (index < dir->mappings.count && mapping_at(dir, index)->from < to) {
		if (is_whole(dir, mapping_at(dir, index)))
			remove_at(dir, index);
		else
			index++;
	}
}

/* The numbers of the connection's data have all grown. */
void shift_mappings(struct direction *dir, const struct data *d, i64 by)
{
	if (dir->data != d)
		return;
	dir->newest.dsn += by;
	for (u32 i = 0; i < dir->mappings.count; i++)
		mapping_at(dir, i)->dsn += by;
	for (u32 i = 0; i < dir->unmapped_count; i++)
		dir->unmapped[i].high += dir->unmapped[i].high ? by : 0;
}

void forget_mappings(struct direction *dir)
{
	dir->mapped = false;
	dir->mappings.head = dir->mappings.count = 0;
}

void free_mappings(struct arena *m, struct direction *dir)
{
	arena_free(m, dir->mappings.list,
		   dir->mappings.capacity * sizeof(*dir->mappings.list));
	dir->mappings = (struct mappings){ 0 };
}

void take_mapping(struct analyser *c, const struct packet *p, const struct dss *dss,
		  i64 from)
{
	struct direction *dir = p->direction;
	struct connection *conn = dir->subflow->connection;
	struct mapping map = { .length = dss->length };

	if (!dir->data)
		return;
	if (!rel_dsn(dir->data, dss->dsn, dss->dsn64, &map.dsn)) {
		dir->data->row.implausible++;
		return;
	}
	if (!dss->length) {
		map.length = ENDLESS;
		if (!conn->row.fallback) {
			conn->row.fallback = FALLBACK_INFINITE;
			conn->row.fallback_ns = p->time_ns;
		}
	} else if (dss->fin) {
		take_data_fin(dir->data, map.dsn + --map.length, p->time_ns);
	}
	if (!map.length || (dss->fin && !p->payload))
		return;
	map.from = rel_ssn(dir, dss->ssn, from);
	add_mapping(c, dir, map);
	map_held(c, p, &map);
}

/* Payload in [from, to) of the subflow, which had not carried it before: data that a
 * subflow itself sends again are no reinjection. */
void track_data(struct analyser *c, const struct packet *p, i64 from, i64 to)
{
	struct direction *dir = p->direction;

	if (!dir->data || (!dir->mapped && !dir->subflow->connection->dss_seen)) {
		/* TCP, a fall back to it, or a mapping that comes later. */
		if (dir->data) {
			count_bytes(p, to - from);
			hold_unmapped(c, p, from, to, true);
		} else {
			count_new_data(c, p, from, to - from);
		}
		return;
	}
	while (from < to) {
		i64 end = to, first = data_number(dir, from, &end);

		if (first >= 0)
			add_data(c, p, dir->data, first, first + (end - from));
		else
			hold_unmapped(c, p, from, end, false);
		from = end;
	}
}

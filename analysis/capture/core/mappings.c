// SPDX-License-Identifier: MIT
/*
 * Data sequence mappings: they say which of the connection's data a subflow's payload
 * carries (RFC 8684, 3.3.1). A mapping can come before, with or after its payload.
 */
#include "core.h"

#define ENDLESS (1ll << 46)

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

static void add_mapping(struct analyser *c, struct direction *dir, struct mapping map)
{
	const struct mapping *last;

	if (!dir->maps)
		dir->maps = arena_alloc(&c->memory, MAPPINGS * sizeof(*dir->maps));
	if (!dir->maps) {
		dir->subflow->connection->row.unknown |= UNKNOWN_MEMORY;
		return;
	}
	last = &dir->maps[(dir->map_count + MAPPINGS - 1) % MAPPINGS];
	if (dir->map_count && last->from == map.from && last->dsn == map.dsn &&
	    last->length >= map.length)
		return;
	dir->maps[dir->map_count++ % MAPPINGS] = map;
}

/* After a fallback, the data continue without mappings from the last one. */
void map_endlessly(struct analyser *c, struct direction *dir)
{
	struct mapping map = { .from = 1, .dsn = 1, .length = ENDLESS };

	if (!dir->data || (!dir->map_count && !dir->data->keyed))
		return;
	if (dir->map_count)
		map = dir->maps[(dir->map_count - 1) % MAPPINGS];
	map.length = ENDLESS;
	add_mapping(c, dir, map);
}

/* The newest mapping that covers a subflow number; NULL if none of the last MAPPINGS
 * does. */
static const struct mapping *find_mapping(const struct direction *dir, i64 number)
{
	u32 known = (u32)min(dir->map_count, MAPPINGS);

	for (u32 i = 1; i <= known; i++) {
		const struct mapping *m = &dir->maps[(dir->map_count - i) % MAPPINGS];

		if (number >= m->from && number < m->from + m->length)
			return m;
	}
	return NULL;
}

/* The start of the first mapping beyond a number, or `end` if `end` comes first. */
static i64 next_mapping(const struct direction *dir, i64 number, i64 end)
{
	u32 known = (u32)min(dir->map_count, MAPPINGS);

	for (u32 i = 0; i < known; i++) {
		if (dir->maps[i].from > number)
			end = min(end, dir->maps[i].from);
	}
	return end;
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

/*
 * Payload in [from, to) of the subflow. `fresh` is the number of its bytes that the
 * subflow had not carried before: data that a subflow itself sends again are no
 * reinjection.
 */
void track_data(struct analyser *c, const struct packet *p, i64 from, i64 to, i64 fresh)
{
	struct direction *dir = p->direction;

	if (!fresh)
		return;
	if (!dir->data || (!dir->map_count && !dir->subflow->connection->dss_seen)) {
		count_new_data(c, p, from, fresh);	/* TCP, or MPTCP that fell back to it */
		if (dir->data && fresh == to - from)
			hold_unmapped(c, p, from, to, true);
		return;
	}
	while (from < to) {
		const struct mapping *map = find_mapping(dir, from);
		i64 end = map ? min(to, map->from + map->length) : to;

		if (map) {
			i64 first = map->dsn + (from - map->from);

			add_data(c, p, dir->data, first, first + (end - from));
		} else {
			end = next_mapping(dir, from, end);
			hold_unmapped(c, p, from, end, false);
		}
		from = end;
	}
}

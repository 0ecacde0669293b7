// SPDX-License-Identifier: MIT
/*
 * Data sequence mappings: which stretch of the connection's data a stretch of a
 * subflow carries (RFC 8684, 3.3.1).
 *
 * Data numbers are relative: the initial data sequence number is 0, so the first
 * byte is 1, if the keys are known. Numbers of 4 bytes are taken to be
 * near those seen last.
 */
#include "core.h"

#define FAR (1ll << 31)
#define ENDLESS (1ll << 46)
#define UNSEEN (1ll << 30)	/* leaves numbers for data sent before the capture began */

/* False if the number is too far from all that was seen to be meant. */
bool rel_dsn(struct data *d, u64 dsn, bool wide, i64 *number)
{
	i64 near = d->next + (i32)((u32)dsn - (u32)(d->base + (u64)d->next));

	if (!d->seen) {
		d->seen = true;
		d->base = dsn - UNSEEN;
		d->base64 = wide;
		d->start = d->next = d->acked = *number = UNSEEN;
		return true;
	}
	*number = near;
	if (!wide)
		return true;
	if (d->base64) {
		*number = (i64)(dsn - d->base);
		return *number > (d->keyed ? 0 : d->next - FAR) && *number < d->next + FAR;
	}
	d->base = dsn - (u64)near;
	d->base64 = true;
	return true;
}

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

/* After a fall back the data go on where they are, without mappings. */
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

/* The newest mapping that has a subflow number; NULL if none of the last has. */
const struct mapping *find_mapping(const struct direction *dir, i64 number)
{
	u32 known = (u32)min(dir->map_count, MAPPINGS);

	for (u32 i = 1; i <= known; i++) {
		const struct mapping *m = &dir->maps[(dir->map_count - i) % MAPPINGS];

		if (number >= m->from && number < m->from + m->length)
			return m;
	}
	return NULL;
}

/* Where the first mapping beyond a number begins, or `end` if that comes first. */
i64 next_mapping(const struct direction *dir, i64 number, i64 end)
{
	u32 known = (u32)min(dir->map_count, MAPPINGS);

	for (u32 i = 0; i < known; i++) {
		if (dir->maps[i].from > number)
			end = min(end, dir->maps[i].from);
	}
	return end;
}

static void take_data_fin(struct data *d, i64 number, i64 time_ns)
{
	d->fin = number;
	if (d->row.data_fin_ns < 0)
		d->row.data_fin_ns = time_ns;
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

/* The sender of the packet says which of the other end's data have arrived. */
void take_data_ack(struct analyser *c, const struct packet *p, u64 ack, bool wide)
{
	struct data *d = p->direction->other->data;
	struct event_row *e;
	i64 number;

	if (!d)
		return;
	if (!rel_dsn(d, ack, wide, &number)) {
		d->row.implausible++;
		return;
	}
	if (number <= d->acked || number > d->next + FAR)
		return;
	/* The ACK of DATA_FIN alone says nothing of data. */
	if (number >= d->next && (d->acked != d->fin || number != d->fin + 1))
		d->row.complete_ns = p->time_ns;
	d->acked = number;
	if (d->fin >= 0 && number > d->fin && d->row.data_fin_acked_ns < 0)
		d->row.data_fin_acked_ns = p->time_ns;
	e = event(c, EVENT_DATA_ACK, p->direction, p->time_ns);
	if (e)
		e->position = number;
}

// SPDX-License-Identifier: MIT
/*
 * The connection's own bytes: what is new, what came out of order, and what was sent
 * again on another subflow.
 */
#include "core.h"

static void note_new(struct analyser *c, const struct packet *p, i64 from, i64 bytes)
{
	struct direction *dir = p->direction;
	struct series_row *b = p->bin;
	struct event_row *e = event(c, EVENT_DATA, dir, p->time_ns);

	dir->row.data_bytes += bytes;
	if (dir->new_from_ns < 0)
		dir->new_from_ns = p->time_ns;
	dir->new_to_ns = max(dir->new_to_ns, p->time_ns);
	if (b)
		b->data_bytes += bytes;
	if (e) {
		e->position = from;
		e->length = bytes;
	}
}

static void note_silence(const struct analyser *c, struct data *d, i64 time_ns)
{
	i64 gap = time_ns - d->busy_ns;

	if (d->busy_ns >= 0 && c->settings.idle_ns && gap >= c->settings.idle_ns) {
		d->row.idle_periods++;
		d->row.idle_ns += gap;
		d->row.idle_max_ns = max(d->row.idle_max_ns, gap);
	}
	d->busy_ns = max(d->busy_ns, time_ns);
}

static void note_late(const struct packet *p, struct data *d, i64 from, i64 bytes)
{
	d->row.ooo_packets++;
	d->row.ooo_bytes += bytes;
	d->row.ooo_depth_bytes = max(d->row.ooo_depth_bytes, d->next - from);
	if (p->bin)
		p->bin->data_ooo_packets++;
}

/* Reinjected packets that follow one another are one reinjection, as Linux counts. */
static void note_reinjection(struct analyser *c, const struct packet *p, struct data *d,
			     i64 from, i64 to, const struct overlap *overlap)
{
	struct direction *dir = p->direction;
	struct series_row *b = p->bin;
	struct event_row *e = event(c, EVENT_REINJECTION, dir, p->time_ns);

	d->row.reinjections += from != d->reinjected_to;
	d->reinjected_to = to;
	d->row.reinjected_packets++;
	d->row.reinjected_bytes += overlap->others;
	if (d->row.first_reinjection_ns < 0)
		d->row.first_reinjection_ns = p->time_ns;
	d->row.last_reinjection_ns = p->time_ns;
	dir->row.reinjected_packets++;
	dir->row.reinjected_bytes += overlap->others;
	if (b) {
		b->reinjected_packets++;
		b->reinjected_bytes += overlap->others;
	}
	if (e) {
		e->position = from;
		e->length = overlap->others;
		e->other = overlap->other == NONE ? -1 : (i64)overlap->other;
	}
}

static void note_in_flight(const struct packet *p, struct data *d)
{
	struct series_row *b = p->bin;
	i64 bytes = max(0, d->next - d->acked);

	d->row.in_flight_max_bytes = max(d->row.in_flight_max_bytes, bytes);
	if (b)
		b->data_in_flight_max_bytes = max(b->data_in_flight_max_bytes, bytes);
}

void add_data(struct analyser *c, const struct packet *p, struct data *d, i64 from,
	      i64 to)
{
	struct direction *dir = p->direction;
	struct overlap overlap;

	if (from < 1) {
		d->row.implausible++;
		return;
	}
	ranges_add(&c->memory, &d->ranges, from, to, dir->subflow->index, &overlap);
	note_silence(c, d, p->time_ns);
	if (overlap.others)
		note_reinjection(c, p, d, from, to, &overlap);
	if (overlap.own) {
		d->row.resent_packets++;
		d->row.resent_bytes += overlap.own;
	}
	if (overlap.fresh) {
		d->row.bytes += overlap.fresh;
		d->row.packets++;
		if (d->row.first_ns < 0)
			d->row.first_ns = p->time_ns;
		d->row.last_ns = max(d->row.last_ns, p->time_ns);
		note_new(c, p, from, overlap.fresh);
		if (from < d->next)
			note_late(p, d, from, overlap.fresh);
	}
	if (to > d->next) {
		d->row.wraps += (d->base + (u64)to) >> 32 != (d->base + (u64)d->next) >> 32;
		d->next = to;
	}
	note_in_flight(p, d);
}

/*
 * Payload in [from, to) of the subflow; `fresh`: how many of its bytes the subflow had
 * not carried before. What a subflow itself sends again is not a reinjection.
 */
void track_data(struct analyser *c, const struct packet *p, i64 from, i64 to, i64 fresh)
{
	struct direction *dir = p->direction;

	if (!fresh)
		return;
	if (!dir->data || (!dir->map_count && !dir->subflow->connection->dss_seen)) {
		note_new(c, p, from, fresh);	/* TCP, or MPTCP that became it */
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

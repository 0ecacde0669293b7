// SPDX-License-Identifier: MIT
/*
 * The connection's own bytes: what is new, what came out of order, and what was sent
 * again on another subflow.
 */
#include "core.h"

static void note_new(struct capture *c, const struct packet *p, i64 from, i64 bytes)
{
	struct half *h = p->half;
	struct series_row *b = p->bin;
	struct event_row *e = event(c, EVENT_DATA, h, p->time_ns);

	h->row.data_bytes += bytes;
	if (h->new_from_ns < 0)
		h->new_from_ns = p->time_ns;
	h->new_to_ns = most(h->new_to_ns, p->time_ns);
	if (b)
		b->data_bytes += bytes;
	if (e) {
		e->position = from;
		e->length = bytes;
	}
}

static void note_silence(const struct capture *c, struct data *d, i64 time_ns)
{
	i64 gap = time_ns - d->busy_ns;

	if (d->busy_ns >= 0 && c->settings.idle_ns && gap >= c->settings.idle_ns) {
		d->row.idle_periods++;
		d->row.idle_ns += gap;
		d->row.idle_max_ns = most(d->row.idle_max_ns, gap);
	}
	d->busy_ns = most(d->busy_ns, time_ns);
}

static void note_late(const struct packet *p, struct data *d, i64 from, i64 bytes)
{
	d->row.ooo_packets++;
	d->row.ooo_bytes += bytes;
	d->row.ooo_depth_bytes = most(d->row.ooo_depth_bytes, d->next - from);
	if (p->bin)
		p->bin->data_ooo_packets++;
}

/* One after the other, reinjected packets are one reinjection, as Linux counts. */
static void note_reinjection(struct capture *c, const struct packet *p, struct data *d,
			     i64 from, i64 to, const struct overlap *found)
{
	struct half *h = p->half;
	struct series_row *b = p->bin;
	struct event_row *e = event(c, EVENT_REINJECTION, h, p->time_ns);

	d->row.reinjections += from != d->reinjected_to;
	d->reinjected_to = to;
	d->row.reinjected_packets++;
	d->row.reinjected_bytes += found->others;
	if (d->row.first_reinjection_ns < 0)
		d->row.first_reinjection_ns = p->time_ns;
	d->row.last_reinjection_ns = p->time_ns;
	h->row.reinjected_packets++;
	h->row.reinjected_bytes += found->others;
	if (b) {
		b->reinjected_packets++;
		b->reinjected_bytes += found->others;
	}
	if (e) {
		e->position = from;
		e->length = found->others;
		e->other = found->other == NONE ? -1 : (i64)found->other;
	}
}

static void note_in_flight(const struct packet *p, struct data *d)
{
	struct series_row *b = p->bin;
	i64 bytes = most(0, d->next - d->acked);

	d->row.in_flight_max_bytes = most(d->row.in_flight_max_bytes, bytes);
	if (b)
		b->data_in_flight_max_bytes = most(b->data_in_flight_max_bytes, bytes);
}

static void add_data(struct capture *c, const struct packet *p, struct data *d,
		     i64 from, i64 to)
{
	struct half *h = p->half;
	struct overlap found;

	if (from < 1) {
		d->row.implausible++;
		return;
	}
	ranges_add(&c->memory, &d->ranges, from, to, h->subflow->index, &found);
	note_silence(c, d, p->time_ns);
	if (found.others)
		note_reinjection(c, p, d, from, to, &found);
	if (found.mine) {
		d->row.resent_packets++;
		d->row.resent_bytes += found.mine;
	}
	if (found.fresh) {
		d->row.bytes += found.fresh;
		d->row.packets++;
		if (d->row.first_ns < 0)
			d->row.first_ns = p->time_ns;
		d->row.last_ns = most(d->row.last_ns, p->time_ns);
		note_new(c, p, from, found.fresh);
		if (from < d->next)
			note_late(p, d, from, found.fresh);
	}
	if (to > d->next) {
		d->row.wraps += (d->base + (u64)to) >> 32 != (d->base + (u64)d->next) >> 32;
		d->next = to;
	}
	note_in_flight(p, d);
}

/*
 * Payload in [from, to) of the subflow; `fresh`: how many of its bytes the subflow had
 * not carried before. What a subflow sends again is its own affair, no reinjection.
 */
void track_data(struct capture *c, const struct packet *p, i64 from, i64 to, i64 fresh)
{
	struct half *h = p->half;

	if (!fresh)
		return;
	if (!h->data || (!h->map_count && !h->subflow->connection->dss_seen)) {
		note_new(c, p, from, fresh);	/* TCP, or MPTCP that became it */
		return;
	}
	while (from < to) {
		const struct mapping *map = find_mapping(h, from);
		i64 end = map ? least(to, map->from + map->length) : to;

		if (map) {
			i64 first = map->dsn + (from - map->from);

			add_data(c, p, h->data, first, first + (end - from));
		} else {
			h->data->row.unmapped_packets++;
			h->data->row.unmapped_bytes += end - from;
		}
		from = end;
	}
}

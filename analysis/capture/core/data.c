// SPDX-License-Identifier: MIT
/*
 * The connection's own bytes: what is new, what came out of order, what was sent again
 * on another subflow, and what has been acknowledged.
 *
 * Data numbers are relative: the initial data sequence number is 0, so the first
 * byte is 1, if the keys are known. A number of 4 bytes is taken to be near the number
 * seen last.
 */
#include "core.h"

#define FAR (1ll << 31)
#define UNSEEN (1ll << 30)	/* leaves numbers for data sent before the capture began */

/* The relative number of a data sequence number. Returns false if the number lies too far
 * from all numbers seen before to be valid. */
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

/* An event of bytes that are new to the connection, see `count_new_data`. */
void tell_data(struct analyser *c, const struct direction *dir, i64 time_ns, i64 from,
	       i64 bytes)
{
	struct event_row *e = event(c, EVENT_DATA, dir, time_ns);

	if (e) {
		e->position = from;
		e->length = bytes;
	}
}

void count_bytes(const struct packet *p, i64 bytes)
{
	struct direction *dir = p->direction;
	struct series_row *b = p->bin;

	dir->row.data_bytes += bytes;
	if (dir->new_from_ns < 0 || p->time_ns < dir->new_from_ns)
		dir->new_from_ns = p->time_ns;
	dir->new_to_ns = max(dir->new_to_ns, p->time_ns);
	if (b)
		b->data_bytes += bytes;
}

/* The bytes are new to the connection. `from` is their data number, or their subflow
 * number where they have no data number. */
void count_new_data(struct analyser *c, const struct packet *p, i64 from, i64 bytes)
{
	count_bytes(p, bytes);
	tell_data(c, p->direction, p->time_ns, from, bytes);
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

/* `high`: the highest data number when they were sent */
static void note_late(const struct packet *p, struct data *d, i64 from, i64 bytes,
		      i64 high)
{
	d->row.ooo_bytes += bytes;
	d->row.ooo_depth_bytes = max(d->row.ooo_depth_bytes, high - from);
	if (p->once->late)
		return;
	p->once->late = true;
	d->row.ooo_packets++;
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
	bool first = !p->once->reinjected;

	p->once->reinjected = true;
	d->row.reinjections += from != d->reinjected_to;
	d->reinjected_to = to;
	d->row.reinjected_packets += first;
	d->row.reinjected_bytes += overlap->others;
	if (d->row.first_reinjection_ns < 0 || p->time_ns < d->row.first_reinjection_ns)
		d->row.first_reinjection_ns = p->time_ns;
	d->row.last_reinjection_ns = max(d->row.last_reinjection_ns, p->time_ns);
	dir->row.reinjected_packets += first;
	dir->row.reinjected_bytes += overlap->others;
	if (b) {
		b->reinjected_packets += first;
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

/* Payload of the packet that carries the data [from, to) of the connection. */
void add_data(struct analyser *c, const struct packet *p, struct data *d, i64 from,
	      i64 to)
{
	struct direction *dir = p->direction;
	struct overlap overlap;
	i64 high = p->high >= 0 ? p->high : d->next;

	if (from < 1) {
		d->row.implausible++;
		return;
	}
	ranges_add(&c->memory, &d->ranges, from, to, dir->subflow->index, &overlap);
	note_silence(c, d, p->time_ns);
	if (overlap.others)
		note_reinjection(c, p, d, from, to, &overlap);
	if (overlap.own) {
		d->row.resent_packets += !p->once->again;
		d->row.resent_bytes += overlap.own;
		p->once->again = true;
	}
	if (overlap.fresh) {
		d->row.bytes += overlap.fresh;
		d->row.packets += !p->once->fresh;
		p->once->fresh = true;
		if (d->row.first_ns < 0 || p->time_ns < d->row.first_ns)
			d->row.first_ns = p->time_ns;
		d->row.last_ns = max(d->row.last_ns, p->time_ns);
		count_new_data(c, p, from, overlap.fresh);
		if (from < high)
			note_late(p, d, from, overlap.fresh, high);
	}
	if (to > d->next) {
		d->row.wraps += (d->base + (u64)to) >> 32 != (d->base + (u64)d->next) >> 32;
		d->next = to;
	}
	note_in_flight(p, d);
}

/* `number` is the data number of the DATA_FIN. */
void take_data_fin(struct data *d, i64 number, i64 time_ns)
{
	d->fin = number;
	if (d->row.data_fin_ns < 0)
		d->row.data_fin_ns = time_ns;
}

/* The sender of the packet acknowledges data of the other end. */
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
	/* An ACK that adds only the DATA_FIN says nothing about data. */
	if (number >= d->next && (d->acked != d->fin || number != d->fin + 1))
		d->row.complete_ns = p->time_ns;
	d->acked = number;
	if (d->fin >= 0 && number > d->fin && d->row.data_fin_acked_ns < 0)
		d->row.data_fin_acked_ns = p->time_ns;
	e = event(c, EVENT_DATA_ACK, p->direction, p->time_ns);
	if (e)
		e->position = number;
}

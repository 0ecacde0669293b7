// SPDX-License-Identifier: MIT
/* The rows of a connection that has ended, and of its subflows and directions. */
#include "core.h"

static void split(const u8 *address, u64 *high, u64 *low)
{
	*high = be64(address);
	*low = be64(address + 8);
}

static void finish_direction(struct analyser *c, struct direction *dir)
{
	struct direction_row *r = &dir->row;
	i64 gaps = 0;

	give_up_unmapped(c, dir);
	flush_bin(c, dir);
	for (u32 i = 0; i < dir->holes.count; i++) {
		const struct range *hole = &dir->holes.list[dir->holes.head + i];

		gaps += hole->to - hole->from;
	}
	if (dir->holes.forgotten)
		dir->subflow->connection->row.unknown |= UNKNOWN_MEMORY;
	r->subflow = dir->subflow->index;
	r->missing_bytes = gaps;
	r->sequence_bytes = dir->seen ? max(0, dir->next - 1 - (r->fins > 0)) : 0;
	r->acked_bytes = dir->seen ?
		max(0, min(dir->acked - 1, r->sequence_bytes)) : 0;
	r->rtt_samples = dir->rtt.count;
	r->rtt_sum_ns = dir->rtt.sum;
	r->rtt_min_ns = dir->rtt.count ? dir->rtt.min : -1;
	r->rtt_max_ns = dir->rtt.count ? dir->rtt.max : -1;
	r->rtt_p50_ns = quantile(&dir->rtt, 0.50);
	r->rtt_p95_ns = quantile(&dir->rtt, 0.95);
	r->rtt_p99_ns = quantile(&dir->rtt, 0.99);
	r->delay_sum_ns = dir->delay.sum;
	r->delay_min_ns = dir->delay.count ? dir->delay.min : -1;
	r->delay_max_ns = dir->delay.count ? dir->delay.max : -1;
	r->delay_p50_ns = quantile(&dir->delay, 0.50);
	r->delay_p95_ns = quantile(&dir->delay, 0.95);
	r->delay_p99_ns = quantile(&dir->delay, 0.99);
	add_row(&c->memory, &c->out[OUT_DIRECTIONS], r);
}

static void finish_subflow(struct analyser *c, struct subflow *s)
{
	struct subflow_row *r = &s->row;

	r->subflow = s->index;
	r->connection = s->connection->index;
	r->last_ns = max(r->last_ns, max(s->directions[0].row.last_ns,
					   s->directions[1].row.last_ns));
	s->connection->row.last_ns = max(s->connection->row.last_ns, r->last_ns);
	r->ip_version = s->version;
	r->direction_of_a = s->directions[0].row.direction;
	split(s->addresses[0], &r->a_high, &r->a_low);
	split(s->addresses[1], &r->b_high, &r->b_low);
	r->a_port = s->ports[0];
	r->b_port = s->ports[1];
	add_row(&c->memory, &c->out[OUT_SUBFLOWS], r);
	finish_direction(c, &s->directions[0]);
	finish_direction(c, &s->directions[1]);
}

/* The data of plain TCP are those of its subflow. */
static void data_of_tcp(const struct direction *dir, struct data_row *r)
{
	const struct direction_row *from = &dir->row;

	r->direction = from->direction;
	r->bytes = from->data_bytes;
	r->packets = from->payload_packets - from->retransmissions +
		   from->upstream_losses - from->keep_alives;
	r->first_ns = dir->new_from_ns;
	r->last_ns = dir->new_to_ns;
	r->acked_bytes = from->acked_bytes;
	r->complete_ns = -1;
	if (dir->acked >= dir->data_end && from->payload_bytes)
		r->complete_ns = dir->complete_ns;
	r->missing_bytes = from->missing_bytes;
	r->ooo_packets = from->ooo_packets + from->upstream_losses;
	r->ooo_bytes = from->ooo_bytes;
	r->in_flight_max_bytes = from->in_flight_max_bytes;
	r->idle_periods = from->idle_periods;
	r->idle_ns = from->idle_ns;
	r->idle_max_ns = from->idle_max_ns;
	r->first_reinjection_ns = r->last_reinjection_ns = -1;
	r->data_fin_ns = r->data_fin_acked_ns = -1;
}

static void data_of_mptcp(struct data *d, struct data_row *r)
{
	*r = d->row;
	r->forgotten_ranges = d->ranges.forgotten;
	r->missing_bytes = d->seen ? ranges_gaps(&d->ranges, d->start, d->next) : 0;
	r->acked_bytes = d->seen ? max(0, min(d->acked, d->next) - d->start) : 0;
	r->first_dsn = d->base + (u64)d->start;
	r->first_dsn_known = d->seen ? 1 + d->base64 : 0;
	if (d->acked < d->next || !r->bytes)
		r->complete_ns = -1;
}

/* After an infinite mapping there are no data ACKs: TCP's say what has arrived. */
static void data_of_fallback(const struct direction *dir, struct data_row *r)
{
	bool all = dir->row.payload_bytes && dir->acked >= dir->data_end;

	r->acked_bytes = max(r->acked_bytes, min(dir->row.acked_bytes, r->bytes));
	r->complete_ns = all ? dir->complete_ns : -1;
}

static void finish_fallback(struct connection *conn)
{
	struct subflow *first = conn->first_subflow;
	i64 payload = 0, cut = 0, answers = 0;

	if (conn->row.kind != KIND_MPTCP || first->row.how != HOW_CAPABLE)
		goto done;
	for (int i = 0; i < 2; i++) {
		payload += first->directions[i].row.payload_bytes;
		cut += first->directions[i].row.cut_options;
	}
	answers = first->opener ? first->opener->other->row.capables : 0;
	if (first->row.syn_ack_ns >= 0 && !answers && !first->answer_cut) {
		conn->row.fallback = FALLBACK_HANDSHAKE;
		conn->row.fallback_ns = first->row.syn_ack_ns;
	} else if (payload && !conn->dss_seen && !cut && first->row.fourth_ack_ns >= 0 &&
		   !conn->row.fallback) {
		conn->row.fallback = FALLBACK_NO_DSS;
		conn->row.fallback_ns = first->row.established_ns;
	}
done:
	if (conn->row.fallback)
		conn->row.kind = KIND_FALLBACK;
}

static void finish_unknown(struct connection *conn)
{
	struct connection_row *r = &conn->row;
	bool unmapped = false;
	i64 cut = 0;

	for (struct subflow *s = conn->first_subflow; s; s = s->sibling)
		cut += s->directions[0].row.cut_options + s->directions[1].row.cut_options;
	for (int i = 0; i < 2; i++)
		unmapped |= conn->data[i] && conn->data[i]->mapping_unseen;
	if (conn->first_subflow->row.syn_ns < 0)
		r->unknown |= UNKNOWN_HANDSHAKE;
	if (r->kind == KIND_MPTCP) {
		r->unknown |= r->keys_known & 1 ? 0 : UNKNOWN_KEY_A;
		r->unknown |= r->keys_known & 2 ? 0 : UNKNOWN_KEY_B;
		r->unknown |= unmapped ? UNKNOWN_MAPPING : 0;
	}
	r->unknown |= cut ? UNKNOWN_OPTIONS : 0;
}

static void finish_connection(struct analyser *c, struct connection *conn)
{
	struct subflow *first = conn->first_subflow;
	bool mapped = conn->dss_seen;

	if (!first)
		return;
	finish_fallback(conn);
	finish_unknown(conn);
	conn->row.connection = conn->index;
	conn->row.syn_ns = first->row.syn_ns;
	conn->row.established_ns = first->row.established_ns;
	for (int i = 0; i < 2; i++) {
		struct data_row *row = new_row(&c->memory, &c->out[OUT_DATA]);
		struct direction *dir = &first->directions[first->directions[0].row.direction != i];

		if (!row)
			return;
		if (conn->data[i] && mapped)
			data_of_mptcp(conn->data[i], row);
		else
			data_of_tcp(dir, row);
		if (conn->row.fallback && conn->row.subflows == 1)
			data_of_fallback(dir, row);
		row->connection = conn->index;
	}
	add_row(&c->memory, &c->out[OUT_CONNECTIONS], &conn->row);
}

void tell_connection(struct analyser *c, struct connection *conn)
{
	for (struct subflow *s = conn->first_subflow; s; s = s->sibling)
		finish_subflow(c, s);
	finish_connection(c, conn);
}

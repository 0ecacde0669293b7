// SPDX-License-Identifier: MIT
/*
 * A TCP segment on its subflow: counts, times, the numbers it carries.
 *
 * Numbers are relative and of 64 bits: a direction's SYN is 0, its first byte 1, and a
 * number that wraps goes on.
 */
#include "core.h"

#define ENDS (TCP_SYN | TCP_FIN | TCP_RST)

/* The sender of its SYN opened the subflow. If no SYN was captured, it is taken to be the
 * end with the higher port, or the one that sent the first packet. */
static void learn_directions(struct direction *dir, const struct packet *p)
{
	bool opens = true;

	if (dir->seen || dir->other->seen)
		return;
	if (p->flags & TCP_SYN)
		opens = !(p->flags & TCP_ACK);
	else if (p->ports[0] != p->ports[1])
		opens = p->ports[0] > p->ports[1];
	dir->row.direction = !opens;
	dir->other->row.direction = opens;
	dir->subflow->opener = opens ? dir : dir->other;
}

static void learn_isn(struct direction *dir, const struct packet *p)
{
	if (p->flags & TCP_SYN && (!dir->seen || (!dir->isn_known && !dir->row.payload_bytes))) {
		dir->isn = p->seq;
		dir->next = 0;
		dir->acked = 0;
		dir->isn_known = true;
	} else if (!dir->seen) {
		dir->isn = p->seq - 1;
		dir->next = dir->acked = 1;
	}
	dir->seen = true;
	if (p->flags & TCP_ACK && !dir->other->seen) {
		dir->other->isn = p->ack - 1;
		dir->other->next = dir->other->acked = 1;
		dir->other->seen = true;
	}
}

static void note_times(struct direction *dir, const struct packet *p)
{
	struct subflow *s = dir->subflow;
	bool opener = dir == s->opener;
	u8 syn = p->flags & (TCP_SYN | TCP_ACK);

	if (syn == TCP_SYN && s->row.syn_ns < 0)
		s->row.syn_ns = p->time_ns;
	else if (syn == (TCP_SYN | TCP_ACK) && s->row.syn_ack_ns < 0)
		s->row.syn_ack_ns = p->time_ns;
	else if (syn == TCP_ACK && opener && s->row.syn_ack_ns >= 0 &&
		 s->row.established_ns < 0 && !(p->flags & TCP_RST))
		s->row.established_ns = p->time_ns;
	else if (syn == TCP_ACK && !opener && s->row.established_ns >= 0 &&
		 s->row.fourth_ack_ns < 0 && !(p->flags & TCP_RST))
		s->row.fourth_ack_ns = p->time_ns;
}

/* Windows are scaled if both SYNs have the option (RFC 7323, 2.2). */
static void note_window_shift(struct direction *dir, const struct packet *p)
{
	dir->window_shift = (i8)max(0, p->window_shift);
	if (p->flags & TCP_ACK && p->window_shift < 0 && dir->other->window_shift > 0)
		dir->other->window_shift = 0;
}

static void count_packet(struct direction *dir, const struct packet *p)
{
	struct series_row *b = p->bin;
	struct direction_row *r = &dir->row;

	r->packets++;
	r->frame_bytes += p->frame_bytes;
	r->ip_bytes += p->ip_bytes;
	r->payload_packets += p->payload > 0;
	r->payload_bytes += p->payload;
	r->ce_packets += p->ce;
	r->cut_options += p->options_cut;
	r->sack_acks += p->sacks > 0;
	if (p->flags & ENDS) {
		r->syns += !!(p->flags & TCP_SYN);
		r->fins += !!(p->flags & TCP_FIN);
		r->resets += !!(p->flags & TCP_RST);
		dir->subflow->ended |= !!(p->flags & (TCP_FIN | TCP_RST));
	} else {
		r->zero_windows += !p->window;
	}
	if (r->first_ns < 0)
		r->first_ns = p->time_ns;
	r->last_ns = max(r->last_ns, p->time_ns);
	if (b) {
		b->packets++;
		b->frame_bytes += p->frame_bytes;
		b->ip_bytes += p->ip_bytes;
		b->payload_packets += p->payload > 0;
		b->payload_bytes += p->payload;
	}
}

static void note_silence(struct analyser *c, struct direction *dir, const struct packet *p)
{
	i64 gap = p->time_ns - dir->row.last_payload_ns;

	if (dir->row.first_payload_ns < 0) {
		dir->row.first_payload_ns = p->time_ns;
	} else if (gap >= c->settings.idle_ns && c->settings.idle_ns) {
		dir->row.idle_periods++;
		dir->row.idle_ns += gap;
		dir->row.idle_max_ns = max(dir->row.idle_max_ns, gap);
		if (p->bin)
			p->bin->idle_ns += gap;
	}
	dir->row.last_payload_ns = max(dir->row.last_payload_ns, p->time_ns);
}

/* If nobody has acknowledged the byte yet, it is a retransmission. */
static bool is_keep_alive(const struct direction *dir, const struct packet *p, i64 from)
{
	return p->payload <= 1 && from == dir->next - 1 && dir->next > 1 &&
	       (!p->payload || dir->acked >= dir->next) &&
	       !(p->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

/* A segment that fills a hole came late, or it was sent again because its first copy was
 * lost before this capture point. In the second case its sender's clock has gone on. */
static bool was_lost(const struct direction *dir, const struct packet *p,
		     const struct range *hole)
{
	i64 waited = p->time_ns - hole->time_ns;

	if (p->has_stamp && hole->stamp && p->stamp != hole->stamp)
		return (i32)(p->stamp - hole->stamp) > 0;
	return waited > (dir->rtt.count ? dir->rtt.min / 2 : 3000000);
}

static void count_late(const struct packet *p, i64 filled)
{
	p->direction->row.ooo_packets++;
	p->direction->row.ooo_bytes += filled;
	if (p->bin)
		p->bin->ooo_packets++;
}

static void open_hole(struct analyser *c, struct direction *dir, const struct packet *p,
		      i64 from)
{
	/* A stamp of 0 stands for none. */
	struct range hole = { dir->next, from, 0, p->has_stamp ? p->stamp : 0,
			      p->time_ns };

	dir->row.gaps++;
	ranges_append(&c->memory, &dir->holes, hole);
}

/* The payload of a segment, [from, to) of its numbers, that is new to the subflow. */
static void find_new(const struct direction *dir, i64 from, i64 to,
		     struct stretches *fresh)
{
	if (from < dir->next)
		ranges_parts(&dir->holes, from, min(to, dir->next), fresh);
	from = max(from, dir->next);
	if (from < to && fresh->count < STRETCHES) {
		fresh->of[fresh->count].from = from;
		fresh->of[fresh->count++].to = to;
	} else if (from < to) {
		fresh->of[STRETCHES - 1].to = to;
	}
}

/* A segment that takes up sequence numbers. `is_new`: its payload is, or a part of that.
 * Returns how many of its numbers are new to the subflow. */
static i64 take_segment(struct analyser *c, struct packet *p, i64 from, i64 to,
			bool is_new)
{
	struct direction *dir = p->direction;
	struct range hole = { 0 };
	i64 filled, beyond = max(0, to - max(from, dir->next));

	if (from >= dir->next) {
		if (from > dir->next && dir->next > 0)
			open_hole(c, dir, p, from);
		dir->next = to;
		remember_sent(c, dir, to, p->time_ns);
		return to - from;
	}
	filled = ranges_cut(&c->memory, &dir->holes, from, to, &hole);
	if (!filled && !is_new) {
		count_retransmission(c, p, from, to, to - from - beyond);
	} else if (!filled) {
		/* Half of it is new: no retransmission. */
	} else if (was_lost(dir, p, &hole)) {
		dir->row.upstream_losses++;
		count_retransmission(c, p, from, to, to - from - beyond);
	} else {
		count_late(p, filled);
	}
	mark_resent(dir, from, to, p->time_ns);
	if (beyond) {
		dir->next = to;
		remember_sent(c, dir, to, p->time_ns);
	}
	return filled + beyond;
}

static i64 note_in_flight(struct direction *dir, struct series_row *b)
{
	i64 bytes = max(0, dir->data_end - dir->acked);

	dir->row.in_flight_sum_bytes += bytes;
	dir->row.in_flight_max_bytes = max(dir->row.in_flight_max_bytes, bytes);
	if (b)
		b->in_flight_max_bytes = max(b->in_flight_max_bytes, bytes);
	return bytes;
}

/* A segment, for a plot; `fresh`: how many of its numbers are new to the subflow. */
static void tell_segment(struct analyser *c, const struct packet *p, i64 from, i64 fresh,
			 bool in_order, i64 in_flight)
{
	struct event_row *e = event(c, EVENT_SEGMENT, p->direction, p->time_ns);

	if (e) {
		e->position = from;
		e->length = p->payload;
		e->value = in_order ? 0 : fresh ? 2 : 1;
	}
	e = event(c, EVENT_FLIGHT, p->direction, p->time_ns);
	if (e)
		e->length = in_flight;
}

void track_tcp(struct analyser *c, struct packet *p)
{
	struct direction *dir = p->direction;
	struct stretches new;
	struct once once = { false };
	i64 from, length, fresh = 0, in_flight, first;
	bool in_order;

	new.count = 0;
	p->once = &once;
	p->high = -1;

	if (!dir->seen || !dir->other->seen || p->flags & TCP_SYN) {
		learn_directions(dir, p);
		learn_isn(dir, p);
	}
	if (p->flags & TCP_SYN)
		note_window_shift(dir, p);
	if (dir->subflow->row.fourth_ack_ns < 0 || p->flags & TCP_SYN)
		note_times(dir, p);
	p->bin = bin(c, dir, p->time_ns);
	count_packet(dir, p);
	track_options(c, p);
	from = rel_seq(dir, p->seq);
	length = p->payload + !!(p->flags & TCP_SYN) + !!(p->flags & TCP_FIN);
	if (p->flags & TCP_ACK)
		take_ack(c, dir, p);
	if (is_keep_alive(dir, p, from)) {
		dir->row.keep_alives++;
		length = 0;
	}
	if (p->flags & TCP_RST || from > dir->next + JUMP)
		length = 0;
	if (p->has_dss && p->dss.has_map)
		take_mapping(c, p, &p->dss, from);
	if (!length && from > dir->next && from <= dir->next + JUMP &&
	    !(p->flags & TCP_RST)) {
		/* All below an ACK's own number has been sent. */
		open_hole(c, dir, p, from);
		dir->next = from;
	}
	first = from + !!(p->flags & TCP_SYN);
	in_order = from >= dir->next || first + p->payload > dir->next;
	if (length && p->payload)
		find_new(dir, first, first + p->payload, &new);
	if (length) {
		fresh = take_segment(c, p, from, from + length, new.count);
		dir->last_sent_ns = p->time_ns;
	}
	if (length && p->payload) {
		note_silence(c, dir, p);
		from = first;
		dir->data_end = max(dir->data_end, from + p->payload);
		in_flight = note_in_flight(dir, p->bin);
		if (c->settings.events & (EVENT_SEGMENT | EVENT_FLIGHT))
			tell_segment(c, p, from, fresh, in_order, in_flight);
		for (u32 i = 0; i < new.count; i++)
			track_data(c, p, new.of[i].from, new.of[i].to);
		forget_whole(dir, from, from + p->payload);
	}
	if (p->has_dss && p->dss.has_ack)
		take_data_ack(c, p, p->dss.ack, p->dss.ack64);
}

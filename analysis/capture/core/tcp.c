// SPDX-License-Identifier: MIT
/*
 * A TCP segment on its subflow: counts, times, the numbers it carries.
 *
 * Numbers are relative and of 64 bits: a half's SYN is 0, its first byte 1, and a
 * number that wraps goes on.
 */
#include "core.h"

#define JUMP (1ll << 30)	/* no window is larger: what lies beyond is noise */
#define ENDS (TCP_SYN | TCP_FIN | TCP_RST)

i64 rel_seq(const struct half *h, u32 seq)
{
	return h->next + (i32)(seq - (h->isn + (u32)h->next));
}

/* Who opened the subflow: the sender of its SYN. Failing that, the end with the
 * higher port, or who spoke first. */
static void learn_directions(struct half *h, const struct packet *p)
{
	bool opens = true;

	if (h->seen || h->other->seen)
		return;
	if (p->flags & TCP_SYN)
		opens = !(p->flags & TCP_ACK);
	else if (p->ports[0] != p->ports[1])
		opens = p->ports[0] > p->ports[1];
	h->row.direction = !opens;
	h->other->row.direction = opens;
	h->subflow->opener = opens ? h : h->other;
}

static void learn_isn(struct half *h, const struct packet *p)
{
	if (p->flags & TCP_SYN && (!h->seen || (!h->isn_known && !h->row.payload_bytes))) {
		h->isn = p->seq;
		h->next = 0;
		h->acked = 0;
		h->isn_known = true;
	} else if (!h->seen) {
		h->isn = p->seq - 1;
		h->next = h->acked = 1;
	}
	h->seen = true;
	if (p->flags & TCP_ACK && !h->other->seen) {
		h->other->isn = p->ack - 1;
		h->other->next = h->other->acked = 1;
		h->other->seen = true;
	}
}

static void note_times(struct half *h, const struct packet *p)
{
	struct subflow *s = h->subflow;
	bool opener = h == s->opener;
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

static void count_packet(struct half *h, const struct packet *p)
{
	struct series_row *b = p->bin;
	struct half_row *r = &h->row;

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
	} else {
		r->zero_windows += !p->window;
	}
	if (r->first_ns < 0)
		r->first_ns = p->time_ns;
	r->last_ns = most(r->last_ns, p->time_ns);
	if (b) {
		b->packets++;
		b->frame_bytes += p->frame_bytes;
		b->ip_bytes += p->ip_bytes;
		b->payload_packets += p->payload > 0;
		b->payload_bytes += p->payload;
	}
}

static void note_silence(struct capture *c, struct half *h, const struct packet *p)
{
	i64 gap = p->time_ns - h->row.last_payload_ns;

	if (h->row.first_payload_ns < 0) {
		h->row.first_payload_ns = p->time_ns;
	} else if (gap >= c->settings.idle_ns && c->settings.idle_ns) {
		h->row.idle_periods++;
		h->row.idle_ns += gap;
		h->row.idle_max_ns = most(h->row.idle_max_ns, gap);
		if (p->bin)
			p->bin->idle_ns += gap;
	}
	h->row.last_payload_ns = most(h->row.last_payload_ns, p->time_ns);
}

/* One byte again that nobody has acknowledged yet is a retransmission. */
static bool is_keep_alive(const struct half *h, const struct packet *p, i64 from)
{
	return p->payload <= 1 && from == h->next - 1 && h->next > 1 &&
	       (!p->payload || h->acked >= h->next) &&
	       !(p->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

/* What fills a hole came late, or was sent again since its first copy had been lost
 * before this point: then its sender's clock had gone on. */
static bool was_lost(const struct half *h, const struct packet *p,
		     const struct range *hole)
{
	i64 waited = p->time_ns - hole->time_ns;

	if (p->has_stamp && hole->stamp && p->stamp != hole->stamp)
		return (i32)(p->stamp - hole->stamp) > 0;
	return waited > (h->rtt.count ? h->rtt.least / 2 : 3000000);
}

static void count_late(const struct packet *p, i64 filled)
{
	p->half->row.ooo_packets++;
	p->half->row.ooo_bytes += filled;
	if (p->bin)
		p->bin->ooo_packets++;
}

static void open_hole(struct capture *c, struct half *h, const struct packet *p,
		      i64 from)
{
	/* A stamp of 0 stands for none. */
	struct range hole = { h->next, from, 0, p->has_stamp ? p->stamp : 0,
			      p->time_ns };

	h->row.gaps++;
	ranges_append(&c->memory, &h->holes, hole);
}

/* A segment that takes room in the number space. Returns how many of its numbers are
 * new to the subflow. */
static i64 take_segment(struct capture *c, struct packet *p, i64 from, i64 to)
{
	struct half *h = p->half;
	struct range hole = { 0 };
	i64 filled, beyond = most(0, to - most(from, h->next));

	if (from >= h->next) {
		if (from > h->next && h->next > 0)
			open_hole(c, h, p, from);
		h->next = to;
		remember_sent(c, h, to, p->time_ns);
		return to - from;
	}
	filled = ranges_cut(&c->memory, &h->holes, from, to, &hole);
	if (!filled) {
		count_retransmission(c, p, from, to, to - from - beyond);
	} else if (was_lost(h, p, &hole)) {
		h->row.upstream_losses++;
		count_retransmission(c, p, from, to, to - from - beyond);
	} else {
		count_late(p, filled);
	}
	mark_resent(h, from, to, p->time_ns);
	if (beyond) {
		h->next = to;
		remember_sent(c, h, to, p->time_ns);
	}
	return filled + beyond;
}

static void note_in_flight(struct half *h, struct series_row *b)
{
	i64 bytes = most(0, h->data_end - h->acked);

	h->row.in_flight_sum_bytes += bytes;
	h->row.in_flight_max_bytes = most(h->row.in_flight_max_bytes, bytes);
	if (b)
		b->in_flight_max_bytes = most(b->in_flight_max_bytes, bytes);
}

void track_tcp(struct capture *c, struct packet *p)
{
	struct half *h = p->half;
	i64 from, length, fresh = 0;

	if (!h->seen || !h->other->seen || p->flags & TCP_SYN) {
		learn_directions(h, p);
		learn_isn(h, p);
	}
	if (h->subflow->row.fourth_ack_ns < 0 || p->flags & TCP_SYN)
		note_times(h, p);
	p->bin = bin(c, h, p->time_ns);
	count_packet(h, p);
	track_options(c, p);
	from = rel_seq(h, p->seq);
	length = p->payload + !!(p->flags & TCP_SYN) + !!(p->flags & TCP_FIN);
	if (p->flags & TCP_ACK)
		take_ack(c, h, p);
	if (is_keep_alive(h, p, from)) {
		h->row.keep_alives++;
		length = 0;
	}
	if (p->flags & TCP_RST || from > h->next + JUMP)
		length = 0;
	if (p->has_dss && p->dss.has_map)
		take_mapping(c, p, &p->dss, from);
	if (!length && from > h->next && from <= h->next + JUMP &&
	    !(p->flags & TCP_RST)) {
		/* An ACK's number tells that all below has been sent. */
		open_hole(c, h, p, from);
		h->next = from;
	}
	if (length) {
		fresh = take_segment(c, p, from, from + length);
		h->last_sent_ns = p->time_ns;
	}
	if (length && p->payload) {
		note_silence(c, h, p);
		from += !!(p->flags & TCP_SYN);
		h->data_end = most(h->data_end, from + p->payload);
		note_in_flight(h, p->bin);
		track_data(c, p, from, from + p->payload, least(fresh, p->payload));
	}
	if (p->has_dss && p->dss.has_ack)
		take_data_ack(c, p, p->dss.ack, p->dss.ack64);
}

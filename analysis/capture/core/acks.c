// SPDX-License-Identifier: MIT
/* What acknowledgements say: round-trip times, bytes in flight, evidence of loss. */
#include "core.h"

#define LONGEST_FLIGHT (1u << 17)	/* segments */
#define JUMP (1ll << 30)

void remember_sent(struct capture *c, struct half *h, i64 end, i64 time_ns)
{
	if (h->sent_count == h->sent_capacity) {
		u32 more = h->sent_capacity ? 2 * h->sent_capacity : 4;
		struct sent *sent;

		if (more > LONGEST_FLIGHT) {	/* nobody acknowledges: forget */
			h->sent_count = h->sent_head = 0;
		} else {
			sent = take(&c->memory, more * sizeof(*sent));
			if (!sent)
				return;
			for (u32 i = 0; i < h->sent_count; i++)
				sent[i] = *sent_at(h, i);
			give(&c->memory, h->sent, h->sent_capacity * sizeof(*sent));
			h->sent = sent;
			h->sent_capacity = more;
			h->sent_head = 0;
		}
	}
	if (!h->sent_count)
		h->advanced_ns = time_ns;
	*sent_at(h, h->sent_count++) = (struct sent){ end, time_ns, false, false };
}

/* The first segment that ends after `number`. */
static u32 first_beyond(const struct half *h, i64 number)
{
	u32 low = 0, high = h->sent_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (sent_at(h, middle)->end > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Karn: an ACK of a segment sent twice tells no round-trip time. */
void mark_resent(struct half *h, i64 from, i64 to, i64 time_ns)
{
	for (u32 i = first_beyond(h, from); i < h->sent_count; i++) {
		sent_at(h, i)->again = true;
		sent_at(h, i)->time_ns = time_ns;
		if (sent_at(h, i)->end >= to)
			return;
	}
}

/* Segments within a SACK block, from its end to the first that is marked already. */
static void mark_sacked(struct half *h, i64 from, i64 to)
{
	u32 i = first_beyond(h, to);

	while (i-- && sent_at(h, i)->end > from && !sent_at(h, i)->sacked)
		sent_at(h, i)->sacked = true;
}

static void take_rtt(struct capture *c, struct half *h, i64 ns, i64 time_ns)
{
	struct series_row *b = bin(c, h, time_ns);
	struct event_row *e = event(c, EVENT_RTT, h, time_ns);

	sample(&c->memory, &h->rtt, ns);
	if (b) {
		b->rtt_min_ns = b->rtt_samples ? least(b->rtt_min_ns, ns) : ns;
		b->rtt_max_ns = most(b->rtt_max_ns, ns);
		b->rtt_samples++;
		b->rtt_sum_ns += ns;
	}
	if (e)
		e->length = ns;
}

/*
 * A round-trip time is told by an ACK whose number is the end of a segment that was
 * sent once and that no SACK covered before.
 */
static void drop_acked(struct capture *c, struct half *h, i64 ack, i64 time_ns)
{
	struct sent last = { .end = -1 };

	while (h->sent_count && sent_at(h, 0)->end <= ack) {
		last = *sent_at(h, 0);
		h->sent_head++;
		h->sent_count--;
	}
	if (last.end == ack && !last.again && !last.sacked && time_ns >= last.time_ns)
		take_rtt(c, h, time_ns - last.time_ns, time_ns);
}

/* Of plain TCP, its ACKs are those of the data. */
static void tell_ack(struct capture *c, const struct half *h, i64 ack, i64 time_ns)
{
	struct event_row *e;

	if (h->other->data)
		return;
	e = event(c, EVENT_DATA_ACK, h, time_ns);
	if (e)
		e->position = ack;
}

static void take_sacks(struct half *h, const struct packet *p)
{
	for (int i = 0; i < p->sacks; i++) {
		i64 from = rel_seq(h, p->sack[i][0]), to = rel_seq(h, p->sack[i][1]);

		if (from >= to || to > h->next || from < h->acked)
			continue;	/* a duplicate that it tells of, or noise */
		h->sacked_high = most(h->sacked_high, to);
		mark_sacked(h, from, to);
	}
}

static bool is_duplicate(const struct half *acker, const struct packet *p)
{
	return !p->payload && p->window && p->window == acker->last_window &&
	       p->ack == acker->last_ack &&
	       p->seq == acker->isn + (u32)acker->next &&
	       !(p->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

/* `h` acknowledges what the other half sent. */
void take_ack(struct capture *c, struct half *h, const struct packet *p)
{
	struct half *sender = h->other;
	i64 ack = rel_seq(sender, p->ack);

	if (p->flags & TCP_RST || ack > sender->next + JUMP)
		return;
	if (ack > sender->next)
		h->row.acked_unseen++;
	if (is_duplicate(h, p))
		h->row.duplicate_acks++;
	h->last_ack = p->ack;
	h->last_window = p->window;
	if (ack > sender->acked) {
		bool was_complete = sender->acked >= sender->data_end;

		sender->acked = ack;
		tell_ack(c, h, ack, p->time_ns);
		sender->duplicates = 0;
		sender->last_ack_ns = sender->advanced_ns = p->time_ns;
		drop_acked(c, sender, ack, p->time_ns);
		if (ack >= sender->data_end && !was_complete)
			sender->complete_ns = p->time_ns;
		if (ack >= sender->recover)
			sender->recovery = 0;
		if (sender->sacked_high < ack)
			sender->sacked_high = 0;
	} else if (ack == sender->acked && !p->payload) {
		sender->duplicates++;
		sender->last_ack_ns = p->time_ns;
	}
	if (p->sacks)
		take_sacks(sender, p);
}

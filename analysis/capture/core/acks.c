// SPDX-License-Identifier: MIT
/* What acknowledgements show: round-trip times, bytes in flight, evidence of loss. */
#include "core.h"

#define LONGEST_FLIGHT (1u << 17)	/* segments */

void free_sent(struct arena *m, const struct direction *dir)
{
	if (dir->sent != dir->few_sent)
		arena_free(m, dir->sent, dir->sent_capacity * sizeof(*dir->sent));
}

void remember_sent(struct analyser *c, struct direction *dir, i64 end, i64 time_ns)
{
	if (dir->sent_count == dir->sent_capacity) {
		u32 more = 2 * dir->sent_capacity;
		struct sent *sent;

		if (!more) {
			dir->sent = dir->few_sent;
			dir->sent_capacity = FEW_SENT;
		} else if (more > LONGEST_FLIGHT) {	/* nobody acknowledges: forget them */
			dir->sent_count = dir->sent_head = 0;
		} else {
			sent = arena_alloc(&c->memory, more * sizeof(*sent));
			if (!sent)
				return;
			for (u32 i = 0; i < dir->sent_count; i++)
				sent[i] = *sent_at(dir, i);
			free_sent(&c->memory, dir);
			dir->sent = sent;
			dir->sent_capacity = more;
			dir->sent_head = 0;
		}
	}
	if (!dir->sent_count)
		dir->advanced_ns = time_ns;
	*sent_at(dir, dir->sent_count++) = (struct sent){ end, time_ns, false, false };
}

/* The first segment that ends after `number`. */
static u32 first_beyond(const struct direction *dir, i64 number)
{
	u32 low = 0, high = dir->sent_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (sent_at(dir, middle)->end > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Karn: the ACK of a segment that was sent twice gives no round-trip time. */
void mark_resent(struct direction *dir, i64 from, i64 to, i64 time_ns)
{
	for (u32 i = first_beyond(dir, from); i < dir->sent_count; i++) {
		sent_at(dir, i)->again = true;
		sent_at(dir, i)->time_ns = time_ns;
		if (sent_at(dir, i)->end >= to)
			return;
	}
}

/* Segments within a SACK block, from its end to the first that is marked already. */
static void mark_sacked(struct direction *dir, i64 from, i64 to)
{
	u32 i = first_beyond(dir, to);

	while (i-- && sent_at(dir, i)->end > from && !sent_at(dir, i)->sacked)
		sent_at(dir, i)->sacked = true;
}

static void take_rtt(struct analyser *c, struct direction *dir, i64 ns, i64 time_ns)
{
	struct series_row *b = bin(c, dir, time_ns);
	struct event_row *e = event(c, EVENT_RTT, dir, time_ns);

	sample(&c->memory, &dir->rtt, ns);
	if (b) {
		b->rtt_min_ns = b->rtt_samples ? min(b->rtt_min_ns, ns) : ns;
		b->rtt_max_ns = max(b->rtt_max_ns, ns);
		b->rtt_samples++;
		b->rtt_sum_ns += ns;
	}
	if (e)
		e->length = ns;
}

/*
 * An ACK gives a round-trip time if its number is the end of a segment that was sent
 * once and that no SACK covered before.
 */
static void drop_acked(struct analyser *c, struct direction *dir, i64 ack, i64 time_ns)
{
	struct sent last = { .end = -1 };

	while (dir->sent_count && sent_at(dir, 0)->end <= ack) {
		last = *sent_at(dir, 0);
		dir->sent_head++;
		dir->sent_count--;
	}
	if (last.end == ack && !last.again && !last.sacked && time_ns >= last.time_ns)
		take_rtt(c, dir, time_ns - last.time_ns, time_ns);
}

/* The ACKs of plain TCP acknowledge its data. */
static void tell_ack(struct analyser *c, const struct direction *dir, i64 ack, i64 time_ns)
{
	struct event_row *e;

	if (dir->other->data)
		return;
	e = event(c, EVENT_DATA_ACK, dir, time_ns);
	if (e)
		e->position = ack;
}

static void take_sacks(struct direction *dir, const struct packet *p)
{
	for (int i = 0; i < p->sacks; i++) {
		i64 from = rel_seq(dir, p->sack[i][0]), to = rel_seq(dir, p->sack[i][1]);

		if (from >= to || to > dir->next || from < dir->acked)
			continue;	/* it reports a duplicate, or is noise */
		dir->sacked_high = max(dir->sacked_high, to);
		mark_sacked(dir, from, to);
	}
}

/* What the sender of an ACK may be sent, in bytes; -1 if the scale is not known. Windows
 * of SYNs are not scaled (RFC 7323, 2.2). */
static i64 window_of(const struct direction *dir, const struct packet *p)
{
	if (p->flags & TCP_SYN)
		return p->window;
	if (dir->window_shift < 0 || dir->other->window_shift < 0)
		return -1;
	return (i64)p->window << dir->window_shift;
}

/* An ACK and its SACK blocks, for a plot. */
static void tell_subflow_ack(struct analyser *c, const struct direction *dir,
			     const struct packet *p, i64 ack)
{
	struct event_row *e = event(c, EVENT_ACK, dir, p->time_ns);

	if (e) {
		e->position = ack;
		e->value = (u64)window_of(dir, p);
	}
	for (int i = 0; i < p->sacks; i++) {
		i64 from = rel_seq(dir->other, p->sack[i][0]);
		i64 to = rel_seq(dir->other, p->sack[i][1]);

		e = from < to && to <= dir->other->next ?
		    event(c, EVENT_SACK, dir, p->time_ns) : NULL;
		if (e) {
			e->position = from;
			e->length = to - from;
		}
	}
}

static bool is_duplicate(const struct direction *acker, const struct packet *p)
{
	return !p->payload && p->window && p->window == acker->last_window &&
	       p->ack == acker->last_ack &&
	       p->seq == acker->isn + (u32)acker->next &&
	       !(p->flags & (TCP_SYN | TCP_FIN | TCP_RST));
}

/* `dir` acknowledges what the other direction sent. */
void take_ack(struct analyser *c, struct direction *dir, const struct packet *p)
{
	struct direction *sender = dir->other;
	i64 ack = rel_seq(sender, p->ack);

	if (p->flags & TCP_RST || ack > sender->next + JUMP)
		return;
	if (ack > sender->next)
		dir->row.acked_unseen++;
	if (is_duplicate(dir, p))
		dir->row.duplicate_acks++;
	dir->last_ack = p->ack;
	dir->last_window = p->window;
	if (ack > sender->acked) {
		bool was_complete = sender->acked >= sender->data_end;

		sender->acked = ack;
		tell_ack(c, dir, ack, p->time_ns);
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
	if (c->settings.events & (EVENT_ACK | EVENT_SACK))
		tell_subflow_ack(c, dir, p, ack);
	if (p->sacks)
		take_sacks(sender, p);
}

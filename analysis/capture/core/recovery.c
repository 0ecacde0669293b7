// SPDX-License-Identifier: MIT
/*
 * Why a segment was sent again: ACKs told of a loss (fast), or a timer ran out
 * (timeout), or the sender probed the tail of its flight (probe).
 *
 * From the wire alone: a fast retransmission follows an ACK at once and has evidence
 * (three duplicate ACKs, or a SACK of later bytes; or that it follows so soon). A
 * timer's follows silence; it runs from when the number acknowledged grew (RFC 6298,
 * 5.3), while duplicates may still come. What is sent again until all that was in
 * flight is acknowledged belongs to the same recovery (RFC 6675; RFC 6298, 5; RFC 8985,
 * 7 for probes).
 */
#include "core.h"

#define LEAST_TIMER_NS 190000000	/* Linux's RTO is at least 200 ms */
#define LEAST_SILENCE_NS 100000000
#define LATE_ANSWER_NS 1000000

enum { NO_RECOVERY, FAST, TIMEOUT };
enum { WHY_FAST, WHY_TIMEOUT, WHY_PROBE };

/* Nothing acknowledged for as long as a timer takes at least, and either hardly anything
 * came meanwhile, or the segment that a timer sends had not been sent either, and is
 * no answer to an ACK, which would follow that at once. */
static bool is_silent(const struct half *h, i64 to, i64 now_ns)
{
	i64 silence = now_ns - most(h->last_ack_ns, h->last_sent_ns);
	const struct sent *head = h->sent_count ? sent_at(h, 0) : NULL;

	if (now_ns - h->advanced_ns < LEAST_TIMER_NS)
		return false;
	return silence >= LEAST_SILENCE_NS ||
	       (silence >= LATE_ANSWER_NS && head && head->end <= to &&
		now_ns - head->time_ns >= LEAST_TIMER_NS + h->rtt.least);
}

static int why(struct half *h, const struct packet *p, i64 from, i64 to)
{
	bool told = h->sacked_high > from || h->duplicates >= 3 ||
		    p->time_ns - h->last_ack_ns < LATE_ANSWER_NS;
	bool silent = is_silent(h, to, p->time_ns);

	if (h->recovery != NO_RECOVERY && !(silent && from <= h->acked))
		return h->recovery == FAST ? WHY_FAST : WHY_TIMEOUT;
	if (!told && to >= h->next && from > h->acked)
		return WHY_PROBE;
	h->recovery = told && !silent ? FAST : TIMEOUT;
	h->recover = h->next;
	if (h->recovery == FAST)
		return WHY_FAST;
	/* Into a closed window it is a probe (RFC 9293, 3.8.6.1), no loss. */
	h->row.timeouts += h->other->last_window != 0;
	return WHY_TIMEOUT;
}

void count_retransmission(struct capture *c, const struct packet *p, i64 from, i64 to,
			  i64 bytes)
{
	struct half *h = p->half;
	struct series_row *b = p->bin;
	struct event_row *e;
	int reason;

	if (p->flags & TCP_SYN) {
		h->row.syn_retransmissions++;
		return;
	}
	if (!p->payload) {
		h->row.fin_retransmissions++;
		return;
	}
	reason = why(h, p, from, to);
	e = event(c, EVENT_RETRANSMISSION, h, p->time_ns);
	h->row.retransmissions++;
	h->row.retransmitted_bytes += bytes;
	h->row.fast_retransmissions += reason == WHY_FAST;
	h->row.timeout_retransmissions += reason == WHY_TIMEOUT;
	h->row.probe_retransmissions += reason == WHY_PROBE;
	h->row.unneeded += to <= h->acked;
	if (b) {
		b->retransmissions++;
		b->retransmitted_bytes += bytes;
		b->fast_retransmissions += reason == WHY_FAST;
		b->timeout_retransmissions += reason == WHY_TIMEOUT;
		b->probe_retransmissions += reason == WHY_PROBE;
	}
	if (e) {
		e->position = from;
		e->length = bytes;
		e->value = (u64)reason;
	}
}

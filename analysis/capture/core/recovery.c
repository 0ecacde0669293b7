// SPDX-License-Identifier: MIT
/*
 * Why a segment was sent again: ACKs showed a loss (fast), or a timer ran out
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
static bool is_silent(const struct direction *dir, i64 to, i64 now_ns)
{
	i64 silence = now_ns - max(dir->last_ack_ns, dir->last_sent_ns);
	const struct sent *head = dir->sent_count ? sent_at(dir, 0) : NULL;

	if (now_ns - dir->advanced_ns < LEAST_TIMER_NS)
		return false;
	return silence >= LEAST_SILENCE_NS ||
	       (silence >= LATE_ANSWER_NS && head && head->end <= to &&
		now_ns - head->time_ns >= LEAST_TIMER_NS + dir->rtt.min);
}

static int why(struct direction *dir, const struct packet *p, i64 from, i64 to)
{
	bool told = dir->sacked_high > from || dir->duplicates >= 3 ||
		    p->time_ns - dir->last_ack_ns < LATE_ANSWER_NS;
	bool silent = is_silent(dir, to, p->time_ns);

	if (dir->recovery != NO_RECOVERY && !(silent && from <= dir->acked))
		return dir->recovery == FAST ? WHY_FAST : WHY_TIMEOUT;
	if (!told && to >= dir->next && from > dir->acked)
		return WHY_PROBE;
	dir->recovery = told && !silent ? FAST : TIMEOUT;
	dir->recover = dir->next;
	if (dir->recovery == FAST)
		return WHY_FAST;
	/* Into a closed window it is a probe (RFC 9293, 3.8.6.1), no loss. */
	dir->row.timeouts += dir->other->last_window != 0;
	return WHY_TIMEOUT;
}

void count_retransmission(struct analyser *c, const struct packet *p, i64 from, i64 to,
			  i64 bytes)
{
	struct direction *dir = p->direction;
	struct series_row *b = p->bin;
	struct event_row *e;
	int reason;

	if (p->flags & TCP_SYN) {
		dir->row.syn_retransmissions++;
		return;
	}
	if (!p->payload) {
		dir->row.fin_retransmissions++;
		return;
	}
	reason = why(dir, p, from, to);
	e = event(c, EVENT_RETRANSMISSION, dir, p->time_ns);
	dir->row.retransmissions++;
	dir->row.retransmitted_bytes += bytes;
	dir->row.fast_retransmissions += reason == WHY_FAST;
	dir->row.timeout_retransmissions += reason == WHY_TIMEOUT;
	dir->row.probe_retransmissions += reason == WHY_PROBE;
	dir->row.unneeded += to <= dir->acked;
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

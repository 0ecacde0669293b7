// SPDX-License-Identifier: MIT
/* Intervals of the time series, and events, on their way out. */
#include "core.h"

#define EVENTS_OF_CONNECTION 200000
#define STREAMS (EVENT_DATA | EVENT_RTT | EVENT_DELAY | EVENT_DATA_ACK)

void flush_bin(struct capture *c, struct half *h)
{
	struct series_row *row;

	if (h->bin.interval < 0)
		return;
	row = new_row(&c->memory, &c->out[OUT_SERIES]);
	if (row)
		*row = h->bin;
	h->bin.interval = -1;
}

struct series_row *next_bin(struct capture *c, struct half *h, i64 time_ns)
{
	i64 interval = most(0, time_ns - c->zero_ns) / c->settings.interval_ns;

	flush_bin(c, h);
	h->bin_from = c->zero_ns + interval * c->settings.interval_ns;
	h->bin_to = h->bin_from + c->settings.interval_ns;
	h->bin = (struct series_row){
		.interval = interval,
		.subflow = h->subflow->index,
		.direction = h != &h->subflow->halves[0],
	};
	return &h->bin;
}

struct event_row *new_event(struct capture *c, enum event_kind kind,
			    const struct half *h, i64 time_ns)
{
	struct connection *conn = h->subflow->connection;
	struct event_row *row;

	if (!(kind & STREAMS) && conn->listed++ >= EVENTS_OF_CONNECTION) {
		conn->row.events_dropped++;
		return NULL;
	}
	row = new_row(&c->memory, &c->out[OUT_EVENTS]);
	if (!row)
		return NULL;
	row->kind = kind;
	row->time_ns = time_ns;
	row->connection = conn->index;
	row->subflow = h->subflow->index;
	row->direction = h != &h->subflow->halves[0];
	return row;
}

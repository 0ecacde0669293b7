// SPDX-License-Identifier: MIT
/* The rows of the time series' intervals, and of events. */
#include "core.h"

#define EVENTS_OF_CONNECTION 200000
#define LISTED (EVENT_RETRANSMISSION | EVENT_REINJECTION | EVENT_SIGNAL | EVENT_LOSS)

void flush_bin(struct analyser *c, struct direction *dir)
{
	struct series_row *row;

	if (!dir->bin || dir->bin->interval < 0)
		return;
	row = new_row(&c->memory, &c->out[OUT_SERIES]);
	if (row)
		*row = *dir->bin;
	dir->bin->interval = -1;
	dir->bin_to = dir->bin_from;
}

struct series_row *next_bin(struct analyser *c, struct direction *dir, i64 time_ns)
{
	i64 interval = max(0, time_ns - c->zero_ns) / c->settings.interval_ns;

	flush_bin(c, dir);
	if (!dir->bin)
		dir->bin = arena_alloc(&c->memory, sizeof(*dir->bin));
	if (!dir->bin)
		return NULL;
	dir->bin_from = c->zero_ns + interval * c->settings.interval_ns;
	dir->bin_to = dir->bin_from + c->settings.interval_ns;
	*dir->bin = (struct series_row){
		.interval = interval,
		.subflow = dir->subflow->index,
		.direction = dir != &dir->subflow->directions[0],
	};
	return dir->bin;
}

struct event_row *new_event(struct analyser *c, enum event_kind kind,
			    const struct direction *dir, i64 time_ns)
{
	struct connection *conn = dir->subflow->connection;
	struct event_row *row;

	if (kind & LISTED && conn->listed++ >= EVENTS_OF_CONNECTION) {
		conn->row.events_dropped++;
		return NULL;
	}
	row = new_row(&c->memory, &c->out[OUT_EVENTS]);
	if (!row)
		return NULL;
	row->kind = kind;
	row->time_ns = time_ns;
	row->connection = conn->index;
	row->subflow = dir->subflow->index;
	row->direction = dir != &dir->subflow->directions[0];
	return row;
}

// SPDX-License-Identifier: MIT
/*
 * What a caller uses. It puts bytes into an input's buffer until analyser_run() asks for
 * no more; rows are taken out between two calls.
 *
 *	while ((what = analyser_run(c)) != ANALYSER_DONE)
 *		what >= 0: fill the buffer of input `what`, or end it
 *		ANALYSER_FULL: take series and events out
 */
#include <stdlib.h>

#include "core.h"

#define ANALYSER_DONE (-1)
#define ANALYSER_FULL (-2)
#define FULL 65536		/* rows */
#define TURN 4096		/* packets between two looks at the tables */

static const size_t sizes[OUTS] = {
	sizeof(struct connection_row), sizeof(struct data_row),
	sizeof(struct subflow_row), sizeof(struct direction_row),
	sizeof(struct series_row), sizeof(struct event_row), sizeof(struct input_row),
};

#define TEXT(type, name) #type " " #name "\n"
const char *analyser_fields(int out)
{
	static const char *const texts[OUTS] = {
		CONNECTION_FIELDS(TEXT), DATA_FIELDS(TEXT), SUBFLOW_FIELDS(TEXT),
		DIRECTION_FIELDS(TEXT), SERIES_FIELDS(TEXT), EVENT_FIELDS(TEXT),
		INPUT_FIELDS(TEXT),
	};

	return out >= 0 && out < OUTS ? texts[out] : "";
}
#undef TEXT

struct analyser *analyser_new(const struct settings *settings)
{
	struct analyser *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->settings = *settings;
	c->memory.left = settings->budget;
	for (int i = 0; i < OUTS; i++)
		c->out[i].size = sizes[i];
	return c;
}

/* Returns the number of the input, -1 if there are too many or no memory. */
int analyser_add(struct analyser *c, int point)
{
	struct input *in;

	if (c->input_count == INPUTS || point < 0 || point > 1)
		return -1;
	in = arena_alloc(&c->memory, sizeof(*in));
	if (!in)
		return -1;
	in->buffer = arena_alloc(&c->memory, BUFFER_BYTES);
	if (!in->buffer || !new_row(&c->memory, &c->out[OUT_INPUTS])) {
		arena_free(&c->memory, in->buffer, BUFFER_BYTES);
		arena_free(&c->memory, in, sizeof(*in));
		return -1;
	}
	in->row.input = c->input_count;
	in->row.point = point;
	in->row.link = -1;
	in->row.first_ns = in->row.last_ns = -1;
	c->points |= 1u << point;
	c->inputs[c->input_count] = in;
	return (int)c->input_count++;
}

static struct input *input_of(const struct analyser *c, int number)
{
	return number >= 0 && (u32)number < c->input_count ? c->inputs[number] : NULL;
}

/* Where to put bytes, and how many there may be. */
u8 *analyser_buffer(struct analyser *c, int number, size_t *size)
{
	struct input *in = input_of(c, number);

	*size = 0;
	if (!in || in->waiting)		/* its frame lies in the buffer */
		return NULL;
	if (in->start) {
		memmove(in->buffer, in->buffer + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	*size = BUFFER_BYTES - in->end;
	return in->buffer + in->end;
}

void analyser_fed(struct analyser *c, int number, size_t count)
{
	struct input *in = input_of(c, number);

	if (!in || count > BUFFER_BYTES - in->end)
		return;
	in->end += count;
	in->row.bytes += (i64)count;
}

void analyser_end(struct analyser *c, int number)
{
	struct input *in = input_of(c, number);

	if (in)
		in->ended = true;
}

static bool elsewhere(struct analyser *c, struct direction *dir, u32 source)
{
	u32 before = dir->source >> 26;

	if (!dir->row.packets || dir->source == source) {
		dir->source = source;
		return false;
	}
	/* A capture that was cut into several files goes on in the next. */
	if (before != source >> 26 && c->inputs[before]->over &&
	    c->inputs[source >> 26]->row.first_ns >= c->inputs[before]->row.last_ns) {
		dir->source = source;
		return false;
	}
	dir->subflow->row.elsewhere_packets++;
	return true;
}

static void take_packet(struct analyser *c, struct input *in)
{
	struct packet p;
	struct direction *dir;

	p.options = 0;
	switch (dissect(&in->frame, &p)) {
	case IS_TCP:
		break;
	case IS_OTHER:
		in->row.other_packets++;
		return;
	case IS_FRAGMENT:
		in->row.fragments++;
		return;
	case IS_MALFORMED:
		in->row.malformed++;
		return;
	case IS_SNAPPED:
		in->row.snapped++;
		return;
	}
	in->row.tcp_packets++;
	dir = find_direction(c, &p, (u32)in->row.point);
	if (!dir) {
		in->row.untracked++;
		return;
	}
	if (elsewhere(c, dir, (u32)in->row.input << 26 | (p.source & 0x3FFFFFF))) {
		in->row.elsewhere++;
		return;
	}
	p.direction = dir;
	if (c->points == 3)
		pair(c, &p, (u32)in->row.point);
	track_tcp(c, &p);
}

static void take_frame(struct analyser *c, struct input *in)
{
	i64 now = in->frame.time_ns;

	if (!c->begun)
		c->zero_ns = now;
	c->begun = true;
	in->waiting = false;
	in->row.packets++;
	in->row.backwards += now < in->row.last_ns;
	if (in->row.first_ns < 0)
		in->row.first_ns = now;
	in->row.last_ns = max(in->row.last_ns, now);
	take_packet(c, in);
}

/* The input whose frame is the oldest; -1 if all are over; or, in `hungry`, one that
 * must be fed before that can be told. */
static int oldest(struct analyser *c, int *hungry)
{
	int best = -1;

	for (u32 i = 0; i < c->input_count; i++) {
		struct input *in = c->inputs[i];

		if (!in->waiting && !in->over) {
			enum step step = read_frame(in, &c->memory);

			in->waiting = step == STEP_FRAME;
			if (step == STEP_MORE) {
				*hungry = (int)i;
				return -1;
			}
		}
		if (in->waiting && (best < 0 || in->frame.time_ns <
						c->inputs[best]->frame.time_ns))
			best = (int)i;
	}
	return best;
}

static void tell_inputs(struct analyser *c)
{
	struct input_row *rows = c->out[OUT_INPUTS].rows;

	for (u32 i = 0; i < c->input_count; i++)
		rows[i] = c->inputs[i]->row;
}

int analyser_run(struct analyser *c)
{
	int hungry = -1;

	while (!c->finished) {
		for (int i = 0; i < TURN; i++) {
			int best = oldest(c, &hungry);

			if (hungry >= 0)
				return hungry;
			if (best < 0) {
				finish(c);
				tell_inputs(c);
				c->finished = true;
				break;
			}
			take_frame(c, c->inputs[best]);
		}
		if (!c->finished && (c->out[OUT_SERIES].count > FULL ||
				     c->out[OUT_EVENTS].count > FULL))
			return ANALYSER_FULL;
	}
	return ANALYSER_DONE;
}

const void *analyser_rows(struct analyser *c, int out, size_t *count)
{
	*count = out >= 0 && out < OUTS ? c->out[out].count : 0;
	return *count ? c->out[out].rows : NULL;
}

void analyser_clear(struct analyser *c, int out)
{
	if (out >= 0 && out < OUTS)
		c->out[out].count = 0;
}

i64 analyser_memory(const struct analyser *c)
{
	return c->memory.short_of ? -1 : c->settings.budget - c->memory.left;
}

static void free_subflow(struct arena *m, struct subflow *s)
{
	for (int i = 0; i < 2; i++) {
		struct direction *dir = &s->directions[i];

		ranges_free(m, &dir->holes);
		samples_free(m, &dir->rtt);
		samples_free(m, &dir->delay);
		free(dir->sent);
		free(dir->maps);
	}
	free(s);
}

void analyser_free(struct analyser *c)
{
	if (!c)
		return;
	for (u32 i = 0; i < c->input_count; i++) {
		free(c->inputs[i]->buffer);
		free(c->inputs[i]->interface);
		free(c->inputs[i]);
	}
	for (size_t i = 0; i < c->subflows.count; i++)
		free_subflow(&c->memory, c->subflows.at[i]);
	for (size_t i = 0; i < c->connections.count; i++) {
		struct connection *conn = c->connections.at[i];

		for (int j = 0; j < 2; j++) {
			if (conn->data[j])
				ranges_free(&c->memory, &conn->data[j]->ranges);
			free(conn->data[j]);
		}
		free(conn);
	}
	for (int i = 0; i < OUTS; i++)
		free(c->out[i].rows);
	free(c->subflows.at);
	free(c->connections.at);
	free(c->buckets);
	free(c->tokens);
	free(c->pairs.slots);
	free(c->pairs.buckets);
	free(c);
}

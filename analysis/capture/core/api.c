// SPDX-License-Identifier: MIT
/*
 * The functions that a caller uses. It puts bytes into an input's buffer until
 * analyser_run() asks for no more, and takes rows out between two calls.
 *
 *	while ((what = analyser_run(c)) != ANALYSER_DONE)
 *		what >= 0: fill the buffer of input `what`, or end it
 *		ANALYSER_FULL: take series and events out
 */
#include <stdlib.h>

#include "core.h"

#define ANALYSER_DONE (-1)
#define ANALYSER_FULL (-2)
#define FULL_ROWS 65536		/* of series or events, at most */
#define FULL_CONNECTIONS 1024
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
	c->memory.left = c->memory.lowest = settings->budget;
	for (int i = 0; i < OUTS; i++)
		c->out[i].size = sizes[i];
	c->full_rows = (size_t)max(64, min(FULL_ROWS, settings->budget / 8 /
						      (i64)sizeof(struct series_row)));
	c->full_connections = (size_t)max(4, min(FULL_CONNECTIONS, settings->budget >> 18));
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
	c->inputs_at[point]++;
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

static void count_left_out(struct input_row *r, enum dissected what)
{
	r->fragments += what == IS_FRAGMENT;
	r->malformed += what == IS_MALFORMED;
	r->snapped += what == IS_SNAPPED;
	r->not_ip_packets += what == IS_NOT_IP;
	r->udp_packets += what == IS_UDP;
	r->other_packets += what == IS_OTHER;
	r->encrypted_packets += what == IS_ENCRYPTED;
}

static void take_tcp(struct analyser *c, struct input *in, struct packet *p)
{
	struct direction *dir;

	in->row.tcp_packets++;
	in->row.tunnelled_packets += p->in_tunnel;
	in->row.overlong += p->overlong;
	dir = find_direction(c, p, (u32)in->row.point);
	if (!dir) {
		in->row.untracked++;
		return;
	}
	if ((in->several || c->inputs_at[in->row.point] > 1) &&
	    seen_again(c, p, (u32)in->row.point,
		       (u32)in->row.input << 26 | (p->source & 0x3FFFFFF))) {
		in->row.elsewhere++;
		dir->subflow->row.elsewhere_packets++;
		return;
	}
	p->direction = dir;
	if (c->points == 3)
		pair(c, p, (u32)in->row.point);
	track_tcp(c, p);
}

static void take_packet(struct analyser *c, struct input *in)
{
	struct packet p;
	enum dissected what;

	p.options = 0;
	p.input = (u32)in->row.input;
	what = dissect(c, &in->frame, &p);
	while (true) {
		if (what == IS_TCP)
			take_tcp(c, in, &p);
		else
			count_left_out(&in->row, what);
		if (!p.rest.left)
			return;
		what = dissect_rest(c, &p);
	}
}

static void take_frame(struct analyser *c, struct input *in)
{
	i64 now = in->frame.time_ns;

	if (!c->begun)
		c->zero_ns = c->now_ns = now;
	c->begun = true;
	c->now_ns = max(c->now_ns, now);
	c->taken++;
	in->waiting = false;
	in->row.packets++;
	if (in->row.first_ns < 0) {
		in->row.first_ns = now;
	} else if (now < in->row.last_ns) {
		in->row.backwards++;
		in->row.backwards_max_ns = max(in->row.backwards_max_ns,
					       in->row.last_ns - now);
	}
	in->row.last_ns = max(in->row.last_ns, now);
	take_packet(c, in);
}

/* The input whose frame is the oldest, -1 if all are over. Sets `hungry` to an input that
 * must be fed before the oldest frame is known. */
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

/* Packets up to the next look at the tables. Returns the input to feed, -1 if none; sets
 * `over` when all inputs are. */
static int run_turn(struct analyser *c, bool *over)
{
	int hungry = -1;

	for (int i = 0; i < TURN && !rows_are_full(c); i++) {
		int best = oldest(c, &hungry);

		if (hungry >= 0)
			return hungry;
		if (best < 0) {
			*over = true;
			return -1;
		}
		if (short_of_memory(c))
			make_space(c);
		take_frame(c, c->inputs[best]);
	}
	return -1;
}

static bool is_full(const struct analyser *c)
{
	return rows_are_full(c) || c->out[OUT_SERIES].count > c->full_rows ||
	       c->out[OUT_EVENTS].count > c->full_rows;
}

int analyser_run(struct analyser *c)
{
	while (!c->finished) {
		bool over = c->ending;
		int hungry = over ? -1 : run_turn(c, &over);

		if (hungry >= 0)
			return hungry;
		if (over) {
			end_fragments(c);
			c->finished = retire_rest(c);
		}
		tell_inputs(c);
		if (!c->finished && is_full(c))
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

/* The most that was kept. */
i64 analyser_memory(const struct analyser *c)
{
	return c->settings.budget - c->memory.lowest;
}

/* Whether something was not kept because the memory was used up. */
int analyser_short_of_memory(const struct analyser *c)
{
	return c->memory.short_of;
}

/* Connections that retired before the end because memory ran out. */
i64 analyser_retired_early(const struct analyser *c)
{
	return (i64)c->retired_early;
}

/* The time of the first packet, ns since 1970. */
i64 analyser_zero(const struct analyser *c)
{
	return c->zero_ns;
}

void analyser_free(struct analyser *c)
{
	if (!c)
		return;
	free_fragments(c);
	for (u32 i = 0; i < c->input_count; i++) {
		free(c->inputs[i]->buffer);
		free(c->inputs[i]->interface);
		free(c->inputs[i]);
	}
	while (c->oldest)
		free_connection(c, c->oldest);
	for (struct subflow *s = c->spare_subflows, *next; s; s = next) {
		next = s->sibling;
		free(s);
	}
	for (int i = 0; i < OUTS; i++)
		free(c->out[i].rows);
	free(c->buckets);
	free(c->tokens);
	free(c->sightings);
	free(c->pairs.slots);
	free(c->pairs.buckets);
	free(c);
}

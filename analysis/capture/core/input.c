// SPDX-License-Identifier: MIT
/* The bytes of an input that wait to be read, and the first fault met in them. */
#include "core.h"

void advance(struct input *in, size_t count)
{
	in->start += count;
	in->offset += (i64)count;
}

/* The first fault is kept; what was read before it counts. */
enum step damaged(struct input *in, enum fault fault, i64 value)
{
	if (in->row.fault == FAULT_NONE) {
		in->row.fault = fault;
		in->row.fault_offset = in->offset;
		in->row.fault_value = value;
	}
	in->over = true;
	return STEP_OVER;
}

/* STEP_FRAME if the buffer holds `count` bytes. */
enum step need(struct input *in, size_t count)
{
	if (in->end - in->start >= count)
		return STEP_FRAME;
	if (!in->ended)
		return STEP_MORE;
	if (in->end == in->start) {
		in->over = true;
		return STEP_OVER;
	}
	return damaged(in, FAULT_TRUNCATED, (i64)(in->end - in->start));
}

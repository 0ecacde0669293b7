// SPDX-License-Identifier: MIT
/* The next frame of an input, whatever the format of its file. */
#include "core.h"

#define SECTION 0x0A0D0D0Au	/* the first block of a pcapng file */

static enum step read_head(struct input *in)
{
	const u8 *at = in->buffer + in->start;
	enum step step = need(in, 4);
	u32 magic;

	if (step == STEP_OVER && !in->offset && in->row.fault == FAULT_NONE)
		return damaged(in, FAULT_EMPTY, 0);
	if (step == STEP_OVER)
		in->row.fault = FAULT_NOT_CAPTURE;
	if (step != STEP_FRAME)
		return step;
	magic = file32(at, false);
	if (magic == SECTION) {
		in->format = 2;
		in->row.format = 2;
		return read_block(in, NULL);
	}
	return read_pcap_head(in, magic);
}

enum step read_frame(struct input *in, struct arena *m)
{
	enum step step;

	if (in->over)
		return STEP_OVER;
	if (in->format == 0) {
		step = read_head(in);
		if (in->format != 2 || step == STEP_OVER)
			return step;
	}
	return in->format == 2 ? read_block(in, m) : read_record(in);
}

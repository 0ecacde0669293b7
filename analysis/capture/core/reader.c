// SPDX-License-Identifier: MIT
/* Frames out of capture files, and the records of pcap; blocks are in pcapng.c. */
#include "core.h"

#define PCAP_HEAD 24
#define PCAP_RECORD 16
#define SECTION 0x0A0D0D0Au

bool link_known(i32 link)
{
	switch (link) {
	case 0: case 1: case 9: case 12: case 14: case 101: case 108: case 113:
	case 228: case 229: case 276:
		return true;
	}
	return false;
}

void advance(struct input *in, size_t count)
{
	in->start += count;
	in->offset += (i64)count;
}

/* The first fault is told; what was read before it counts. */
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

/* STEP_FRAME if `count` bytes lie in the room. */
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

static enum step read_record(struct input *in)
{
	const u8 *at = in->room + in->start;
	enum step step = need(in, PCAP_RECORD);
	u32 captured, length, seconds, part;

	if (step != STEP_FRAME)
		return step;
	seconds = file32(at, in->swapped);
	part = file32(at + 4, in->swapped);
	captured = file32(at + 8, in->swapped);
	length = file32(at + 12, in->swapped);
	if (captured > LONGEST - PCAP_RECORD)
		return damaged(in, FAULT_LENGTH, captured);
	step = need(in, PCAP_RECORD + captured);
	if (step != STEP_FRAME)
		return step;
	in->frame = (struct frame){
		.time_ns = (i64)seconds * 1000000000 + (i64)part * (in->nano ? 1 : 1000),
		.at = at + PCAP_RECORD,
		.captured = captured,
		.length = length < captured ? captured : length,
		.link = in->link,
	};
	advance(in, PCAP_RECORD + captured);
	return STEP_FRAME;
}

static enum step read_head(struct input *in)
{
	const u8 *at = in->room + in->start;
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
	in->swapped = magic == 0xD4C3B2A1u || magic == 0x4D3CB2A1u;
	in->nano = magic == 0xA1B23C4Du || magic == 0x4D3CB2A1u;
	if (!in->swapped && !in->nano && magic != 0xA1B2C3D4u)
		return damaged(in, FAULT_NOT_CAPTURE, magic);
	step = need(in, PCAP_HEAD);
	if (step != STEP_FRAME)
		return step;
	if (file16(at + 4, in->swapped) != 2)
		return damaged(in, FAULT_VERSION, file16(at + 4, in->swapped));
	in->link = (i32)(file32(at + 20, in->swapped) & 0xFFFF);	/* above: FCS */
	in->row.link = in->link;
	if (!link_known(in->link))
		return damaged(in, FAULT_LINK, in->link);
	in->format = 1;
	in->row.format = 1;
	advance(in, PCAP_HEAD);
	return read_record(in);
}

enum step read_frame(struct input *in, struct memory *m)
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

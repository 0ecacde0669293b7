// SPDX-License-Identifier: MIT
/* The header of a pcap file, and its records. */
#include "core.h"

#define PCAP_HEAD 24
#define PCAP_RECORD 16

enum step read_record(struct input *in)
{
	const u8 *at = in->buffer + in->start;
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
		.number = ++in->frames,
		.time_ns = (i64)seconds * 1000000000 + (i64)part * (in->nano ? 1 : 1000),
		.at = at + PCAP_RECORD,
		.captured = captured,
		.length = length < captured ? captured : length,
		.link = in->link,
		.swapped = in->swapped,
	};
	advance(in, PCAP_RECORD + captured);
	return STEP_FRAME;
}

enum step read_pcap_head(struct input *in, u32 magic)
{
	const u8 *at = in->buffer + in->start;
	enum step step;

	in->swapped = magic == 0xD4C3B2A1u || magic == 0x4D3CB2A1u;
	in->nano = magic == 0xA1B23C4Du || magic == 0x4D3CB2A1u;
	if (!in->swapped && !in->nano && magic != 0xA1B2C3D4u)
		return damaged(in, FAULT_NOT_CAPTURE, magic);
	step = need(in, PCAP_HEAD);
	if (step != STEP_FRAME)
		return step;
	if (file16(at + 4, in->swapped) != 2)
		return damaged(in, FAULT_VERSION, file16(at + 4, in->swapped));
	/* The upper half of the field describes frame check sequences. */
	in->link = (i32)(file32(at + 20, in->swapped) & 0xFFFF);
	in->row.link = in->link;
	in->several = link_of_several(in->link);
	if (!link_known(in->link))
		return damaged(in, FAULT_LINK, in->link);
	in->format = 1;
	in->row.format = 1;
	advance(in, PCAP_HEAD);
	return read_record(in);
}

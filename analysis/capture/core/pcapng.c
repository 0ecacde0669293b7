// SPDX-License-Identifier: MIT
/* The blocks of pcapng (draft-ietf-opsawg-pcapng). */
#include "core.h"

enum block {
	SECTION_HEADER = 0x0A0D0D0A, INTERFACE = 1, OLD_PACKET = 2, SIMPLE_PACKET = 3,
	PACKET = 6,
};

enum { OPTION_END = 0, IF_TSRESOL = 9, IF_TSOFFSET = 14 };

static void read_interface_options(struct span s, bool swapped, struct interface *into)
{
	while (has(&s, 4)) {
		u16 code = file16(s.at, swapped), length = file16(s.at + 2, swapped);

		skip(&s, 4);
		if (code == OPTION_END || !has(&s, length))
			return;
		if (code == IF_TSRESOL && length == 1) {
			u8 power = s.at[0] & 0x7F;

			into->per_second_shift = 0;
			into->per_second = 1;
			if (s.at[0] & 0x80)
				into->per_second_shift = power < 64 ? power : 63;
			else
				while (power-- && into->per_second < 1000000000000000000)
					into->per_second *= 10;
		}
		if (code == IF_TSOFFSET && length == 8) {
			u32 low = file32(s.at, swapped), high = file32(s.at + 4, swapped);
			u64 value = swapped ? (u64)low << 32 | high : (u64)high << 32 | low;

			into->offset_s = (i64)value;
		}
		length = (u16)min((i64)s.left, (length + 3) & ~3);
		skip(&s, length);
	}
}

static i64 to_ns(const struct interface *of, u64 stamp)
{
	unsigned __int128 ns = (unsigned __int128)stamp * 1000000000u;
	i64 offset_s = of->offset_s;

	ns = of->per_second_shift ? ns >> of->per_second_shift : ns / of->per_second;
	/* Beyond the year 2116 a time is noise; sums must not overflow. */
	if (ns > (u64)1 << 62 || offset_s < -(1ll << 32) || offset_s > 1ll << 32)
		return 0;
	return (i64)ns + offset_s * 1000000000;
}

static enum step add_interface(struct input *in, struct span s, struct arena *m)
{
	struct interface *into;

	if (!has(&s, 8) || in->interfaces == INTERFACES)
		return damaged(in, FAULT_INTERFACE, in->interfaces);
	if (!in->interface)
		in->interface = arena_alloc(m, INTERFACES * sizeof(*in->interface));
	if (!in->interface)
		return damaged(in, FAULT_INTERFACE, in->interfaces);
	into = &in->interface[in->interfaces++];
	*into = (struct interface){
		.link = file16(s.at, in->swapped),
		.per_second = 1000000,
	};
	in->several |= in->base + in->interfaces > 1 || link_of_several(into->link);
	in->row.link = into->link;
	skip(&s, 8);
	read_interface_options(s, in->swapped, into);
	return STEP_FRAME;
}

/* A packet of an enhanced, simple or old block; STEP_MORE: not one to look at. */
static enum step take_packet(struct input *in, u32 type, struct span s)
{
	const struct interface *of;
	u32 number = 0, captured, length, at = 4;
	i64 time_ns;

	in->frames++;
	if (type == SIMPLE_PACKET) {
		in->row.untimed++;
		return STEP_MORE;
	}
	if (!has(&s, 20))
		return damaged(in, FAULT_BLOCK, type);
	number = type == PACKET ? file32(s.at, in->swapped) : file16(s.at, in->swapped);
	if (number >= in->interfaces)
		return damaged(in, FAULT_INTERFACE, number);
	of = &in->interface[number];
	if (!link_known(of->link)) {
		if (in->row.fault == FAULT_NONE) {
			in->row.fault = FAULT_LINK;
			in->row.fault_offset = in->offset;
			in->row.fault_value = of->link;
		}
		in->row.unknown_link_packets++;
		return STEP_MORE;
	}
	time_ns = to_ns(of, (u64)file32(s.at + at, in->swapped) << 32 |
			    file32(s.at + at + 4, in->swapped));
	captured = file32(s.at + 12, in->swapped);
	length = file32(s.at + 16, in->swapped);
	skip(&s, 20);
	if (!has(&s, captured))
		return damaged(in, FAULT_LENGTH, captured);
	in->frame = (struct frame){
		.number = in->frames,
		.time_ns = time_ns,
		.at = s.at,
		.captured = captured,
		.length = length < captured ? captured : length,
		.source = in->base + number,
		.link = of->link,
		.swapped = in->swapped,
	};
	return STEP_FRAME;
}

static enum step skip_some(struct input *in)
{
	size_t now = (size_t)min((i64)in->to_skip, (i64)(in->end - in->start));

	advance(in, now);
	in->to_skip -= now;
	if (!in->to_skip)
		return STEP_FRAME;
	return in->ended ? damaged(in, FAULT_TRUNCATED, 0) : STEP_MORE;
}

static enum step begin_section(struct input *in)
{
	const u8 *at = in->buffer + in->start;
	u32 order = file32(at + 8, false);

	if (order != 0x1A2B3C4D && order != 0x4D3C2B1A)
		return damaged(in, FAULT_BLOCK, SECTION_HEADER);
	in->swapped = order == 0x4D3C2B1A;
	if (file16(at + 12, in->swapped) != 1)
		return damaged(in, FAULT_VERSION, file16(at + 12, in->swapped));
	/* Interfaces of another section are others, though they count from 0. */
	in->base += in->interfaces;
	in->interfaces = 0;
	return STEP_FRAME;
}

/* One block; STEP_FRAME with `waiting` set means that it held a packet. */
static enum step one_block(struct input *in, struct arena *m)
{
	const u8 *at = in->buffer + in->start;
	enum step step = in->to_skip ? skip_some(in) : STEP_FRAME;
	struct span body;
	u32 type, length;

	if (step != STEP_FRAME)
		return step;
	at = in->buffer + in->start;
	step = need(in, 12);
	if (step != STEP_FRAME)
		return step;
	type = file32(at, false);
	if (type == SECTION_HEADER) {
		step = need(in, 16);
		if (step != STEP_FRAME)
			return step;
		step = begin_section(in);
		if (step != STEP_FRAME)
			return step;
	}
	type = file32(at, in->swapped);
	length = file32(at + 4, in->swapped);
	if (length < 12 || length & 3)
		return damaged(in, FAULT_LENGTH, length);
	if (type != INTERFACE && type != OLD_PACKET && type != PACKET &&
	    type != SIMPLE_PACKET) {
		in->to_skip = length;
		return STEP_FRAME;
	}
	if (length > LONGEST)
		return damaged(in, FAULT_LENGTH, length);
	step = need(in, length);
	if (step != STEP_FRAME)
		return step;
	body = (struct span){ at + 8, length - 12 };
	if (type == INTERFACE) {
		step = add_interface(in, body, m);
	} else {
		step = take_packet(in, type, body);
		in->waiting = step == STEP_FRAME;
		step = step == STEP_MORE ? STEP_FRAME : step;
	}
	if (step == STEP_FRAME)
		advance(in, length);
	return step;
}

enum step read_block(struct input *in, struct arena *m)
{
	enum step step = STEP_FRAME;

	if (!m)			/* the head was recognised; blocks come later */
		return STEP_FRAME;
	in->waiting = false;
	while (step == STEP_FRAME && !in->waiting)
		step = one_block(in, m);
	return step;
}

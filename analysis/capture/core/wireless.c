// SPDX-License-Identifier: MIT
/*
 * Frames of IEEE 802.11, and the headers with which they are captured: radiotap, PPI,
 * Prism, AVS.
 *
 * A frame can hold several packets (an A-MSDU); `rest` is what follows the first. The
 * same packet to and from an access point, or repeated by the radio, is one that was
 * seen again.
 */
#include "core.h"

enum { TO_DS = 1, FROM_DS = 2, MORE_FRAGMENTS = 4, RETRY = 8, PROTECTED = 0x40,
       ORDER = 0x80 };
enum { DATA = 2, NO_DATA = 4, QOS = 8, AGGREGATE = 0x80 };
enum { RADIOTAP_PADDED = 0x20 };

/* One packet of an A-MSDU. */
u16 past_msdu(struct span *s, struct packet *p)
{
	size_t length, whole;

	if (!has(s, 14))
		return 0;
	length = be16(s->at + 12);
	whole = (14 + length + 3) & ~(size_t)3;
	if (s->left > whole)
		p->rest = (struct span){ s->at + whole, s->left - whole };
	skip(s, 14);
	limit(s, length);
	return past_llc(s, p);
}

/* `padded`: the header has been filled up to 4 bytes */
static u16 past_wifi_frame(struct span *s, struct packet *p, bool padded)
{
	u8 control, flags, subtype;
	size_t head = 24;
	bool several = false;

	if (!has(s, 24))
		return 0;
	control = s->at[0];
	flags = s->at[1];
	subtype = control >> 4;
	if ((control & 3) || (control >> 2 & 3) != DATA || subtype & NO_DATA)
		return 0;
	if ((flags & (TO_DS | FROM_DS)) == (TO_DS | FROM_DS))
		head += 6;
	if (subtype & QOS) {
		if (!has(s, head + 2))
			return 0;
		several = s->at[head] & AGGREGATE;
		head += flags & ORDER ? 6 : 2;
	}
	if (padded)
		head = (head + 3) & ~(size_t)3;
	if (!has(s, head + 3))
		return 0;
	p->source = p->source << 3 | (flags & 3) | (flags & RETRY ? 4 : 0);
	/* Some cards decrypt a frame and leave its flag. */
	if (flags & PROTECTED && be32(s->at + head - 1) << 8 != 0xAAAA0300) {
		p->encrypted = true;
		return 0;
	}
	if (flags & MORE_FRAGMENTS || s->at[22] & 15)
		return 0;
	skip(s, head);
	return several ? past_msdu(s, p) : past_llc(s, p);
}

u16 past_wifi(struct span *s, struct packet *p)
{
	return past_wifi_frame(s, p, false);
}

/* Some access points swap the two bytes of frame control and of sequence control in
 * CAPWAP. */
u16 past_wifi_swapped(struct span *s, struct packet *p)
{
	u8 frame[40];
	struct span swapped = { frame, 0 };
	u16 type;

	if (has(s, 2) && (s->at[0] & 0x0F) == DATA << 2)
		return past_wifi(s, p);
	swapped.left = (size_t)min((i64)s->left, (i64)sizeof(frame));
	memcpy(frame, s->at, swapped.left);
	if (swapped.left < sizeof(frame))
		return 0;
	frame[0] = s->at[1];
	frame[1] = s->at[0];
	frame[22] = s->at[23];
	frame[23] = s->at[22];
	type = past_wifi(&swapped, p);
	p->rest.left = 0;
	skip(s, sizeof(frame) - swapped.left);
	return type;
}

u16 past_radiotap(struct span *s, struct packet *p)
{
	size_t length, at = 4;
	u32 present;
	bool padded = false;

	if (!has(s, 8))
		return 0;
	length = file16(s->at + 2, false);
	if (length < 8 || !has(s, length))
		return 0;
	present = file32(s->at + 4, false);
	while (at + 4 <= length && file32(s->at + at, false) >> 31)
		at += 4;
	at += 4;
	if (present & 1)	/* the time, aligned */
		at = ((at + 7) & ~(size_t)7) + 8;
	if (present & 2 && at < length)
		padded = s->at[at] & RADIOTAP_PADDED;
	skip(s, length);
	return past_wifi_frame(s, p, padded);
}

/* The headers of Prism cards, of the byte order of the machine; or of AVS in their
 * place. */
u16 past_prism(struct span *s, struct packet *p)
{
	size_t length;

	if (!has(s, 8))
		return 0;
	length = be32(s->at + 4);
	if (be32(s->at) >> 12 != 0x80211 && !has(s, length))
		length = file32(s->at + 4, false);
	if (length < 8 || !has(s, length))
		return 0;
	skip(s, length);
	return past_wifi(s, p);
}

// SPDX-License-Identifier: MIT
/* From a frame through its link layer to the network layer. */
#include "core.h"

/* Past the link layer; the ethertype, 0 if it cannot be IP. */
static u16 past_link(struct span *s, i32 link, struct packet *p)
{
	size_t head;
	u16 type;

	switch (link) {
	case 1:
		head = 14;
		break;
	case 113:	/* Linux cooked: it has the way of a packet, not its interface */
		head = 16;
		if (has(s, 2))
			p->source = p->source << 3 | (be16(s->at) & 7);
		break;
	case 276:
		if (!has(s, 20))
			return 0;
		type = be16(s->at);
		p->source = (p->source << 20) ^ (be32(s->at + 4) << 3) ^ (s->at[10] & 7);
		skip(s, 20);
		return past_tags(s, p, type);
	case 0: case 108:
		if (!has(s, 4))
			return 0;
		skip(s, 4);
		return ip_version_type(s);
	case 9:
		if (!has(s, 4))
			return 0;
		if (s->at[0] == 0xFF && s->at[1] == 0x03)
			skip(s, 2);
		type = be16(s->at);
		skip(s, 2);
		return type == 0x0021 ? IPV4 : type == 0x0057 ? IPV6 : 0;
	default:
		return ip_version_type(s);
	}
	if (!has(s, head))
		return 0;
	type = be16(s->at + head - 2);
	skip(s, head);
	return past_tags(s, p, type);
}

enum dissected dissect(const struct frame *f, struct packet *p)
{
	struct span s = { f->at, f->captured };
	u16 type;

	p->time_ns = f->time_ns;
	p->number = f->number;
	p->frame_bytes = f->length;
	p->source = f->source;
	p->in_tunnel = p->overlong = false;
	type = past_link(&s, f->link, p);
	if (type != IPV4 && type != IPV6)
		return IS_NOT_IP;
	return read_ip(&s, p, type, f->length - (u32)(f->captured - s.left));
}

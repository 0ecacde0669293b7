// SPDX-License-Identifier: MIT
/* From a frame through its link layer to the network layer. */
#include "core.h"

enum { PPPOE = 0x8864, MPLS = 0x8847, MPLS_MULTICAST = 0x8848 };

static bool is_vlan(u16 type)
{
	return type == 0x8100 || type == 0x88A8 || type == 0x9100;
}

static u16 ip_version(const struct span *s)
{
	u8 version = has(s, 1) ? s->at[0] >> 4 : 0;

	return version == 4 ? IPV4 : version == 6 ? IPV6 : 0;
}

/* Past a stack of MPLS labels, and the Ethernet header of a pseudowire (RFC 4448). */
static u16 past_labels(struct span *s)
{
	bool last = false;

	while (!last) {
		if (!has(s, 4))
			return 0;
		last = s->at[2] & 1;
		skip(s, 4);
	}
	if (has(s, 18) && s->at[0] == 0) {
		u16 type = be16(s->at + 16);

		skip(s, 18);
		return type;
	}
	return ip_version(s);
}

/* Past VLAN tags, PPPoE and MPLS; the type of what follows, 0 if it is not there. */
u16 past_tags(struct span *s, struct packet *p, u16 type)
{
	while (is_vlan(type)) {
		if (!has(s, 4))
			return 0;
		type = be16(s->at + 2);
		skip(s, 4);
	}
	if (type == PPPOE) {
		if (!has(s, 8))
			return 0;
		type = be16(s->at + 6);
		skip(s, 8);
		type = type == 0x0021 ? IPV4 : type == 0x0057 ? IPV6 : 0;
	}
	if (type == MPLS || type == MPLS_MULTICAST) {
		p->in_tunnel = true;
		type = past_labels(s);
	}
	return type;
}

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
		return ip_version(s);
	case 9:
		if (!has(s, 4))
			return 0;
		if (s->at[0] == 0xFF && s->at[1] == 0x03)
			skip(s, 2);
		type = be16(s->at);
		skip(s, 2);
		return type == 0x0021 ? IPV4 : type == 0x0057 ? IPV6 : 0;
	default:
		return ip_version(s);
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
	p->frame_bytes = f->length;
	p->source = f->source;
	p->in_tunnel = false;
	type = past_link(&s, f->link, p);
	if (type != IPV4 && type != IPV6)
		return IS_NOT_IP;
	return read_ip(&s, p, type, f->length - (u32)(f->captured - s.left));
}

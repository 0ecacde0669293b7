// SPDX-License-Identifier: MIT
/* From a frame through link layer and IP to the TCP header. */
#include "core.h"

enum { IPV4 = 0x0800, IPV6 = 0x86DD, PPPOE = 0x8864 };
enum { PROTO_HOP = 0, PROTO_TCP = 6, PROTO_ROUTING = 43, PROTO_FRAGMENT = 44,
       PROTO_AH = 51, PROTO_DESTINATION = 60, PROTO_MOBILITY = 135, PROTO_HIP = 139,
       PROTO_SHIM6 = 140 };

static bool is_vlan(u16 type)
{
	return type == 0x8100 || type == 0x88A8 || type == 0x9100;
}

/* Past VLAN tags and PPPoE; the type of what follows, 0 if it is not there. */
static u16 past_tags(struct span *s, u16 type)
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
	return type;
}

static u16 ip_version(const struct span *s)
{
	u8 version = has(s, 1) ? s->at[0] >> 4 : 0;

	return version == 4 ? IPV4 : version == 6 ? IPV6 : 0;
}

/* Past the link layer; the ethertype, 0 if it cannot be IP. */
static u16 past_link(struct span *s, i32 link, u32 *source)
{
	size_t head;
	u16 type;

	switch (link) {
	case 1:
		head = 14;
		break;
	case 113:	/* Linux cooked: which interface is not told, only the way */
		head = 16;
		if (has(s, 2))
			*source = *source << 3 | (be16(s->at) & 7);
		break;
	case 276:
		if (!has(s, 20))
			return 0;
		type = be16(s->at);
		*source = (*source << 20) ^ (be32(s->at + 4) << 3) ^ (s->at[10] & 7);
		skip(s, 20);
		return past_tags(s, type);
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
	return past_tags(s, type);
}

static enum dissected past_ipv4(struct span *s, struct packet *p, u32 on_link)
{
	size_t head;
	u32 total;

	if (!has(s, 20))
		return IS_SNAPPED;
	head = (size_t)(s->at[0] & 15) * 4;
	total = be16(s->at + 2);
	/* 0: as segmentation offload leaves it */
	if (!total)
		total = on_link;
	if (head < 20 || total < head || s->at[0] >> 4 != 4)
		return IS_MALFORMED;
	if (s->at[9] != PROTO_TCP)
		return IS_OTHER;
	if (be16(s->at + 6) & 0x3FFF)
		return IS_FRAGMENT;
	p->version = 4;
	p->id = be16(s->at + 4);
	p->ce = (s->at[1] & 3) == 3;
	p->ip_bytes = total;
	memset(p->addresses, 0, sizeof(p->addresses));
	memcpy(p->addresses[0] + 12, s->at + 12, 4);
	memcpy(p->addresses[1] + 12, s->at + 16, 4);
	p->payload = (i64)total - (i64)head;
	limit(s, total);
	if (!has(s, head))
		return IS_SNAPPED;
	skip(s, head);
	return IS_TCP;
}

/* Past the extension headers; the protocol of what follows them is TCP. */
static enum dissected past_extensions(struct span *s, struct packet *p, u8 next)
{
	size_t length;

	while (next != PROTO_TCP) {
		switch (next) {
		case PROTO_HOP: case PROTO_ROUTING: case PROTO_DESTINATION:
		case PROTO_MOBILITY: case PROTO_HIP: case PROTO_SHIM6:
		case PROTO_FRAGMENT: case PROTO_AH:
			break;
		default:
			return IS_OTHER;
		}
		if (!has(s, 8))
			return IS_SNAPPED;
		length = ((size_t)s->at[1] + 1) * 8;
		if (next == PROTO_AH)
			length = ((size_t)s->at[1] + 2) * 4;
		if (next == PROTO_FRAGMENT) {
			length = 8;
			if (be16(s->at + 2) & 0xFFF9)
				return IS_FRAGMENT;
		}
		next = s->at[0];
		if (p->payload < (i64)length)
			return IS_MALFORMED;
		p->payload -= (i64)length;
		if (!has(s, length))
			return next == PROTO_TCP ? IS_SNAPPED : IS_OTHER;
		skip(s, length);
	}
	return IS_TCP;
}

static enum dissected past_ipv6(struct span *s, struct packet *p, u32 on_link)
{
	u8 next;

	if (!has(s, 40))
		return IS_SNAPPED;
	if (s->at[0] >> 4 != 6)
		return IS_MALFORMED;
	p->version = 6;
	p->id = 0;
	p->ce = ((s->at[1] >> 4) & 3) == 3;
	p->payload = be16(s->at + 4);
	if (!p->payload)
		p->payload = on_link > 40 ? on_link - 40 : 0;
	p->ip_bytes = (u32)p->payload + 40;
	next = s->at[6];
	memcpy(p->addresses, s->at + 8, 32);
	limit(s, p->ip_bytes);
	skip(s, 40);
	return past_extensions(s, p, next);
}

static enum dissected read_tcp(struct span *s, struct packet *p)
{
	struct span options;
	size_t head;

	if (!has(s, 20))
		return IS_SNAPPED;
	head = (size_t)(s->at[12] >> 4) * 4;
	if (head < 20 || p->payload < (i64)head)
		return IS_MALFORMED;
	p->payload -= (i64)head;
	p->ports[0] = be16(s->at);
	p->ports[1] = be16(s->at + 2);
	p->seq = be32(s->at + 4);
	p->ack = be32(s->at + 8);
	p->flags = s->at[13];
	p->window = be16(s->at + 14);
	p->options_cut = s->left < head;
	options = (struct span){ s->at + 20, s->left - 20 };
	limit(&options, head - 20);
	p->has_stamp = false;
	p->has_dss = false;
	p->sacks = 0;
	p->options = 0;
	read_options(options, p);
	return IS_TCP;
}

enum dissected dissect(const struct frame *f, struct packet *p)
{
	struct span s = { f->at, f->captured };
	enum dissected what;
	u32 on_link;
	u16 type;

	p->time_ns = f->time_ns;
	p->frame_bytes = f->length;
	p->source = f->source;
	type = past_link(&s, f->link, &p->source);
	on_link = f->length - (u32)(f->captured - s.left);
	if (type == IPV4)
		what = past_ipv4(&s, p, on_link);
	else if (type == IPV6)
		what = past_ipv6(&s, p, on_link);
	else
		return IS_OTHER;
	return what == IS_TCP ? read_tcp(&s, p) : what;
}

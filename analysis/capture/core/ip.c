// SPDX-License-Identifier: MIT
/*
 * From an IP header to the TCP header, through tunnels: IP in IP (RFC 2003, 4213), GRE
 * (RFC 2784, 2890) with IP, Ethernet or ERSPAN, VXLAN (RFC 7348) and Geneve (RFC 8926).
 *
 * The addresses are those of the innermost packet. The tunnel's own number is no part
 * of them, so a packet inside a tunnel and the same packet outside are one.
 */
#include "core.h"

#define MAX_TUNNELS 4		/* one in another */

enum {
	PROTO_HOP = 0, PROTO_IPV4 = 4, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_IPV6 = 41,
	PROTO_ROUTING = 43, PROTO_FRAGMENT = 44, PROTO_GRE = 47, PROTO_AH = 51,
	PROTO_DESTINATION = 60, PROTO_MOBILITY = 135, PROTO_HIP = 139, PROTO_SHIM6 = 140,
};

enum { TYPE_ETHERNET = 0x6558, TYPE_ERSPAN = 0x88BE };
enum { PORT_VXLAN = 4789, PORT_VXLAN_LINUX = 8472, PORT_GENEVE = 6081 };

static bool is_read(u8 protocol)
{
	return protocol == PROTO_TCP || protocol == PROTO_IPV4 ||
	       protocol == PROTO_IPV6 || protocol == PROTO_GRE || protocol == PROTO_UDP;
}

/* IS_TCP here means that the packet goes on with `protocol`. */
static enum dissected past_ipv4(struct span *s, struct packet *p, u32 on_link,
				u8 *protocol)
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
	if (total > on_link) {
		p->overlong = true;
		total = on_link;
	}
	if (head < 20 || total < head || s->at[0] >> 4 != 4)
		return IS_MALFORMED;
	*protocol = s->at[9];
	if (!is_read(*protocol))
		return IS_OTHER;
	if (be16(s->at + 6) & 0x3FFF)
		return *protocol == PROTO_UDP ? IS_UDP : IS_FRAGMENT;
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

static enum dissected past_extensions(struct span *s, struct packet *p, u8 next,
				      u8 *protocol)
{
	size_t length;

	while (!is_read(next)) {
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
			return is_read(next) ? IS_SNAPPED : IS_OTHER;
		skip(s, length);
	}
	*protocol = next;
	return IS_TCP;
}

static enum dissected past_ipv6(struct span *s, struct packet *p, u32 on_link,
				u8 *protocol)
{
	i64 carried;
	u8 next;

	if (!has(s, 40))
		return IS_SNAPPED;
	if (s->at[0] >> 4 != 6)
		return IS_MALFORMED;
	p->version = 6;
	p->id = 0;
	p->ce = ((s->at[1] >> 4) & 3) == 3;
	p->payload = be16(s->at + 4);
	carried = on_link > 40 ? on_link - 40 : 0;
	p->overlong |= p->payload > carried;
	if (!p->payload || p->payload > carried)
		p->payload = carried;
	p->ip_bytes = (u32)p->payload + 40;
	next = s->at[6];
	memcpy(p->addresses, s->at + 8, 32);
	limit(s, p->ip_bytes);
	skip(s, 40);
	return past_extensions(s, p, next, protocol);
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
	p->window_shift = -1;
	p->has_stamp = false;
	p->has_dss = false;
	p->sacks = 0;
	p->options = 0;
	read_options(options, p);
	return IS_TCP;
}

/* Into an Ethernet frame. */
static u16 past_ethernet(struct span *s, struct packet *p)
{
	u16 type;

	if (!has(s, 14))
		return 0;
	type = be16(s->at + 12);
	skip(s, 14);
	return past_tags(s, p, type);
}

static u16 past_gre(struct span *s, struct packet *p)
{
	size_t head = 4;
	u16 flags, type;

	if (!has(s, 4))
		return 0;
	flags = be16(s->at);
	type = be16(s->at + 2);
	for (u16 bit = 0x8000; bit >= 0x1000; bit >>= 1)	/* checksum, key, sequence */
		head += flags & bit && bit != 0x4000 ? 4 : 0;
	if (flags & 0x4007)	/* routing, or another version */
		return 0;
	if (type == TYPE_ERSPAN && flags & 0x1000)
		head += 8;
	if (!has(s, head))
		return 0;
	skip(s, head);
	if (type == TYPE_ETHERNET || type == TYPE_ERSPAN)
		return past_ethernet(s, p);
	return past_tags(s, p, type);
}

static u16 past_udp(struct span *s, struct packet *p)
{
	size_t options;
	u16 port, type;

	if (!has(s, 16))
		return 0;
	port = be16(s->at + 2);
	if (port == PORT_VXLAN || port == PORT_VXLAN_LINUX) {
		/* The flags of a valid VXLAN header, and what is reserved. */
		if (be32(s->at + 8) != 0x08000000 || s->at[15])
			return 0;
		skip(s, 16);
		return past_ethernet(s, p);
	}
	if (port != PORT_GENEVE || s->at[8] >> 6)
		return 0;
	options = (size_t)(s->at[8] & 63) * 4;
	type = be16(s->at + 10);
	if (!has(s, 16 + options))
		return 0;
	skip(s, 16 + options);
	return type == TYPE_ETHERNET ? past_ethernet(s, p) : type;
}

/* What a tunnel's packet carries; 0 if it is no IP. */
static u16 enter(struct span *s, struct packet *p, u8 protocol)
{
	switch (protocol) {
	case PROTO_IPV4:
		return IPV4;
	case PROTO_IPV6:
		return IPV6;
	case PROTO_GRE:
		return past_gre(s, p);
	default:
		return past_udp(s, p);
	}
}

/* `on_link`: the bytes from here on, whether captured or not. */
enum dissected read_ip(struct span *s, struct packet *p, u16 type, u32 on_link)
{
	for (int depth = 0; depth <= MAX_TUNNELS; depth++) {
		u8 protocol = 0;
		enum dissected what = type == IPV4 ?
			past_ipv4(s, p, on_link, &protocol) :
			past_ipv6(s, p, on_link, &protocol);
		size_t before = s->left, head;

		if (what != IS_TCP)
			return what;
		if (protocol == PROTO_TCP)
			return read_tcp(s, p);
		type = enter(s, p, protocol);
		if (type != IPV4 && type != IPV6)
			return protocol == PROTO_UDP ? IS_UDP : IS_OTHER;
		p->in_tunnel = true;
		head = before - s->left;
		on_link = p->payload > (i64)head ? (u32)(p->payload - (i64)head) : 0;
	}
	return IS_OTHER;
}

// SPDX-License-Identifier: MIT
/*
 * From an IP header to the TCP header, through tunnels.
 *
 * The addresses are those of the innermost packet. The tunnel's own number is no part
 * of them, so a packet inside a tunnel and the same packet outside are one.
 */
#include "core.h"

#define MAX_TUNNELS 4		/* one in another */

enum {
	PROTO_HOP = 0, PROTO_IPV4 = 4, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_IPV6 = 41,
	PROTO_ROUTING = 43, PROTO_FRAGMENT = 44, PROTO_GRE = 47, PROTO_ESP = 50,
	PROTO_AH = 51, PROTO_DESTINATION = 60, PROTO_IPIP = 94, PROTO_ETHERIP = 97,
	PROTO_L2TP = 115, PROTO_MOBILITY = 135, PROTO_MPLS = 137, PROTO_HIP = 139,
	PROTO_SHIM6 = 140, PROTO_ETHERNET = 143,
};

/* TCP, and what may carry it. */
static bool is_read(u8 protocol)
{
	switch (protocol) {
	case PROTO_TCP: case PROTO_UDP: case PROTO_IPV4: case PROTO_IPV6: case PROTO_GRE:
	case PROTO_IPIP: case PROTO_ETHERIP: case PROTO_L2TP: case PROTO_MPLS:
	case PROTO_ETHERNET:
		return true;
	}
	return false;
}

/* A header of IPv6 that another one follows; AH in IPv4 as well. */
static bool is_extension(u8 protocol)
{
	switch (protocol) {
	case PROTO_HOP: case PROTO_ROUTING: case PROTO_DESTINATION: case PROTO_MOBILITY:
	case PROTO_HIP: case PROTO_SHIM6: case PROTO_FRAGMENT: case PROTO_AH:
		return true;
	}
	return false;
}

static enum dissected past_extensions(struct analyser *c, struct span *s,
				      struct packet *p, u8 next, u8 *protocol)
{
	while (!is_read(next)) {
		size_t length;
		u16 place;

		if (next == PROTO_ESP)
			return IS_ENCRYPTED;
		if (!is_extension(next))
			return IS_OTHER;
		if (!has(s, 8))
			return IS_SNAPPED;
		length = ((size_t)s->at[1] + 1) * 8;
		if (next == PROTO_AH)
			length = ((size_t)s->at[1] + 2) * 4;
		if (next == PROTO_FRAGMENT)
			length = 8;
		place = next == PROTO_FRAGMENT ? be16(s->at + 2) & 0xFFF9 : 0;
		if (p->payload < (i64)length)
			return IS_MALFORMED;
		p->payload -= (i64)length;
		if (place) {
			struct fragment f = {
				.id = be32(s->at + 4), .from = place & 0xFFF8,
				.next = s->at[0], .last = !(place & 1),
			};
			enum dissected what;

			if (!is_read(f.next) && !is_extension(f.next))
				return f.next == PROTO_ESP ? IS_ENCRYPTED : IS_OTHER;
			skip(s, 8);
			limit(s, (size_t)p->payload);
			what = join_fragment(c, s, p, &f);
			if (what != IS_TCP)
				return what;
			next = f.next;
			continue;
		}
		next = s->at[0];
		if (!has(s, length))
			return is_read(next) ? IS_SNAPPED : IS_OTHER;
		skip(s, length);
	}
	*protocol = next;
	return IS_TCP;
}

/* IS_TCP here means that the packet goes on with `protocol`. */
static enum dissected past_ipv4(struct analyser *c, struct span *s, struct packet *p,
				u32 on_link, u8 *protocol)
{
	enum dissected what;
	size_t head;
	u32 total;
	u16 place;

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
	if (!is_read(*protocol) && *protocol != PROTO_AH)
		return *protocol == PROTO_ESP ? IS_ENCRYPTED : IS_OTHER;
	place = be16(s->at + 6) & 0x3FFF;
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
	if (place) {
		struct fragment f = {
			.id = p->id, .from = (place & 0x1FFFu) * 8, .protocol = *protocol,
			.next = *protocol, .last = !(place & 0x2000),
		};

		what = join_fragment(c, s, p, &f);
		if (what != IS_TCP)
			return what;
	}
	return *protocol == PROTO_AH ? past_extensions(c, s, p, PROTO_AH, protocol) : IS_TCP;
}

static enum dissected past_ipv6(struct analyser *c, struct span *s, struct packet *p,
				u32 on_link, u8 *protocol)
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
	return past_extensions(c, s, p, next, protocol);
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

/* What a tunnel's packet carries; 0 if it is no IP. */
static u16 enter(struct span *s, struct packet *p, u8 protocol)
{
	switch (protocol) {
	case PROTO_IPV4: case PROTO_IPIP:
		return IPV4;
	case PROTO_IPV6:
		return IPV6;
	case PROTO_GRE:
		return past_gre(s, p);
	case PROTO_ETHERIP:
		return past_etherip(s, p);
	case PROTO_MPLS:
		return past_labels(s, p);
	case PROTO_L2TP:
		return past_l2tp_session(s, p);
	case PROTO_ETHERNET:
		return past_ethernet(s, p);
	default:
		return past_udp(s, p);
	}
}

/* `on_link`: the bytes from here on, whether captured or not. */
enum dissected read_ip(struct analyser *c, struct span *s, struct packet *p, u16 type,
		       u32 on_link)
{
	for (int depth = 0; depth <= MAX_TUNNELS; depth++) {
		u8 protocol = 0;
		enum dissected what = type == IPV4 ?
			past_ipv4(c, s, p, on_link, &protocol) :
			past_ipv6(c, s, p, on_link, &protocol);
		size_t before = s->left, head;

		if (what != IS_TCP)
			return what;
		if (protocol == PROTO_TCP)
			return read_tcp(s, p);
		type = enter(s, p, protocol);
		if (type != IPV4 && type != IPV6)
			return p->encrypted ? IS_ENCRYPTED :
			       protocol == PROTO_UDP ? IS_UDP : IS_OTHER;
		p->in_tunnel = true;
		head = before - s->left;
		on_link = p->payload > (i64)head ? (u32)(p->payload - (i64)head) : 0;
	}
	return IS_OTHER;
}

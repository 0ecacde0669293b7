// SPDX-License-Identifier: MIT
/*
 * Tunnels: what IP and UDP carry that carries IP again. A tunnel over UDP is known by its
 * port, and by an IP packet inside it; what has none is UDP.
 */
#include "core.h"

enum { TYPE_ERSPAN = 0x88BE, TYPE_ERSPAN_3 = 0x22EB, TYPE_PPP = 0x880B,
       TYPE_WCCP = 0x883E };

/* ERSPAN of type III: 12 bytes, 8 more if the last bit says so; Ethernet or IP. */
static u16 past_erspan_3(struct span *s, struct packet *p)
{
	size_t head;
	u8 what;

	if (!has(s, 12))
		return 0;
	head = s->at[11] & 1 ? 20 : 12;
	what = s->at[10] >> 2 & 31;
	if (!has(s, head))
		return 0;
	skip(s, head);
	return what == 2 ? ip_version_type(s) : past_ethernet(s, p);
}

/* Enhanced GRE of PPTP (RFC 2637). */
static u16 past_pptp(struct span *s, struct packet *p, u16 flags)
{
	size_t head = 8 + (flags & 0x1000 ? 4 : 0) + (flags & 0x80 ? 4 : 0);

	if (!has(s, head))
		return 0;
	skip(s, head);
	return past_tags(s, p, past_ppp(s, p));
}

/* GRE (RFC 2784, 2890). */
u16 past_gre(struct span *s, struct packet *p)
{
	size_t head = 4;
	u16 flags, type;

	if (!has(s, 4))
		return 0;
	flags = be16(s->at);
	type = be16(s->at + 2);
	if ((flags & 7) == 1 && type == TYPE_PPP)
		return past_pptp(s, p, flags);
	for (u16 bit = 0x8000; bit >= 0x1000; bit >>= 1)	/* checksum, key, sequence */
		head += flags & bit && bit != 0x4000 ? 4 : 0;
	if (flags & 0x4007)	/* routing, or another version */
		return 0;
	if (type == TYPE_ERSPAN && flags & 0x1000)
		head += 8;
	if (!has(s, head))
		return 0;
	skip(s, head);
	if (type == TYPE_ERSPAN)
		return past_ethernet(s, p);
	if (type == TYPE_ERSPAN_3)
		return past_erspan_3(s, p);
	if (type == TYPE_WCCP) {	/* version 2 has 4 bytes of its own */
		if (ip_version_type(s) != IPV4 && has(s, 4))
			skip(s, 4);
		return ip_version_type(s);
	}
	return past_tags(s, p, type);
}

/* EtherIP (RFC 3378). */
u16 past_etherip(struct span *s, struct packet *p)
{
	if (!has(s, 2) || s->at[0] >> 4 != 3)
		return 0;
	skip(s, 2);
	return past_ethernet(s, p);
}

/* Whether an IP header can be here. */
static bool is_ip(const struct span *s, u16 type)
{
	if (type == IPV4)
		return has(s, 20) && s->at[0] >> 4 == 4 && (s->at[0] & 15) >= 5 &&
		       be16(s->at + 2) >= 20;
	return type == IPV6 && has(s, 40) && s->at[0] >> 4 == 6;
}

/* Past a session's number, a cookie of 0, 4 or 8 bytes and perhaps 4 bytes of sequence
 * (RFC 3931): only the ends know, so by what can be read. */
u16 past_l2tp_session(struct span *s, struct packet *p)
{
	if (!has(s, 4) || !be32(s->at))
		return 0;
	for (size_t head = 4; head <= 16; head += 4) {
		u16 (*const past[])(struct span *, struct packet *) = {
			past_ethernet, past_ppp, past_hdlc,
		};

		for (size_t i = 0; i < sizeof(past) / sizeof(*past); i++) {
			struct packet copy = { .layers = p->layers };
			struct span inner = *s;
			u16 type;

			if (!has(&inner, head))
				return 0;
			skip(&inner, head);
			type = past_tags(&inner, &copy, past[i](&inner, &copy));
			if (is_ip(&inner, type)) {
				*s = inner;
				return type;
			}
		}
	}
	return 0;
}

/* L2TP over UDP, version 2 (RFC 2661) and 3. */
static u16 past_l2tp(struct span *s, struct packet *p)
{
	size_t head = 6;
	u16 flags;

	if (!has(s, 8))
		return 0;
	flags = be16(s->at);
	if (flags & 0x8000)	/* control */
		return 0;
	if ((flags & 15) == 3) {
		skip(s, 4);
		return past_l2tp_session(s, p);
	}
	if ((flags & 15) != 2)
		return 0;
	head += (flags & 0x4000 ? 2 : 0) + (flags & 0x0800 ? 4 : 0);
	if (flags & 0x0200) {
		if (!has(s, head + 2))
			return 0;
		head += 2 + (size_t)be16(s->at + head);
	}
	if (!has(s, head))
		return 0;
	skip(s, head);
	return past_tags(s, p, past_ppp(s, p));
}

/* VXLAN (RFC 7348), also with a group policy; the flag says that the number is valid. */
static u16 past_vxlan(struct span *s, struct packet *p)
{
	if (!has(s, 8) || !(s->at[0] & 8))
		return 0;
	skip(s, 8);
	return past_ethernet(s, p);
}

/* VXLAN's generic extension: a number says what follows. */
static u16 past_vxlan_gpe(struct span *s, struct packet *p)
{
	u8 next;

	if (!has(s, 8))
		return 0;
	next = s->at[0] & 4 ? s->at[3] : 3;
	skip(s, 8);
	return next == 4 ? past_tags(s, p, 0x894F) : past_numbered(s, p, next);
}

/* Geneve (RFC 8926). */
static u16 past_geneve(struct span *s, struct packet *p)
{
	size_t options;
	u16 type;

	if (!has(s, 8) || s->at[0] >> 6)
		return 0;
	options = (size_t)(s->at[0] & 63) * 4;
	type = be16(s->at + 2);
	if (!has(s, 8 + options))
		return 0;
	skip(s, 8 + options);
	return past_tags(s, p, type);
}

/* User data of GTP (3GPP TS 29.281), with extension headers. */
static u16 past_gtp(struct span *s, struct packet *p)
{
	size_t head = 8, length;
	u8 next = 0;

	if (!has(s, 12) || s->at[0] >> 4 != 3 || s->at[1] != 0xFF)
		return 0;
	if (s->at[0] & 7) {
		head = 12;
		next = s->at[0] & 4 ? s->at[11] : 0;
	}
	while (next) {
		length = has(s, head + 1) ? (size_t)s->at[head] * 4 : 0;
		if (!length || !has(s, head + length))
			return 0;
		head += length;
		next = s->at[head - 1];
	}
	skip(s, head);
	return ip_version_type(s) ? ip_version_type(s) : past_ethernet(s, p);
}

/* Version 0 (3GPP TS 09.60). */
static u16 past_gtp_0(struct span *s, struct packet *p)
{
	(void)p;
	if (!has(s, 20) || s->at[0] >> 5 || s->at[1] != 0xFF)
		return 0;
	skip(s, 20);
	return ip_version_type(s);
}

/* Teredo (RFC 4380): IPv6, after what its servers add. */
static u16 past_teredo(struct span *s, struct packet *p)
{
	(void)p;
	if (has(s, 13) && be16(s->at) == 1) {
		size_t head = 13 + (size_t)s->at[2] + s->at[3];

		if (!has(s, head))
			return 0;
		skip(s, head);
	}
	if (has(s, 8) && be16(s->at) == 0)
		skip(s, 8);
	return ip_version_type(s) == IPV6 ? IPV6 : 0;
}

/* Generic UDP encapsulation: a header with a protocol, or IP at once. */
static u16 past_gue(struct span *s, struct packet *p)
{
	size_t head;
	u8 protocol;

	if (!has(s, 4) || s->at[0] >> 6 == 1)
		return ip_version_type(s);
	if (s->at[0] & 0xE0)	/* a control message, or another version */
		return 0;
	head = 4 + (size_t)(s->at[0] & 31) * 4;
	protocol = s->at[1];
	if (!has(s, head))
		return 0;
	skip(s, head);
	return protocol == 47 ? past_gre(s, p) :
	       protocol == 4 || protocol == 41 ? ip_version_type(s) : 0;
}

/* LISP's data (RFC 9300). */
static u16 past_lisp(struct span *s, struct packet *p)
{
	(void)p;
	if (!has(s, 8))
		return 0;
	skip(s, 8);
	return ip_version_type(s);
}

/* CAPWAP's data (RFC 5415): frames of an access point, wireless or Ethernet's. */
static u16 past_capwap(struct span *s, struct packet *p)
{
	size_t head;
	bool native;

	if (!has(s, 8) || s->at[0])	/* 1: encrypted */
		return 0;
	head = (size_t)(s->at[1] >> 3) * 4;
	native = s->at[2] & 1;
	if (head < 8 || s->at[3] & 0x80 || !has(s, head))	/* a fragment */
		return 0;
	skip(s, head);
	return native ? past_wifi_swapped(s, p) : past_ethernet(s, p);
}

/* What sniffers send (TZSP): tags, then a frame. */
static u16 past_tzsp(struct span *s, struct packet *p)
{
	enum { FILLER, END };
	u16 what;

	if (!has(s, 5) || s->at[0] != 1 || s->at[1] > 1)
		return 0;
	what = be16(s->at + 2);
	skip(s, 4);
	while (has(s, 1) && s->at[0] != END) {
		size_t length = s->at[0] == FILLER ? 1 : has(s, 2) ? 2u + s->at[1] : s->left;

		if (!has(s, length))
			return 0;
		skip(s, length);
	}
	if (!has(s, 1))
		return 0;
	skip(s, 1);
	return what == 1 ? past_ethernet(s, p) : what == 18 ? past_wifi(s, p) : 0;
}

static const struct {
	u16 port;
	u16 (*past)(struct span *s, struct packet *p);
} ports[] = {
	{ 4789, past_vxlan }, { 8472, past_vxlan }, { 4790, past_vxlan_gpe },
	{ 6081, past_geneve }, { 2152, past_gtp }, { 3386, past_gtp_0 },
	{ 1701, past_l2tp }, { 3544, past_teredo }, { 6635, past_labels },
	{ 4754, past_gre }, { 6080, past_gue }, { 4341, past_lisp },
	{ 5247, past_capwap }, { 37008, past_tzsp },
};

/* By the receiver's port, then by the sender's. */
u16 past_udp(struct span *s, struct packet *p)
{
	u16 port[2];

	if (!has(s, 8) || is_deep(p))
		return 0;
	port[0] = be16(s->at + 2);
	port[1] = be16(s->at);
	for (size_t i = 0; i < 2 * sizeof(ports) / sizeof(*ports); i++) {
		struct span inner = *s;
		u16 type;

		if (ports[i / 2].port != port[i % 2])
			continue;
		skip(&inner, 8);
		type = ports[i / 2].past(&inner, p);
		if (is_ip(&inner, type)) {
			*s = inner;
			return type;
		}
	}
	return 0;
}

// SPDX-License-Identifier: MIT
/* From a frame through its link layer to the network layer. The numbers of link types are
 * those of tcpdump.org/linktypes.html. */
#include "core.h"

/* Linux cooked: a protocol, or what the device's type says. */
static u16 past_cooked_protocol(struct span *s, struct packet *p, u16 device, u16 type)
{
	enum { DEVICE_GRE = 778, DEVICE_WIFI = 801, DEVICE_RADIOTAP = 803 };

	if (device == DEVICE_RADIOTAP)
		return past_radiotap(s, p);
	if (device == DEVICE_WIFI)
		return past_wifi(s, p);
	if (type == 4)		/* IEEE 802.2 */
		return past_llc(s, p);
	return past_tags(s, p, type);
}

/* It has the way of a packet, not its interface. */
static u16 past_cooked(struct span *s, struct packet *p)
{
	u16 device, type;

	if (!has(s, 16))
		return 0;
	p->source = p->source << 3 | (be16(s->at) & 7);
	device = be16(s->at + 2);
	type = be16(s->at + 14);
	skip(s, 16);
	return past_cooked_protocol(s, p, device, type);
}

static u16 past_cooked_2(struct span *s, struct packet *p)
{
	u16 device, type;

	if (!has(s, 20))
		return 0;
	type = be16(s->at);
	p->source = (p->source << 20) ^ (be32(s->at + 4) << 3) ^ (s->at[10] & 7);
	device = be16(s->at + 8);
	skip(s, 20);
	return past_cooked_protocol(s, p, device, type);
}

/* An ethertype. */
static u16 past_type(struct span *s, struct packet *p)
{
	u16 type;

	if (!has(s, 2))
		return 0;
	type = be16(s->at);
	skip(s, 2);
	return past_tags(s, p, type);
}

/* A token ring has a route in its header if the source's first bit says so. */
static u16 past_token_ring(struct span *s, struct packet *p)
{
	size_t head = 14;

	if (!has(s, 15))
		return 0;
	if (s->at[8] & 0x80)
		head += s->at[14] & 31;
	if (!has(s, head))
		return 0;
	skip(s, head);
	return past_llc(s, p);
}

/* Classical IP over ATM, with LLC or without. */
static u16 past_classical_ip(struct span *s, struct packet *p)
{
	return ip_version_type(s) ? ip_version_type(s) : past_llc(s, p);
}

/* Infiniband: its global route, a type and two bytes. */
static u16 past_infiniband(struct span *s, struct packet *p)
{
	u16 type;

	if (!has(s, 44))
		return 0;
	type = be16(s->at + 40);
	skip(s, 44);
	return past_tags(s, p, type);
}

/* A tag of a switch stands between the addresses and the type. */
static u16 past_switch_tag(struct span *s, struct packet *p, size_t bytes)
{
	if (!has(s, 12 + bytes))
		return 0;
	skip(s, 12 + bytes);
	return past_type(s, p);
}

static u16 past_tag_4(struct span *s, struct packet *p)
{
	return past_switch_tag(s, p, 4);
}

static u16 past_tag_8(struct span *s, struct packet *p)
{
	return past_switch_tag(s, p, 8);
}

/* ARCNET: the ends, two bytes more on Linux, and a system's number. That of RFC 1201 has
 * three bytes of its own, and says when it is a fragment. */
static u16 past_arcnet(struct span *s, struct packet *p)
{
	enum { IP_1201 = 212, IP_1051 = 240 };
	u8 system;

	(void)p;
	if (!has(s, 4))
		return 0;
	system = s->at[0];
	if (system == IP_1201 && s->at[1])
		return 0;
	skip(s, system == IP_1201 ? 4 : 1);
	return system == IP_1201 || system == IP_1051 ? ip_version_type(s) : 0;
}

/* OpenBSD's firewall says how long its header is. */
static u16 past_pflog(struct span *s, struct packet *p)
{
	size_t head;

	(void)p;
	if (!has(s, 1))
		return 0;
	head = ((size_t)s->at[0] + 3) & ~(size_t)3;
	if (head < 4 || !has(s, head))
		return 0;
	skip(s, head);
	return ip_version_type(s);
}

/* Linux's firewall: attributes, one of which is the packet. Their lengths have the
 * byte order of the file. */
static u16 past_nflog(struct span *s, struct packet *p)
{
	enum { PAYLOAD = 9 };

	if (!has(s, 4) || s->at[1])
		return 0;
	skip(s, 4);
	while (has(s, 4)) {
		size_t length = file16(s->at, p->swapped), whole = (length + 3) & ~(size_t)3;
		u16 type = file16(s->at + 2, p->swapped) & 0x7FFF;

		if (length < 4)
			return 0;
		if (type == PAYLOAD) {
			skip(s, 4);
			limit(s, length - 4);
			return ip_version_type(s);
		}
		if (!has(s, whole))
			return 0;
		skip(s, whole);
	}
	return 0;
}

/* Apple's packet tap names the link type of what follows. */
static u16 past_pktap(struct span *s, struct packet *p)
{
	size_t head;
	i32 link;

	if (!has(s, 12) || is_deep(p))
		return 0;
	head = file32(s->at, false);
	link = (i32)file32(s->at + 8, false);
	if (head < 12 || file32(s->at + 4, false) != 1 || !has(s, head))
		return 0;
	skip(s, head);
	return past_link(s, link, p);
}

/* PPI names the link type of what follows. */
static u16 past_ppi(struct span *s, struct packet *p)
{
	size_t length;
	u32 link;

	if (!has(s, 8) || is_deep(p))
		return 0;
	length = file16(s->at + 2, false);
	link = file32(s->at + 4, false);
	if (length < 8 || !has(s, length))
		return 0;
	skip(s, length);
	return past_link(s, (i32)link, p);
}

/* DOCSIS (its part on MAC and upper layers, 6.2): a packet of Ethernet. */
static u16 past_docsis(struct span *s, struct packet *p)
{
	size_t head = 6;

	if (!has(s, 6) || s->at[0] >> 6)
		return 0;
	if (s->at[0] & 1)
		head += s->at[1];
	if (!has(s, head))
		return 0;
	skip(s, head);
	return past_ethernet(s, p);
}

/* Endace's record. */
static u16 past_erf(struct span *s, struct packet *p)
{
	size_t head = 16;
	u8 type, more;

	if (!has(s, 16))
		return 0;
	type = s->at[8] & 0x7F;
	more = s->at[8] & 0x80;
	while (more && has(s, head + 8)) {
		more = s->at[head] & 0x80;
		head += 8;
	}
	if (!has(s, head))
		return 0;
	skip(s, head);
	switch (type) {
	case 1: case 10: case 15: case 19:
		return past_serial(s, p);
	case 2: case 11: case 16: case 20:
		if (!has(s, 2))
			return 0;
		skip(s, 2);
		return past_ethernet(s, p);
	case 22: case 23:
		return ip_version_type(s);
	}
	return 0;
}

/* Juniper's header, and whether the link layer's own follows. */
static u16 past_juniper(struct span *s, struct packet *p, u16 (*past)(struct span *,
								       struct packet *))
{
	size_t head = 4;
	u8 flags;

	if (!has(s, 6) || be32(s->at) >> 8 != 0x4D4743)
		return 0;
	flags = s->at[3];
	if (flags & 0x80)
		head += 2 + (size_t)be16(s->at + 4);
	if (flags & 2)
		head += 4;
	if (!has(s, head))
		return 0;
	skip(s, head);
	return flags & 2 ? ip_version_type(s) : past(s, p);
}

static u16 past_juniper_ethernet(struct span *s, struct packet *p)
{
	return past_juniper(s, p, past_ethernet);
}

static u16 past_juniper_ppp(struct span *s, struct packet *p)
{
	return past_juniper(s, p, past_ppp);
}

static u16 past_juniper_frame_relay(struct span *s, struct packet *p)
{
	return past_juniper(s, p, past_frame_relay);
}

static u16 past_juniper_hdlc(struct span *s, struct packet *p)
{
	return past_juniper(s, p, past_hdlc);
}

struct link {
	i32 number;
	u16 head;		/* bytes that say nothing of what follows */
	u16 (*past)(struct span *s, struct packet *p);
};

static const struct link links[] = {
	{ 1, 0, past_ethernet },
	{ 113, 0, past_cooked }, { 276, 0, past_cooked_2 },
	{ 101, 0, past_raw }, { 12, 0, past_raw }, { 14, 0, past_raw },
	{ 228, 0, past_raw }, { 229, 0, past_raw },
	{ 0, 4, past_raw }, { 108, 4, past_raw },		/* BSD loopback */
	{ 127, 0, past_radiotap }, { 105, 0, past_wifi }, { 192, 0, past_ppi },
	{ 119, 0, past_prism }, { 163, 0, past_prism },
	{ 258, 0, past_pktap }, { 149, 0, past_pktap },
	{ 239, 0, past_nflog },
	{ 9, 0, past_serial }, { 50, 0, past_serial }, { 51, 6, past_ppp_protocol },
	{ 166, 0, past_pppd }, { 204, 1, past_ppp },
	{ 104, 0, past_hdlc }, { 205, 1, past_hdlc },
	{ 107, 0, past_frame_relay }, { 206, 1, past_frame_relay },
	{ 8, 16, past_raw },					/* SLIP */
	{ 6, 0, past_token_ring }, { 10, 13, past_llc },	/* and FDDI */
	{ 11, 0, past_llc }, { 100, 0, past_llc },		/* ATM, RFC 2684 */
	{ 19, 0, past_classical_ip }, { 106, 0, past_classical_ip },
	{ 123, 4, past_llc }, { 122, 16, past_llc },	/* SunATM, Fibre Channel */
	{ 7, 2, past_arcnet }, { 129, 4, past_arcnet },
	{ 138, 16, past_type },				/* IEEE 1394 */
	{ 143, 0, past_docsis },
	{ 117, 0, past_pflog }, { 17, 28, past_raw }, { 109, 12, past_raw },
	{ 226, 24, past_raw },					/* Solaris' IPNET */
	{ 240, 4, past_ethernet }, { 241, 12, past_ethernet },	/* netANALYZER */
	{ 242, 0, past_infiniband },
	{ 259, 8, past_ethernet }, { 274, 8, past_ethernet },	/* a preamble first */
	{ 281, 0, past_tag_4 }, { 282, 4, past_ethernet }, { 284, 0, past_tag_4 },
	{ 285, 0, past_tag_8 },
	{ 219, 0, past_labels }, { 197, 0, past_erf },
	{ 178, 0, past_juniper_ethernet }, { 179, 0, past_juniper_ppp },
	{ 180, 0, past_juniper_frame_relay }, { 181, 0, past_juniper_hdlc },
};

static const struct link *find_link(i32 number)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		if (links[i].number == number)
			return &links[i];
	}
	return NULL;
}

bool link_known(i32 link)
{
	return find_link(link);
}

/* All interfaces at once (Linux cooked, Apple's tap), or a radio, which hears a packet to
 * its access point and from there. */
bool link_of_several(i32 link)
{
	switch (link) {
	case 105: case 113: case 119: case 127: case 149: case 163: case 192: case 258:
	case 276:
		return true;
	}
	return false;
}

/* Past the link layer; the ethertype, 0 if it cannot be IP. */
u16 past_link(struct span *s, i32 link, struct packet *p)
{
	const struct link *of = find_link(link);

	if (!of || !has(s, of->head))
		return 0;
	skip(s, of->head);
	return past_tags(s, p, of->past(s, p));
}

// SPDX-License-Identifier: MIT
/*
 * What can stand between a link layer's header and IP: VLAN and other tags, LLC and SNAP,
 * Frame Relay, PPPoE, MPLS, NSH, MACsec without encryption, and Ethernet in Ethernet. A tunnel that
 * carries Ethernet frames has them inside the tunnel as well.
 */
#include "core.h"

#define MOST_TAGS 16
#define LONGEST_802_3 1500	/* a type up to here is a length, and LLC follows */

enum {
	LLC_JUMBO = 0x8870, PPPOE = 0x8864, PPP = 0x880B, MPLS_MULTICAST = 0x8848,
	NSH = 0x894F, MACSEC = 0x88E5, TRILL = 0x22F3, FABRIC_PATH = 0x8903, BATMAN = 0x4305,
};

/* The length of a tag, in whose last two bytes the type of what follows is; 0 if the type
 * is of no tag. */
static size_t tag_bytes(u16 type)
{
	switch (type) {
	case 0x8100: case 0x88A8: case 0x9100: case 0x9200: case 0x9300:	/* VLAN */
		return 4;
	case 0x8926:	/* VN-Tag */
	case 0x892F:	/* HSR (IEC 62439-3) */
	case 0xF1C1:	/* R-TAG (IEEE 802.1CB) */
		return 6;
	case 0x893F:	/* E-TAG (IEEE 802.1BR) */
	case 0x8909:	/* Cisco MetaData */
	case 0xDADA:	/* Marvell EtherType DSA */
		return 8;
	case 0x88E7:	/* I-TAG (IEEE 802.1ah) with the customer's addresses */
		return 18;
	}
	return 0;
}

/* The ethertype that the first byte of an IP packet says; 0 if it is no IP. */
u16 ip_version_type(const struct span *s)
{
	u8 version = has(s, 1) ? s->at[0] >> 4 : 0;

	return version == 4 ? IPV4 : version == 6 ? IPV6 : 0;
}

u16 past_raw(struct span *s, struct packet *p)
{
	(void)p;
	return ip_version_type(s);
}

static bool can_follow(u16 type)
{
	return type == IPV4 || type == IPV6 || tag_bytes(type) || type == TYPE_MPLS;
}

/* Past a stack of MPLS labels, and what leads to the Ethernet frame of a pseudowire (RFC
 * 4448): it may have a control word, whose first bits are 0. */
u16 past_labels(struct span *s, struct packet *p)
{
	bool last = false;
	u16 type;

	p->in_tunnel = true;
	while (!last) {
		if (!has(s, 4))
			return 0;
		last = s->at[2] & 1;
		skip(s, 4);
	}
	if (has(s, 18) && s->at[0] >> 4 == 0 && can_follow(be16(s->at + 16)))
		skip(s, 4);
	else if (ip_version_type(s) || !has(s, 14) || !can_follow(be16(s->at + 12)))
		return ip_version_type(s);
	type = be16(s->at + 12);
	skip(s, 14);
	return past_tags(s, p, type);
}

/* From the organisation on. */
static u16 past_snap(struct span *s, struct packet *p)
{
	u32 who;
	u16 type;

	if (!has(s, 5))
		return 0;
	who = be32(s->at) >> 8;
	type = be16(s->at + 3);
	skip(s, 5);
	if (who == 0x0080C2 && (type == 1 || type == 7)) {
		/* On ATM, two bytes come first. */
		if (has(s, 16) && !can_follow(be16(s->at + 12)) && can_follow(be16(s->at + 14)))
			skip(s, 2);
		return past_ethernet(s, p);
	}
	return who == 0 || who == 0xF8 ? past_tags(s, p, type) : 0;
}

/* A protocol's number by ISO/IEC TR 9577. */
static u16 past_nlpid(struct span *s, struct packet *p)
{
	enum { SNAP = 0x80, NLPID_IPV6 = 0x8E, NLPID_IPV4 = 0xCC, NLPID_PPP = 0xCF };
	u8 what;

	if (!has(s, 1))
		return 0;
	what = s->at[0];
	skip(s, 1);
	switch (what) {
	case NLPID_IPV4:
		return IPV4;
	case NLPID_IPV6:
		return IPV6;
	case NLPID_PPP:
		return past_tags(s, p, past_ppp_protocol(s, p));
	case SNAP:
		return past_snap(s, p);
	}
	return 0;
}

/* LLC, and SNAP within it (IEEE 802, RFC 1042; RFC 2684 for what bridges send). */
u16 past_llc(struct span *s, struct packet *p)
{
	u32 who;

	if (!has(s, 4) || s->at[2] != 3)
		return 0;
	who = be16(s->at);
	if (who == 0x0606) {
		skip(s, 3);
		return ip_version_type(s);
	}
	if (who == 0xFEFE) {
		skip(s, 3);
		return past_nlpid(s, p);
	}
	if (who != 0xAAAA || !has(s, 8))
		return 0;
	skip(s, 3);
	return past_snap(s, p);
}

/* Frame Relay: an address of 2 to 4 bytes, the last of which is odd; then by RFC 2427, or Cisco's way
 * with an ethertype. */
u16 past_frame_relay(struct span *s, struct packet *p)
{
	size_t address = 1;
	u16 type;

	while (has(s, address) && !(s->at[address - 1] & 1) && address < 4)
		address++;
	if (!has(s, address + 3))
		return 0;
	skip(s, address);
	if (s->at[0] != 3) {
		type = be16(s->at);
		skip(s, 2);
		return past_tags(s, p, type);
	}
	skip(s, s->at[1] ? 1 : 2);
	return past_nlpid(s, p);
}

/* By the next protocol of a network service header, which VXLAN's generic extension has
 * too: IPv4, IPv6, Ethernet and MPLS. */
u16 past_numbered(struct span *s, struct packet *p, u8 next)
{
	switch (next) {
	case 1: case 2:
		return ip_version_type(s);
	case 3:
		return past_ethernet(s, p);
	case 5:
		return past_labels(s, p);
	}
	return 0;
}

/* Network service header (RFC 8300). */
static u16 past_nsh(struct span *s, struct packet *p)
{
	size_t head;
	u8 next;

	if (!has(s, 8))
		return 0;
	head = (size_t)(s->at[1] & 63) * 4;
	next = s->at[3];
	if (head < 8 || !has(s, head))
		return 0;
	skip(s, head);
	p->in_tunnel = true;
	return past_numbered(s, p, next);
}

/* Integrity alone (IEEE 802.1AE): the type follows the tag. */
static u16 past_macsec(struct span *s, struct packet *p)
{
	size_t head;
	u16 type;

	if (!has(s, 1))
		return 0;
	head = s->at[0] & 0x20 ? 14 : 6;
	if (s->at[0] & 0x0C) {
		p->encrypted = true;
		return 0;
	}
	if (!has(s, head + 2))
		return 0;
	type = be16(s->at + head);
	skip(s, head + 2);
	return past_tags(s, p, type);
}

/* Of batman-adv, what carries a frame of a station. */
static u16 past_batman(struct span *s, struct packet *p)
{
	size_t head = has(s, 1) && s->at[0] == 0x40 ? 10 :
		      has(s, 1) && s->at[0] == 0x42 ? 18 : 0;

	if (!head || !has(s, head))
		return 0;
	skip(s, head);
	p->in_tunnel = true;
	return past_ethernet(s, p);
}

/* Past so many bytes to an Ethernet frame. */
static u16 past_outer(struct span *s, struct packet *p, size_t head)
{
	if (!has(s, head))
		return 0;
	skip(s, head);
	p->in_tunnel = true;
	return past_ethernet(s, p);
}

/* Past all tags; the type of what follows, 0 if it is not there. */
u16 past_tags(struct span *s, struct packet *p, u16 type)
{
	for (int i = 0; i < MOST_TAGS; i++) {
		size_t bytes;

		if (type == IPV4 || type == IPV6)
			return type;
		bytes = tag_bytes(type);
		if (!bytes)
			break;
		if (!has(s, bytes))
			return 0;
		type = be16(s->at + bytes - 2);
		skip(s, bytes);
	}
	if (is_deep(p))
		return 0;
	switch (type) {
	case LLC_JUMBO:
		return past_llc(s, p);
	case PPPOE:
		if (!has(s, 6))
			return 0;
		skip(s, 6);
		return past_tags(s, p, past_ppp_protocol(s, p));
	case PPP:
		return past_tags(s, p, past_ppp(s, p));
	case TYPE_MPLS: case MPLS_MULTICAST:
		return past_labels(s, p);
	case NSH:
		return past_nsh(s, p);
	case MACSEC:
		return past_macsec(s, p);
	case TYPE_ETHERNET:
		return past_outer(s, p, 0);
	case FABRIC_PATH:
		return past_outer(s, p, 2);
	case TRILL:
		return past_outer(s, p, has(s, 2) ? 6 + (be16(s->at) >> 6 & 31) * 4u : 6);
	case BATMAN:
		return past_batman(s, p);
	}
	return type && type <= LONGEST_802_3 ? past_llc(s, p) : 0;
}

/* Cisco's ISL puts 26 bytes before a frame; the first five say so. */
static bool is_isl(const struct span *s)
{
	return has(s, 40) && (s->at[0] == 0x01 || s->at[0] == 0x0C) &&
	       be32(s->at + 1) == 0x000C0000 && be16(s->at + 14) == 0xAAAA;
}

u16 past_ethernet(struct span *s, struct packet *p)
{
	u16 type;

	if (is_isl(s))
		skip(s, 26);
	if (!has(s, 14))
		return 0;
	type = be16(s->at + 12);
	skip(s, 14);
	return past_tags(s, p, type);
}

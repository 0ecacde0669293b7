// SPDX-License-Identifier: MIT
/* Point-to-point links: PPP (RFC 1661, 1662) and Cisco HDLC. What a function returns may be
 * the type of a tag or of a frame. */
#include "core.h"

enum { PPP_IPV4 = 0x21, PPP_IPV6 = 0x57, PPP_BRIDGE = 0x31, PPP_MULTILINK = 0x3D,
       PPP_ENCRYPTED = 0x53, PPP_MPLS = 0x281, PPP_MPLS_MULTICAST = 0x283 };

/* From the protocol's number on, which has one byte if that is odd. */
u16 past_ppp_protocol(struct span *s, struct packet *p)
{
	size_t bytes = has(s, 1) && s->at[0] & 1 ? 1 : 2;
	u16 protocol;

	if (!has(s, bytes) || is_deep(p))
		return 0;
	protocol = bytes == 1 ? s->at[0] : be16(s->at);
	skip(s, bytes);
	switch (protocol) {
	case PPP_IPV4:
		return IPV4;
	case PPP_IPV6:
		return IPV6;
	case PPP_MPLS: case PPP_MPLS_MULTICAST:
		return TYPE_MPLS;
	case PPP_MULTILINK:	/* RFC 1990: a packet that is no fragment */
		if (!has(s, 4) || s->at[0] >> 6 != 3)
			return 0;
		skip(s, 4);
		return past_ppp_protocol(s, p);
	case PPP_BRIDGE:	/* RFC 3518: flags, the MAC's type, and a LAN's number */
		if (!has(s, 6) || s->at[1] != 1)
			return 0;
		skip(s, s->at[0] & 0x40 ? 6 : 2);
		return TYPE_ETHERNET;
	case PPP_ENCRYPTED:
		p->encrypted = true;
	}
	return 0;
}

/* Address and control may have been left out. */
u16 past_ppp(struct span *s, struct packet *p)
{
	if (has(s, 2) && s->at[0] == 0xFF && s->at[1] == 3)
		skip(s, 2);
	return past_ppp_protocol(s, p);
}

u16 past_hdlc(struct span *s, struct packet *p)
{
	u16 type;

	(void)p;
	if (!has(s, 4))
		return 0;
	type = be16(s->at + 2);
	skip(s, 4);
	return type;
}

/* A serial line: PPP or Cisco HDLC, by the address. */
u16 past_serial(struct span *s, struct packet *p)
{
	if (has(s, 1) && (s->at[0] == 0x0F || s->at[0] == 0x8F))
		return past_hdlc(s, p);
	return past_ppp(s, p);
}

/* What pppd records has the direction in place of the address. */
u16 past_pppd(struct span *s, struct packet *p)
{
	if (!has(s, 2))
		return 0;
	skip(s, s->at[1] == 3 ? 2 : 1);
	return past_ppp_protocol(s, p);
}

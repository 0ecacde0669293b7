// SPDX-License-Identifier: MIT
/*
 * What can stand between a link layer's header and IP: VLAN tags, PPPoE and MPLS. A
 * tunnel that carries Ethernet frames has them inside the tunnel as well.
 */
#include "core.h"

enum { PPPOE = 0x8864, MPLS = 0x8847, MPLS_MULTICAST = 0x8848 };

static bool is_vlan(u16 type)
{
	return type == 0x8100 || type == 0x88A8 || type == 0x9100;
}

/* The ethertype that the first byte of an IP packet says; 0 if it is no IP. */
u16 ip_version_type(const struct span *s)
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
	return ip_version_type(s);
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

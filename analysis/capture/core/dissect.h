/* SPDX-License-Identifier: MIT */
/*
 * From a frame to its packets. dissect.c: a frame's packets; link.c, wireless.c,
 * ppp.c: past its link layer; tags.c: past what stands between that and IP;
 * ip.c: on to the TCP header; tunnels.c, fragments.c: through tunnels and
 * fragments; options.c: the options of the TCP header. A function past_...()
 * moves the span behind a header and returns the ethertype of what follows, 0 if
 * it is no IP.
 */
#ifndef ANALYSER_DISSECT_H
#define ANALYSER_DISSECT_H

#include "input.h"
#include "packet.h"

struct analyser;
struct datagram;

enum dissected {
	IS_TCP, IS_FRAGMENT, IS_MALFORMED, IS_SNAPPED, IS_NOT_IP, IS_UDP, IS_OTHER,
	IS_ENCRYPTED,
	IS_HELD,		/* a fragment that waits for others */
};
enum { IPV4 = 0x0800, IPV6 = 0x86DD, TYPE_ETHERNET = 0x6558, TYPE_MPLS = 0x8847 };
enum dissected dissect(struct analyser *c, const struct frame *f, struct packet *p);
enum dissected dissect_rest(struct analyser *c, struct packet *p);
u16 past_link(struct span *s, i32 link, struct packet *p);
u16 ip_version_type(const struct span *s);
u16 past_raw(struct span *s, struct packet *p);
u16 past_tags(struct span *s, struct packet *p, u16 type);
u16 past_ethernet(struct span *s, struct packet *p);
u16 past_labels(struct span *s, struct packet *p);
u16 past_numbered(struct span *s, struct packet *p, u8 next);
u16 past_llc(struct span *s, struct packet *p);
u16 past_ppp(struct span *s, struct packet *p);
u16 past_ppp_protocol(struct span *s, struct packet *p);
u16 past_pppd(struct span *s, struct packet *p);
u16 past_serial(struct span *s, struct packet *p);
u16 past_hdlc(struct span *s, struct packet *p);
u16 past_frame_relay(struct span *s, struct packet *p);
u16 past_wifi(struct span *s, struct packet *p);
u16 past_wifi_swapped(struct span *s, struct packet *p);
u16 past_msdu(struct span *s, struct packet *p);
u16 past_radiotap(struct span *s, struct packet *p);
u16 past_prism(struct span *s, struct packet *p);
u16 past_gre(struct span *s, struct packet *p);
u16 past_etherip(struct span *s, struct packet *p);
u16 past_l2tp_session(struct span *s, struct packet *p);
u16 past_udp(struct span *s, struct packet *p);
enum dissected read_ip(struct analyser *c, struct span *s, struct packet *p, u16 type,
		       u32 on_link);
void read_options(struct span options, struct packet *p);

#define MOST_LAYERS 24

/* Whether a packet has more headers in one another than are followed; counts them. */
static inline bool is_deep(struct packet *p)
{
	return p->layers++ >= MOST_LAYERS;
}

/* fragments.c */
struct fragment {
	u32 id, from;
	u8 protocol;		/* with which it is known; 0 for IPv6 */
	u8 next;		/* what the payload is, if the fragment is the first */
	bool last;
};
struct fragments {
	struct datagram **list, *done;	/* `done`: whose bytes are being read */
	u32 count;
	u64 begun;
};
enum dissected join_fragment(struct analyser *c, struct span *s, struct packet *p,
			     struct fragment *f);
void end_fragments(struct analyser *c);
void free_fragments(struct analyser *c);

#endif

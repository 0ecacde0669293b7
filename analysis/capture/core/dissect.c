// SPDX-License-Identifier: MIT
/* From a frame to the TCP header of its packet, or of its packets. */
#include "core.h"

static enum dissected dissect_from(struct analyser *c, struct packet *p, struct span s,
				   u16 type, u32 on_link)
{
	if (type == IPV4 || type == IPV6)
		return read_ip(c, &s, p, type, on_link);
	return p->encrypted ? IS_ENCRYPTED : IS_NOT_IP;
}

enum dissected dissect(struct analyser *c, const struct frame *f, struct packet *p)
{
	struct span s = { f->at, f->captured };
	u16 type;

	p->time_ns = f->time_ns;
	p->number = f->number;
	p->frame_bytes = f->length;
	p->source = f->source;
	p->swapped = f->swapped;
	p->layers = 0;
	p->rest.left = 0;
	p->in_tunnel = p->overlong = p->encrypted = false;
	type = past_link(&s, f->link, p);
	p->frame_bytes -= (u32)p->rest.left;
	return dissect_from(c, p, s, type, f->length - (u32)(f->captured - s.left));
}

/* The next packet of a frame that has several. */
enum dissected dissect_rest(struct analyser *c, struct packet *p)
{
	struct span s = p->rest;
	u16 type;

	p->frame_bytes = (u32)s.left;
	p->layers = 0;
	p->rest.left = 0;
	p->in_tunnel = p->overlong = p->encrypted = false;
	type = past_msdu(&s, p);
	p->frame_bytes -= (u32)p->rest.left;
	return dissect_from(c, p, s, type, (u32)s.left);
}

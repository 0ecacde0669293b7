// SPDX-License-Identifier: MIT
/*
 * TCP's options, and MPTCP's within them (RFC 8684; RFC 6824 where it differs).
 *
 * An option of a length that its kind does not have is passed over.
 */
#include "core.h"

enum { END = 0, NOP = 1, SACK = 5, STAMP = 8, MPTCP = 30 };

static void read_capable(struct span s, struct option *o)
{
	o->version = s.at[2] & 15;
	o->flags = s.at[3];
	if (s.left >= 12) {
		o->key[0] = be64(s.at + 4);
		o->keys = 1;
	}
	if (s.left >= 20) {
		o->key[1] = be64(s.at + 12);
		o->keys = 2;
	}
	if (s.left == 22 || s.left == 24) {
		o->has_length = true;
		o->length = be16(s.at + 20);
	}
}

static void read_join(struct span s, struct option *o)
{
	o->backup = s.at[2] & 1;
	o->id = s.at[3];
	if (s.left == 12) {
		o->has_token = true;
		o->token = be32(s.at + 4);
	}
}

static bool read_dss(struct span s, struct dss *d)
{
	u8 flags = s.at[3];
	size_t ack = flags & 1 ? (flags & 2 ? 8 : 4) : 0;
	size_t map = flags & 4 ? (flags & 8 ? 14 : 10) : 0;

	*d = (struct dss){
		.fin = flags & 16,
		.has_ack = ack, .ack64 = ack == 8,
		.has_map = map, .dsn64 = map == 14,
	};
	skip(&s, 4);
	if (!has(&s, ack + map))
		return false;
	if (ack)
		d->ack = d->ack64 ? be64(s.at) : be32(s.at);
	skip(&s, ack);
	if (map) {
		d->dsn = d->dsn64 ? be64(s.at) : be32(s.at);
		skip(&s, map - 6);
		d->ssn = be32(s.at);
		d->length = be16(s.at + 4);
	}
	return true;
}

static const u8 shortest[] = {
	[MP_CAPABLE] = 4, [MP_JOIN] = 12, [MP_DSS] = 4, [MP_ADD_ADDR] = 8,
	[MP_REMOVE_ADDR] = 4, [MP_PRIO] = 3, [MP_FAIL] = 12, [MP_FASTCLOSE] = 12,
	[MP_TCPRST] = 4,
};

/* One MPTCP option, kind and length included. */
static void read_mptcp(struct span s, struct packet *p)
{
	u8 subtype = s.left >= 3 ? s.at[2] >> 4 : 15;
	struct option o = { .subtype = subtype };

	if (subtype > MP_TCPRST || s.left < shortest[subtype])
		return;
	if (subtype == MP_DSS) {
		struct dss d;

		if (!p->has_dss && read_dss(s, &d)) {
			p->dss = d;
			p->has_dss = true;
		}
		return;
	}
	switch (subtype) {
	case MP_CAPABLE:
		read_capable(s, &o);
		break;
	case MP_JOIN:
		read_join(s, &o);
		break;
	case MP_ADD_ADDR:
		o.echo = s.at[2] & 1;
		o.id = s.at[3];
		break;
	case MP_REMOVE_ADDR:
		o.id = s.at[3];
		break;
	case MP_PRIO:
		o.backup = s.at[2] & 1;
		o.id = s.left > 3 ? s.at[3] : 0;
		break;
	case MP_FAIL:
	case MP_FASTCLOSE:
		o.value = be64(s.at + 4);
		break;
	case MP_TCPRST:
		o.flags = s.at[2] & 15;
		o.value = s.at[3];
		break;
	}
	if (p->options < OPTIONS)
		p->option[p->options++] = o;
}

static void read_sack(struct span s, struct packet *p)
{
	for (skip(&s, 2); has(&s, 8) && p->sacks < 4; skip(&s, 8)) {
		p->sack[p->sacks][0] = be32(s.at);
		p->sack[p->sacks++][1] = be32(s.at + 4);
	}
}

void read_options(struct span s, struct packet *p)
{
	while (has(&s, 1) && s.at[0] != END) {
		size_t length;

		if (s.at[0] == NOP) {
			skip(&s, 1);
			continue;
		}
		if (!has(&s, 2) || s.at[1] < 2 || !has(&s, s.at[1]))
			return;
		length = s.at[1];
		if (s.at[0] == MPTCP) {
			read_mptcp((struct span){ s.at, length }, p);
		} else if (s.at[0] == STAMP && length == 10) {
			p->has_stamp = true;
			p->stamp = be32(s.at + 2);
			p->echo = be32(s.at + 6);
		} else if (s.at[0] == SACK) {
			read_sack((struct span){ s.at, length }, p);
		}
		skip(&s, length);
	}
}

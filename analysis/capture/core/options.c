// SPDX-License-Identifier: MIT
/*
 * TCP's options, and MPTCP's within them (RFC 8684; RFC 6824 where it differs).
 *
 * An option whose length does not fit its kind is skipped.
 */
#include "core.h"

enum { END = 0, NOP = 1, WINDOW_SCALE = 3, SACK = 5, STAMP = 8, MPTCP = 30 };

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

/* The first DSS option that is complete counts. */
static void read_dss(const u8 *at, size_t length, struct packet *p)
{
	/* Of a data ACK, by the flags a and A; of a mapping, by m and M. */
	static const u8 acks[] = { 0, 4, 0, 8 }, maps[] = { 0, 10, 0, 14 };
	u8 flags = at[3];
	size_t ack = acks[flags & 3], map = maps[flags >> 2 & 3];
	struct dss *d = &p->dss;

	if (p->has_dss || length < 4 + ack + map)
		return;
	p->has_dss = true;
	d->fin = flags & 16;
	d->has_ack = ack;
	d->ack64 = ack == 8;
	d->has_map = map;
	at += 4;
	if (ack)
		d->ack = d->ack64 ? be64(at) : be32(at);
	if (map) {
		at += ack;
		d->dsn64 = map == 14;
		d->dsn = d->dsn64 ? be64(at) : be32(at);
		d->ssn = be32(at + map - 6);
		d->length = be16(at + map - 2);
	}
}

static const u8 shortest[] = {
	[MP_CAPABLE] = 4, [MP_JOIN] = 12, [MP_DSS] = 4, [MP_ADD_ADDR] = 8,
	[MP_REMOVE_ADDR] = 4, [MP_PRIO] = 3, [MP_FAIL] = 12, [MP_FASTCLOSE] = 12,
	[MP_TCPRST] = 4,
};

/* One MPTCP option other than DSS, kind and length included. */
static __attribute__((noinline)) void read_other(struct span s, struct packet *p)
{
	u8 subtype = s.left >= 3 ? s.at[2] >> 4 : 15;
	struct option o = { .subtype = subtype };

	if (subtype > MP_TCPRST || s.left < shortest[subtype])
		return;
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

static void read_sack(const u8 *at, size_t length, struct packet *p)
{
	for (at += 2; length >= 10 && p->sacks < 4; length -= 8, at += 8) {
		p->sack[p->sacks][0] = be32(at);
		p->sack[p->sacks++][1] = be32(at + 4);
	}
}

static void read_stamp(const u8 *at, struct packet *p)
{
	p->has_stamp = true;
	p->stamp = be32(at + 2);
	p->echo = be32(at + 6);
}

void read_options(struct span s, struct packet *p)
{
	const u8 *at = s.at, *end = s.at + s.left;

	/* Nearly all packets begin like this (RFC 7323, appendix A). */
	if (s.left >= 12 && be32(at) == (NOP << 24 | NOP << 16 | STAMP << 8 | 10)) {
		read_stamp(at + 2, p);
		at += 12;
	}
	while (at < end && *at != END) {
		size_t length;

		if (*at == NOP) {
			at++;
			while (end - at >= 4 && be32(at) == NOP * 0x01010101u)
				at += 4;
			continue;
		}
		if (end - at < 2 || at[1] < 2 || end - at < at[1])
			return;
		length = at[1];
		if (*at == MPTCP) {
			if (length >= 4 && at[2] >> 4 == MP_DSS)
				read_dss(at, length, p);
			else
				read_other((struct span){ at, length }, p);
		} else if (*at == STAMP && length == 10) {
			read_stamp(at, p);
		} else if (*at == WINDOW_SCALE && length == 3) {
			p->window_shift = (i8)(at[2] < 14 ? at[2] : 14);
		} else if (*at == SACK) {
			read_sack(at, length, p);
		}
		at += length;
	}
}

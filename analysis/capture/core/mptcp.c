// SPDX-License-Identifier: MIT
/* MPTCP's options: keys and tokens say which subflow belongs to which connection; signals
 * are counted. */
#include "core.h"

static struct data *new_data(struct analyser *c, struct connection *conn, int direction)
{
	struct data *d = arena_alloc(&c->memory, sizeof(*d));

	if (!d) {
		conn->row.unknown |= UNKNOWN_MEMORY;
		return NULL;
	}
	d->connection = conn;
	d->row.connection = conn->index;
	d->row.direction = direction;
	d->row.first_ns = d->row.last_ns = d->row.complete_ns = -1;
	d->row.first_reinjection_ns = d->row.last_reinjection_ns = -1;
	d->row.data_fin_ns = d->row.data_fin_acked_ns = -1;
	d->fin = d->busy_ns = -1;
	return d;
}

static void make_mptcp(struct analyser *c, struct subflow *s)
{
	struct connection *conn = s->connection;

	conn->row.kind = KIND_MPTCP;
	for (int i = 0; i < 2; i++) {
		if (!conn->data[i])
			conn->data[i] = new_data(c, conn, i);
	}
	for (int i = 0; i < 2; i++)
		s->directions[i].data = conn->data[s->directions[i].row.direction];
}

static struct event_row *signal(struct analyser *c, const struct packet *p,
				const struct option *o)
{
	struct event_row *e = event(c, EVENT_SIGNAL, p->direction, p->time_ns);

	if (e) {
		e->other = o->subtype;
		e->value = o->subtype == MP_TCPRST ? o->value : o->id;
		e->length = o->subtype == MP_TCPRST ? o->flags : o->backup;
	}
	return e;
}

/* The first packet whose option cannot be meant stays in the connection's row. */
static void note_contradiction(const struct packet *p, enum contradiction kind)
{
	struct connection_row *r = &p->direction->subflow->connection->row;

	if (r->contradiction)
		return;
	r->contradiction = kind;
	r->contradiction_file = p->input + 1;
	r->contradiction_frame = p->number;
	r->contradiction_ns = p->time_ns;
}

/* Whether the key of the end of direction `side` is known, and another one. */
static bool is_another_key(const struct connection *conn, int side, u64 key)
{
	return conn->row.keys_known & 1 << side &&
	       key != (side ? conn->row.key_b : conn->row.key_a);
}

/* `side` is the direction of the end whose key it is. */
static void learn_key(struct analyser *c, struct connection *conn, int side, u64 key)
{
	struct data *d = conn->data[side];
	struct connection *waiting = NULL;
	struct token *known;
	u64 first;
	u32 token;

	if (conn->row.keys_known & (1 << side))
		return;
	mptcp_digest(key, (int)conn->row.version, &token, &first);
	conn->row.keys_known |= 1 << side;
	if (side) {
		conn->row.key_b = key;
		conn->row.token_b = token;
	} else {
		conn->row.key_a = key;
		conn->row.token_a = token;
	}
	/* Subflows that joined before the key was known wait under its token. */
	known = find_token(c, token, (u32)conn->row.point);
	if (known && !known->connection->row.keys_known)
		waiting = known->connection;
	add_token(c, conn, side, token);
	if (d)
		count_from(conn, d, first);
	if (waiting)
		merge_connection(c, waiting, conn, !side);
}

static void take_capable(struct analyser *c, struct packet *p, const struct option *o)
{
	struct direction *dir = p->direction;
	struct subflow *s = dir->subflow;
	struct connection *conn = s->connection;
	int side = (int)dir->row.direction;
	u8 syn = p->flags & (TCP_SYN | TCP_ACK);

	dir->row.capables++;
	if (s->row.how == HOW_JOIN)
		return;
	if (s->row.how != HOW_CAPABLE)
		s->row.how = HOW_CAPABLE;
	make_mptcp(c, s);
	if (conn->row.version < 0 || syn == (TCP_SYN | TCP_ACK))
		conn->row.version = o->version;
	conn->row.checksum = max(conn->row.checksum, o->flags >> 7);
	if (p->flags & TCP_RST)
		return;
	/* Of version 1, a SYN has no key: what it says may yet become version 0. */
	if (o->keys && (syn != TCP_SYN || o->version == 0)) {
		if (is_another_key(conn, side, o->key[0]))
			note_contradiction(p, CHANGED_KEY);
		learn_key(c, conn, side, o->key[0]);
	}
	if (o->keys == 2) {
		if (is_another_key(conn, !side, o->key[1]))
			note_contradiction(p, ECHOED_KEY);
		learn_key(c, conn, !side, o->key[1]);
	}
	if (o->has_length && dir->data && dir->data->base64 && p->payload) {
		struct dss first = {
			.has_map = true, .dsn64 = true,
			.dsn = dir->data->base + 1, .ssn = 1, .length = o->length,
		};

		take_mapping(c, p, &first, rel_seq(dir, p->seq));
	}
}

/* The subflow's SYN names the connection by its receiver's token. No other subflow is
 * in its own yet. */
static void join_by_token(struct analyser *c, struct packet *p, u32 number)
{
	struct direction *dir = p->direction;
	struct subflow *s = dir->subflow;
	struct token *token = find_token(c, number, s->point);

	if (!token) {
		s->connection->row.unknown |= UNKNOWN_FIRST;
		s->connection->row.token_b = number;
		add_token(c, s->connection, 1, number);
	} else {
		merge_connection(c, s->connection, token->connection,
				 dir->row.direction == token->side);
	}
	make_mptcp(c, s);
}

static void take_join(struct analyser *c, struct packet *p, const struct option *o)
{
	struct direction *dir = p->direction;
	struct subflow *s = dir->subflow;
	i64 *id = dir == &s->directions[0] ? &s->row.address_id_a : &s->row.address_id_b;

	dir->row.joins++;
	if (p->flags & TCP_SYN) {
		*id = o->id;
		s->row.backup |= (i64)o->backup << (dir == s->opener ? 0 : 1);
	}
	if (o->has_token && (p->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN &&
	    !s->named && s->row.how != HOW_CAPABLE) {
		s->row.how = HOW_JOIN;
		s->named = true;
		join_by_token(c, p, o->token);
	} else if (s->row.how == HOW_UNSEEN) {
		s->row.how = HOW_JOIN;
		s->connection->row.unknown |= UNKNOWN_HANDSHAKE | UNKNOWN_FIRST;
		make_mptcp(c, s);
	}
}

static void take_signal(struct analyser *c, struct packet *p, const struct option *o)
{
	struct direction_row *r = &p->direction->row;
	struct connection *conn = p->direction->subflow->connection;

	switch (o->subtype) {
	case MP_ADD_ADDR:
		r->add_addrs += !o->echo;
		r->add_addr_echoes += o->echo;
		break;
	case MP_REMOVE_ADDR:
		r->remove_addrs++;
		break;
	case MP_PRIO:
		r->mp_prios++;
		break;
	case MP_FASTCLOSE:
		r->fastcloses++;
		if (is_another_key(conn, !r->direction, o->value))
			note_contradiction(p, CLOSING_KEY);
		break;
	case MP_TCPRST:
		r->mp_resets++;
		break;
	case MP_FAIL:
		r->mp_fails++;
		if (conn->row.subflows == 1 && !conn->row.fallback) {
			conn->row.fallback = FALLBACK_FAIL;
			conn->row.fallback_ns = p->time_ns;
		}
		break;
	}
	signal(c, p, o);
}

static void count_dss(struct analyser *c, struct packet *p)
{
	struct direction *dir = p->direction;

	dir->row.dss++;
	dir->row.mappings += p->dss.has_map;
	dir->row.data_acks += p->dss.has_ack;
	dir->row.data_fins += p->dss.fin;
	if (!dir->data) {
		if (dir->subflow->row.how == HOW_UNSEEN)
			dir->subflow->connection->row.unknown |= UNKNOWN_HANDSHAKE;
		make_mptcp(c, dir->subflow);
	}
	dir->subflow->connection->dss_seen = true;
}

/* If an end acknowledges data without an option of MPTCP and has never sent a DSS, it has
 * not received any: a middlebox removes them (RFC 8684, 3.7). */
static void check_fallback(struct analyser *c, const struct packet *p)
{
	struct direction *dir = p->direction, *other = dir->other;
	struct connection *conn = dir->subflow->connection;

	if (dir->row.dss || p->options_cut || conn->row.kind != KIND_MPTCP ||
	    conn->row.fallback || conn->row.subflows != 1 ||
	    dir->subflow->row.how != HOW_CAPABLE ||
	    (p->flags & (TCP_SYN | TCP_RST | TCP_ACK)) != TCP_ACK)
		return;
	if (!dir->row.capables || !other->row.capables || !other->row.payload_bytes ||
	    rel_seq(other, p->ack) <= 1)
		return;
	conn->row.fallback = FALLBACK_NO_DSS;
	conn->row.fallback_ns = p->time_ns;
	map_endlessly(c, dir);
	map_endlessly(c, other);
}

void track_options(struct analyser *c, struct packet *p)
{
	if (p->options_cut && (p->flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK))
		p->direction->subflow->answer_cut = true;
	if (p->flags & TCP_SYN && p->direction->subflow->row.how == HOW_UNSEEN && !p->options)
		p->direction->subflow->row.how = HOW_PLAIN;
	for (int i = 0; i < p->options; i++) {
		const struct option *o = &p->option[i];

		if (o->subtype == MP_CAPABLE)
			take_capable(c, p, o);
		else if (o->subtype == MP_JOIN)
			take_join(c, p, o);
		else
			take_signal(c, p, o);
	}
	if (p->has_dss)
		count_dss(c, p);
	else if (!p->options)
		check_fallback(c, p);
}

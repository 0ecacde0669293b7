// SPDX-License-Identifier: MIT
/*
 * Connections that have ended, or are silent when memory runs out: their rows come out
 * and their memory is free again. So a capture may hold any number of connections.
 *
 * Live connections form a list. Retirement looks at its oldest: one that saw packets
 * since goes to the end, so that the silent ones stay at the front (the second-chance
 * algorithm). A connection retires
 *
 * - `linger_ns` after its last packet, if all its subflows have been closed; after
 *   SHORT_LINGER_NS if half the memory is in use; and
 * - whatever its state, if memory is short and it has been silent for longer than
 *   others. This is counted, as a packet that comes later begins a new connection.
 */
#include <stdlib.h>

#include "core.h"

#define SHORT_LINGER_NS 1000000000
#ifndef FEW_CONNECTIONS
#define FEW_CONNECTIONS 1024	/* none of so many retires before memory is short */
#endif
#define LOOKS 2			/* at connections, for each new one */
#define SOME_FREE (256 << 10)	/* what is freed at once is still in the cache when reused */
#define AHEAD 3			/* connections between a fetch and the look at them */
#define CACHE_LINE 64

static bool is_touched(struct connection *conn)
{
	bool touched = false;

	for (struct subflow *s = conn->first_subflow; s; s = s->sibling) {
		touched |= s->touched;
		s->touched = false;
	}
	return touched;
}

static bool all_acknowledged(const struct direction *dir)
{
	return dir->row.fins && dir->acked >= dir->next;
}

static bool is_closed(const struct connection *conn, i64 since_ns)
{
	for (const struct subflow *s = conn->first_subflow; s; s = s->sibling) {
		const struct direction *a = &s->directions[0], *b = &s->directions[1];

		if (!s->ended || max(a->row.last_ns, b->row.last_ns) > since_ns)
			return false;
		if (!a->row.resets && !b->row.resets &&
		    !(all_acknowledged(a) && all_acknowledged(b)))
			return false;
	}
	return true;
}

/* Packets that wait for the other capture point hold their connection. */
static bool is_pending(const struct connection *conn)
{
	for (const struct subflow *s = conn->first_subflow; s; s = s->sibling) {
		if (s->directions[0].pending || s->directions[1].pending)
			return true;
	}
	return false;
}

static void to_end(struct analyser *c, struct connection *conn)
{
	if (conn == c->newest)
		return;
	if (c->ahead == conn)
		c->ahead = conn->newer;
	*(conn->older ? &conn->older->newer : &c->oldest) = conn->newer;
	conn->newer->older = conn->older;
	conn->newer = NULL;
	conn->older = c->newest;
	c->newest->newer = conn;
	c->newest = conn;
}

/* Connections at the front of the list have been silent for so long that the cache has
 * lost them. Fetch the first `bytes` of the one that is looked at soon. A connection is
 * part of its first subflow, so its address tells where that is. */
static void fetch_ahead(struct analyser *c, size_t bytes)
{
	const u8 *at, *end;

	if (!c->ahead || c->ahead == c->oldest) {
		c->ahead = c->oldest;
		for (int i = 0; i < AHEAD && c->ahead->newer; i++)
			c->ahead = c->ahead->newer;
	} else if (c->ahead->newer) {
		c->ahead = c->ahead->newer;
	}
	at = (const u8 *)c->ahead - offsetof(struct subflow, own);
	for (end = at + bytes; at < end; at += CACHE_LINE)
		__builtin_prefetch(at);
}

static void retire(struct analyser *c, struct connection *conn)
{
	fetch_ahead(c, sizeof(struct subflow));
	if (conn->newer)
		fetch_bucket(c, conn->newer->first_subflow);
	tell_connection(c, conn);
	drop_tokens(c, conn);
	free_connection(c, conn);
}

bool rows_are_full(const struct analyser *c)
{
	return c->out[OUT_CONNECTIONS].count >= c->full_connections ||
	       c->out[OUT_SUBFLOWS].count >= 2 * c->full_connections;
}

/* Look at the connections at the front of the list; called for each new one. */
void retire_closed(struct analyser *c)
{
	bool much = c->memory.left < c->settings.budget / 2;
	i64 linger_ns = much ? min(SHORT_LINGER_NS, c->settings.linger_ns) :
			       c->settings.linger_ns;

	if (c->connection_count < FEW_CONNECTIONS)
		return;
	for (int i = 0; i < LOOKS && !rows_are_full(c); i++) {
		struct connection *conn = c->oldest;

		if (is_closed(conn, c->now_ns - linger_ns) && !is_pending(conn)) {
			retire(c, conn);
		} else {
			fetch_ahead(c, offsetof(struct subflow, row));
			is_touched(conn);
			to_end(c, conn);
		}
	}
}

/* Whether to look for connections that can retire. After a look that freed nothing, the
 * next one waits, so that looking costs little for each packet. */
bool short_of_memory(const struct analyser *c)
{
	return c->memory.left < c->settings.budget / 16 && c->connection_count > 1 &&
	       c->taken >= c->look_again;
}

/* Retire what has been silent the longest, until some memory is free or the rows must
 * be taken out first. */
void make_space(struct analyser *c)
{
	u64 before = c->connection_count, looks = 2 * before + 2;

	while (c->memory.left < c->settings.budget / 16 + SOME_FREE && looks-- && c->oldest &&
	       !rows_are_full(c)) {
		struct connection *conn = c->oldest;
		bool closed = is_closed(conn, INT64_MAX);

		if (is_pending(conn) || (is_touched(conn) && !closed)) {
			to_end(c, conn);
			continue;
		}
		c->retired_early += !closed;
		retire(c, conn);
	}
	if (c->connection_count == before && !rows_are_full(c)) {
		pairs_forget(c);
		c->look_again = c->taken + 2 * c->subflow_count + 4096;
	}
}

static int by_index(const void *a, const void *b)
{
	const struct connection *const *first = a, *const *second = b;

	return (*first)->index < (*second)->index ? -1 : (*first)->index > (*second)->index;
}

/* Put the list in the order in which the connections began. */
static void sort(struct analyser *c)
{
	struct connection **list, *conn;
	size_t count = 0, i = 0;

	for (conn = c->oldest; conn; conn = conn->newer)
		count++;
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		return;
	for (conn = c->oldest; conn; conn = conn->newer)
		list[i++] = conn;
	qsort(list, count, sizeof(*list), by_index);
	for (i = 0; i < count; i++)
		to_end(c, list[i]);
	free(list);
}

/* At the end of the capture, all that are left. False if rows must be taken out before
 * it can go on. */
bool retire_rest(struct analyser *c)
{
	if (!c->ending) {
		c->ending = true;
		pairs_end(c);
		sort(c);
	}
	while (c->oldest) {
		if (rows_are_full(c))
			return false;
		retire(c, c->oldest);
	}
	return true;
}

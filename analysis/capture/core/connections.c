// SPDX-License-Identifier: MIT
/* Memory for connections and their subflows, and the list of live connections. */
#include "core.h"

#define MAX_SPARE 1024		/* freed subflows that wait to be used again */

/* The connection that a subflow begins, the newest of the list. Its memory is part of the
 * subflow's, which stays its first one as long as it lives. */
void begin_connection(struct analyser *c, struct subflow *s, u32 point)
{
	struct connection *conn = &s->own;

	s->connection = conn;
	conn->first_subflow = conn->last_subflow = s;
	conn->row.subflows = 1;
	conn->index = c->connection_total++;
	c->connection_count++;
	conn->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = conn;
	c->newest = conn;
	conn->row.point = point;
	conn->row.version = conn->row.token_a = conn->row.token_b = -1;
	conn->row.syn_ns = conn->row.established_ns = conn->row.fallback_ns = -1;
	conn->row.checksum = -1;
	conn->row.contradiction_file = conn->row.contradiction_frame = -1;
	conn->row.contradiction_ns = -1;
}

/* A subflow's memory, zeroed. It is that of a freed subflow, if there is one. */
struct subflow *alloc_subflow(struct analyser *c)
{
	struct subflow *s = c->spare_subflows;

	if (!s)
		return arena_alloc(&c->memory, sizeof(*s));
	c->spare_subflows = s->sibling;
	c->spare_count--;
	return memset(s, 0, sizeof(*s));
}

/* unhash_subflow() is going to read it. */
void fetch_bucket(const struct analyser *c, const struct subflow *s)
{
	__builtin_prefetch(&c->buckets[s->hash & (c->bucket_count - 1)]);
}

/* Take the subflow out of the hash table: no packet finds it any more, but its counts
 * stay. */
void unhash_subflow(struct analyser *c, const struct subflow *s)
{
	struct subflow **link = &c->buckets[s->hash & (c->bucket_count - 1)];

	while (*link && *link != s)
		link = &(*link)->next_of_hash;
	if (*link)
		*link = s->next_of_hash;
}

static void free_direction(struct arena *m, struct direction *dir)
{
	ranges_free(m, &dir->holes);
	samples_free(m, &dir->rtt);
	samples_free(m, &dir->delay);
	arena_free(m, dir->bin, sizeof(*dir->bin));
	free_sent(m, dir);
	free_mappings(m, dir);
	arena_free(m, dir->unmapped, dir->unmapped_capacity * sizeof(*dir->unmapped));
}

static void free_subflow(struct analyser *c, struct subflow *s)
{
	unhash_subflow(c, s);
	unlink_twins(s);
	for (int i = 0; i < 2; i++) {
		if (c->last[i] == s)
			c->last[i] = NULL;
		free_direction(&c->memory, &s->directions[i]);
	}
	c->subflow_count--;
	if (c->spare_count >= MAX_SPARE) {
		arena_free(&c->memory, s, sizeof(*s));
		return;
	}
	s->sibling = c->spare_subflows;
	c->spare_subflows = s;
	c->spare_count++;
}

/* Free all memory of a connection, its own last. None of its packets may be in `pairs`. */
void free_connection(struct analyser *c, struct connection *conn)
{
	if (c->ahead == conn)
		c->ahead = conn->newer;
	*(conn->older ? &conn->older->newer : &c->oldest) = conn->newer;
	*(conn->newer ? &conn->newer->older : &c->newest) = conn->older;
	c->connection_count--;
	for (int i = 0; i < 2; i++) {
		if (conn->data[i])
			ranges_free(&c->memory, &conn->data[i]->ranges);
		arena_free(&c->memory, conn->data[i], sizeof(*conn->data[i]));
	}
	for (struct subflow *s = conn->first_subflow, *next; s; s = next) {
		next = s->sibling;
		free_subflow(c, s);
	}
}

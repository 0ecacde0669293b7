// SPDX-License-Identifier: MIT
/* The hash table of tokens: it says which connection an MP_JOIN belongs to. */
#include "core.h"

static u64 place(const struct analyser *c, u32 token, u32 point)
{
	u64 mixed = ((u64)token << 16 | point) ^ (u64)c->settings.seed;

	mixed *= 0x9E3779B97F4A7C15u;
	return (mixed ^ mixed >> 29) & (c->token_capacity - 1);
}

/* Where a token is, or would be put; there is always a free place. */
static struct token *locate(const struct analyser *c, u32 token, u32 point)
{
	u64 i = place(c, token, point);

	while (c->tokens[i].used &&
	       (c->tokens[i].token != token || c->tokens[i].point != point))
		i = (i + 1) & (c->token_capacity - 1);
	return &c->tokens[i];
}

static bool widen(struct analyser *c)
{
	struct token *old = c->tokens;
	u64 before = c->token_capacity, more = before ? 2 * before : 256;
	struct token *tokens = arena_alloc(&c->memory, more * sizeof(*tokens));

	if (!tokens)
		return false;
	c->tokens = tokens;
	c->token_capacity = more;
	for (u64 i = 0; i < before; i++) {
		if (old[i].used)
			*locate(c, old[i].token, old[i].point) = old[i];
	}
	arena_free(&c->memory, old, before * sizeof(*old));
	return true;
}

struct token *find_token(struct analyser *c, u32 token, u32 point)
{
	struct token *token_at = c->tokens ? locate(c, token, point) : NULL;

	return token_at && token_at->used ? token_at : NULL;
}

/* A token means the last connection that has it. */
void add_token(struct analyser *c, struct connection *conn, int side, u32 token)
{
	struct token *t = find_token(c, token, (u32)conn->row.point);

	if (!t && 2 * (c->token_count + 1) > c->token_capacity && !widen(c))
		return;
	t = locate(c, token, (u32)conn->row.point);
	c->token_count += !t->used;
	*t = (struct token){ token, (u8)side, true, (u16)conn->row.point, conn };
}

static void drop_token(struct analyser *c, u32 token, const struct connection *conn)
{
	struct token *t = find_token(c, token, (u32)conn->row.point);
	u64 hole, i;

	if (!t || t->connection != conn)
		return;
	hole = (u64)(t - c->tokens);
	c->tokens[hole].used = false;
	c->token_count--;
	/* What lies behind the hole moves up if it would not be found any more. */
	for (i = (hole + 1) & (c->token_capacity - 1); c->tokens[i].used;
	     i = (i + 1) & (c->token_capacity - 1)) {
		u64 home = place(c, c->tokens[i].token, c->tokens[i].point);

		if (((i - home) & (c->token_capacity - 1)) <
		    ((i - hole) & (c->token_capacity - 1)))
			continue;
		c->tokens[hole] = c->tokens[i];
		c->tokens[i].used = false;
		hole = i;
	}
}

/* No MP_JOIN finds a connection that has retired. */
void drop_tokens(struct analyser *c, const struct connection *conn)
{
	if (!c->tokens)
		return;
	if (conn->row.token_a >= 0)
		drop_token(c, (u32)conn->row.token_a, conn);
	if (conn->row.token_b >= 0)
		drop_token(c, (u32)conn->row.token_b, conn);
}

// SPDX-License-Identifier: MIT
/*
 * The payload that waits for the other capture point: ranges of sequence numbers of one
 * direction, which may overlap, since a segment may be sent again.
 *
 * A treap: a search tree by `from`, a heap by random priorities. Each node knows the
 * greatest `to` below it, so a search for ranges that overlap another passes by the
 * others.
 */
#include "core.h"

#define MAX_LOOKS 64		/* at copies of a range that are not the one searched */

static bool before(const struct seen *a, const struct seen *b)
{
	return a->from != b->from ? a->from < b->from : a < b;
}

static void update(const struct pairs *q, u32 name)
{
	struct seen *s = seen_at(q, name);

	s->max_to = s->to;
	if (s->left)
		s->max_to = max(s->max_to, seen_at(q, s->left)->max_to);
	if (s->right)
		s->max_to = max(s->max_to, seen_at(q, s->right)->max_to);
}

/* Into the nodes before `by` and the others. */
static void split(const struct pairs *q, u32 root, const struct seen *by, u32 *low,
		  u32 *high)
{
	struct seen *s;

	if (!root) {
		*low = *high = 0;
		return;
	}
	s = seen_at(q, root);
	if (before(s, by)) {
		split(q, s->right, by, &s->right, high);
		*low = root;
	} else {
		split(q, s->left, by, low, &s->left);
		*high = root;
	}
	update(q, root);
}

static u32 join(const struct pairs *q, u32 low, u32 high)
{
	struct seen *a, *b;

	if (!low || !high)
		return low ? low : high;
	a = seen_at(q, low);
	b = seen_at(q, high);
	if (a->priority > b->priority) {
		a->right = join(q, a->right, high);
		update(q, low);
		return low;
	}
	b->left = join(q, low, b->left);
	update(q, high);
	return high;
}

static u32 insert(const struct pairs *q, u32 root, u32 name)
{
	struct seen *s = seen_at(q, name), *at;

	if (!root || s->priority > seen_at(q, root)->priority) {
		split(q, root, s, &s->left, &s->right);
		update(q, name);
		return name;
	}
	at = seen_at(q, root);
	if (before(s, at))
		at->left = insert(q, at->left, name);
	else
		at->right = insert(q, at->right, name);
	update(q, root);
	return root;
}

static u32 cut(const struct pairs *q, u32 root, u32 name)
{
	struct seen *s = seen_at(q, name), *at;

	if (!root)
		return 0;
	if (root == name)
		return join(q, s->left, s->right);
	at = seen_at(q, root);
	if (before(s, at))
		at->left = cut(q, at->left, name);
	else
		at->right = cut(q, at->right, name);
	update(q, root);
	return root;
}

void pending_add(struct pairs *q, u32 name)
{
	struct seen *s = seen_at(q, name);

	/* Numbers that nobody can foresee, each once. */
	q->random = q->random * 6364136223846793005u + 1442695040888963407u;
	s->priority = (u32)(q->random >> 32);
	s->left = s->right = 0;
	s->direction->pending_root = insert(q, s->direction->pending_root, name);
}

void pending_remove(struct pairs *q, u32 name)
{
	struct direction *dir = seen_at(q, name)->direction;

	dir->pending_root = cut(q, dir->pending_root, name);
}

/* Whether a range may be the same copy of its bytes: a sender's timestamp changes when
 * it sends them again. */
static bool same_copy(const struct seen *a, const struct seen *b)
{
	return a->has_stamp != b->has_stamp || a->stamp == b->stamp;
}

struct search {
	const struct seen *packet;
	u32 best;
	int looks;
};

static void look_at(struct search *f, const struct seen *s, u32 name)
{
	const struct seen *packet = f->packet;
	bool whole = s->from == packet->from && s->to == packet->to;

	if (!same_copy(s, packet))
		return;
	/* Of whole packets, the identification tells copies apart. */
	if (!f->best || (whole && s->id == packet->id))
		f->best = name;
	if (!whole || s->id == packet->id)
		f->looks = 0;
}

static void search(const struct pairs *q, u32 root, struct search *f)
{
	const struct seen *s, *packet = f->packet;

	while (root && f->looks > 0) {
		s = seen_at(q, root);
		if (s->max_to <= packet->from)
			return;
		search(q, s->left, f);
		if (f->looks <= 0 || s->from >= packet->to)
			return;
		if (s->to > packet->from) {
			look_at(f, s, root);
			f->looks--;
		}
		root = s->right;
	}
}

/* A range of `dir` that a packet overlaps: the same packet if it is there, else the
 * lowest. 0 if there is none. */
u32 pending_find(const struct pairs *q, const struct direction *dir,
		 const struct seen *packet)
{
	struct search f = { .packet = packet, .looks = MAX_LOOKS };

	search(q, dir->pending_root, &f);
	return f.best;
}

// SPDX-License-Identifier: MIT
/* Memory from one budget, so that no input can use up the machine's. */
#include <stdlib.h>

#include "core.h"

void *arena_alloc(struct arena *m, size_t size)
{
	void *got = NULL;

	if (m->left >= (i64)size)
		got = calloc(1, size);
	if (!got) {
		m->short_of = true;
		return NULL;
	}
	m->left -= (i64)size;
	m->lowest = min(m->lowest, m->left);
	return got;
}

/* What is new is zeroed; NULL leaves the old as it was. */
void *arena_grow(struct arena *m, void *old, size_t before, size_t after)
{
	void *got = NULL;

	if (m->left >= (i64)(after - before))
		got = realloc(old, after);
	if (!got) {
		m->short_of = true;
		return NULL;
	}
	memset((u8 *)got + before, 0, after - before);
	m->left -= (i64)(after - before);
	m->lowest = min(m->lowest, m->left);
	return got;
}

void arena_free(struct arena *m, void *old, size_t size)
{
	if (!old)
		return;
	free(old);
	m->left += (i64)size;
}

/* NULL if the memory is used up; what it holds is undefined. */
static void *next_row(struct arena *m, struct table *t)
{
	if (t->count == t->capacity) {
		size_t more = t->capacity ? 2 * t->capacity : 64;
		void *rows = arena_grow(m, t->rows, t->capacity * t->size, more * t->size);

		if (!rows)
			return NULL;
		t->rows = rows;
		t->capacity = more;
	}
	return (u8 *)t->rows + t->size * t->count++;
}

/* A row of zeros; NULL if the memory is used up. */
void *new_row(struct arena *m, struct table *t)
{
	void *row = next_row(m, t);

	return row ? memset(row, 0, t->size) : NULL;
}

void add_row(struct arena *m, struct table *t, const void *row)
{
	void *to = next_row(m, t);

	if (to)
		memcpy(to, row, t->size);
}

/* SPDX-License-Identifier: MIT */
/*
 * Memory of one budget, arena.c, and tables of rows on their way out.
 */
#ifndef ANALYSER_ARENA_H
#define ANALYSER_ARENA_H

#include "rows.h"

struct arena {
	i64 left, lowest;
	bool short_of;
};
void *arena_alloc(struct arena *m, size_t size);	/* zeroed; NULL if there is none */
void *arena_grow(struct arena *m, void *old, size_t before, size_t after);
void arena_free(struct arena *m, void *old, size_t size);

/* Rows on their way out. */
struct table {
	void *rows;
	size_t size, count, capacity;
};
void *new_row(struct arena *m, struct table *t);
void add_row(struct arena *m, struct table *t, const void *row);

#endif

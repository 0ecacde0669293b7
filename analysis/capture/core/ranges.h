/* SPDX-License-Identifier: MIT */
/*
 * Stretches of a number space, ranges.c, and the distribution of a time, samples.c.
 */
#ifndef ANALYSER_RANGES_H
#define ANALYSER_RANGES_H

#include "arena.h"

/* Sorted, each with an owner. */
struct range {
	i64 from, to;
	u32 owner, stamp;
	i64 time_ns;
};

struct ranges {
	struct range *list;
	u32 head, count, capacity;
	i64 floor;		/* what lies below is forgotten */
	i64 forgotten;
};

struct overlap {
	i64 fresh, own, others;
	u32 other;
};
void ranges_add(struct arena *m, struct ranges *r, i64 from, i64 to, u32 owner,
		struct overlap *overlap);
void ranges_append(struct arena *m, struct ranges *r, struct range piece);
i64 ranges_cut(struct arena *m, struct ranges *r, i64 from, i64 to,
	       struct range *first);
i64 ranges_gaps(const struct ranges *r, i64 from, i64 to);

#define STRETCHES 16

struct stretches {
	u32 count;
	struct {
		i64 from, to;
	} of[STRETCHES];
};
void ranges_parts(const struct ranges *r, i64 from, i64 to, struct stretches *into);
bool ranges_touch(const struct ranges *r, i64 from, i64 to);
void ranges_free(struct arena *m, struct ranges *r);

/* samples.c: the distribution of a time */
struct samples {
	i64 count, sum, min, max;
	i64 few[8];
	u32 *buckets;
};
void sample(struct arena *m, struct samples *s, i64 ns);
i64 quantile(const struct samples *s, double part);
void samples_free(struct arena *m, struct samples *s);

#endif

// SPDX-License-Identifier: MIT
/*
 * The distribution of a time: exact for a few samples; of more, buckets of 1/16 of
 * an octave, so that a quantile is off by at most 3 %.
 */
#include "core.h"

#define FEW 8
#define PARTS 16
#define OCTAVES 44		/* from 1 ns to 4.9 hours */
#define BUCKETS (PARTS * OCTAVES)

static u32 bucket_of(i64 ns)
{
	u64 value = ns < 1 ? 1 : (u64)ns;
	u32 octave = 63 - (u32)__builtin_clzll(value);
	u32 part = octave < 4 ? (u32)(value << (4 - octave)) & 15 :
				(u32)(value >> (octave - 4)) & 15;

	return octave >= OCTAVES ? BUCKETS - 1 : octave * PARTS + part;
}

static i64 middle_of(u32 bucket)
{
	double low = (double)(1ull << (bucket / PARTS)) / PARTS;

	return (i64)(low * (PARTS + bucket % PARTS + 0.5));
}

void sample(struct arena *m, struct samples *s, i64 ns)
{
	s->min = s->count ? min(s->min, ns) : ns;
	s->max = s->count ? max(s->max, ns) : ns;
	s->sum += ns;
	if (s->count < FEW)
		s->few[s->count] = ns;
	if (s->count == FEW) {
		s->buckets = arena_alloc(m, BUCKETS * sizeof(*s->buckets));
		for (int i = 0; s->buckets && i < FEW; i++)
			s->buckets[bucket_of(s->few[i])]++;
	}
	s->count++;
	if (s->buckets)
		s->buckets[bucket_of(ns)]++;
}

/* The smallest value that `part` of the samples do not pass; -1 if there is none. */
i64 quantile(const struct samples *s, double part)
{
	i64 wanted, seen = 0;

	if (!s->count)
		return -1;
	wanted = (i64)(part * (double)s->count + 0.999999);
	if (wanted < 1)
		wanted = 1;
	if (s->count <= FEW) {
		for (int i = 0; i < s->count; i++) {
			i64 below = 0;

			for (int j = 0; j < s->count; j++)
				below += s->few[j] < s->few[i] ||
					 (s->few[j] == s->few[i] && j <= i);
			if (below == wanted)
				return s->few[i];
		}
	}
	for (u32 i = 0; s->buckets && i < BUCKETS; i++) {
		seen += s->buckets[i];
		if (seen >= wanted)
			return max(s->min, min(s->max, middle_of(i)));
	}
	return -1;
}

void samples_free(struct arena *m, struct samples *s)
{
	arena_free(m, s->buckets, BUCKETS * sizeof(*s->buckets));
	s->buckets = NULL;
}

// SPDX-License-Identifier: MIT
/*
 * Ranges [from, to) of a number space, sorted and disjoint, each with an owner.
 *
 * Numbers come in nearly in order, so the end of the list is where to look first.
 * Neighbours of one owner are one range. A list that grows too long forgets its
 * oldest half.
 */
#include "core.h"

#define LONGEST_LIST 32768

static struct range *at(const struct ranges *r, u32 index)
{
	return &r->list[r->head + index];
}

/* The first range that ends after `number`; `count` if there is none. */
static u32 first_after(const struct ranges *r, i64 number)
{
	u32 low = 0, high = r->count, step = 1;

	while (high > low && step <= high && at(r, high - step)->to > number) {
		high -= step;
		step *= 2;
	}
	if (step <= high)
		low = high - step + 1;
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (at(r, middle)->to > number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void forget(struct ranges *r, u32 count)
{
	r->floor = at(r, count - 1)->to;
	r->forgotten += count;
	r->head += count;
	r->count -= count;
}

/* Make space for one more range at the end. */
static bool space_for_one(struct arena *m, struct ranges *r)
{
	struct range *list;
	u32 more;

	if (r->head + r->count < r->capacity)
		return true;
	if (r->count >= LONGEST_LIST)
		forget(r, r->count / 2);
	if (r->head > r->capacity / 4) {
		memmove(r->list, r->list + r->head, r->count * sizeof(*list));
		r->head = 0;
		return true;
	}
	more = r->capacity ? 2 * r->capacity : 8;
	list = arena_grow(m, r->list, r->capacity * sizeof(*list), more * sizeof(*list));
	if (!list)
		return false;
	r->list = list;
	r->capacity = more;
	return true;
}

/* Put a range before `index`, or make a neighbour longer. Returns the index of
 * the range from its end on, which may be the neighbour. */
static u32 insert(struct arena *m, struct ranges *r, u32 index, struct range piece)
{
	struct range *before = index ? at(r, index - 1) : NULL;
	struct range *after = index < r->count ? at(r, index) : NULL;
	u32 dropped = r->count;

	if (before && before->to == piece.from && before->owner == piece.owner) {
		before->to = piece.to;
		return index;
	}
	if (after && after->from == piece.to && after->owner == piece.owner) {
		after->from = piece.from;
		return index;
	}
	if (!space_for_one(m, r))
		return index;
	dropped -= r->count;
	if (index < dropped)
		return 0;
	index -= dropped;
	memmove(at(r, index) + 1, at(r, index), (r->count - index) * sizeof(piece));
	*at(r, index) = piece;
	r->count++;
	return index + 1;
}

/* A gap has been filled: what lies on both its sides is one range. */
static void join(struct ranges *r, u32 index)
{
	struct range *after;

	if (!index || index >= r->count)
		return;
	after = at(r, index);
	if (after[-1].to != after->from || after[-1].owner != after->owner)
		return;
	after[-1].to = after->to;
	r->count--;
	memmove(after, after + 1, (r->count - index) * sizeof(*after));
}

void ranges_add(struct arena *m, struct ranges *r, i64 from, i64 to, u32 owner,
		struct overlap *overlap)
{
	struct range *last = r->count ? at(r, r->count - 1) : NULL;
	u32 index;

	*overlap = (struct overlap){ .other = NONE };
	if (last && last->to == from && last->owner == owner && from < to) {
		last->to = to;		/* in order, as usual */
		overlap->fresh = to - from;
		return;
	}
	if (from < r->floor) {
		overlap->others = min(to, r->floor) - from;
		from = min(to, r->floor);
	}
	index = first_after(r, from);
	while (from < to) {
		struct range *here = index < r->count ? at(r, index) : NULL;
		i64 end = to;

		if (here && here->from <= from) {
			end = min(to, here->to);
			if (here->owner == owner) {
				overlap->own += end - from;
			} else {
				overlap->others += end - from;
				if (overlap->other == NONE)
					overlap->other = here->owner;
			}
			index++;
		} else {
			if (here)
				end = min(to, here->from);
			overlap->fresh += end - from;
			index = insert(m, r, index,
				       (struct range){ from, end, owner, 0, 0 });
		}
		from = end;
	}
	join(r, index);
}

/* Add a range beyond all others. */
void ranges_append(struct arena *m, struct ranges *r, struct range piece)
{
	if (!space_for_one(m, r))
		return;
	*at(r, r->count++) = piece;
}

/* Take [from, to) out; returns how much of it there was. */
i64 ranges_cut(struct arena *m, struct ranges *r, i64 from, i64 to,
	       struct range *first)
{
	u32 index = first_after(r, from);
	i64 cut = 0;

	while (index < r->count && at(r, index)->from < to) {
		struct range *here = at(r, index), whole = *here;
		i64 low = max(from, whole.from), high = min(to, whole.to);

		if (!cut)
			*first = whole;
		cut += high - low;
		if (low == whole.from && high == whole.to) {
			if (index == 0) {
				r->head++;
			} else {
				memmove(here, here + 1,
					(r->count - index - 1) * sizeof(whole));
			}
			r->count--;
		} else if (low == whole.from) {
			here->from = high;
		} else {
			here->to = low;
			index++;
			if (high < whole.to) {
				whole.from = high;
				/* Never merged: the hole between them is `first`. */
				whole.owner = here->owner;
				insert(m, r, index, whole);
				return cut;
			}
		}
	}
	return cut;
}

/* How much of [from, to) is in no range. */
i64 ranges_gaps(const struct ranges *r, i64 from, i64 to)
{
	i64 gaps = 0;
	u32 index;

	from = max(from, r->floor);
	for (index = first_after(r, from); index < r->count && from < to; index++) {
		struct range *here = at(r, index);

		if (here->from > from)
			gaps += min(to, here->from) - from;
		from = max(from, here->to);
	}
	return gaps + max(0, to - from);
}

static void add_stretch(struct stretches *into, i64 from, i64 to)
{
	u32 last = into->count - 1;

	if (into->count == STRETCHES) {
		into->of[last].to = to;
		return;
	}
	into->of[into->count].from = from;
	into->of[into->count++].to = to;
}

/* The parts of [from, to) that lie in ranges. Of more than STRETCHES, the last reaches
 * to the end of all. */
void ranges_parts(const struct ranges *r, i64 from, i64 to, struct stretches *into)
{
	for (u32 i = first_after(r, from); i < r->count && at(r, i)->from < to; i++)
		add_stretch(into, max(from, at(r, i)->from), min(to, at(r, i)->to));
}

/* Whether any of [from, to) lies in a range. */
bool ranges_touch(const struct ranges *r, i64 from, i64 to)
{
	u32 i = first_after(r, from);

	return i < r->count && at(r, i)->from < to;
}

void ranges_free(struct arena *m, struct ranges *r)
{
	arena_free(m, r->list, r->capacity * sizeof(*r->list));
	*r = (struct ranges){ 0 };
}

// SPDX-License-Identifier: GPL-2.0
/* The links of the fabric on which packets are, in two binary heaps: links at whose end a
 * host can be, and links between others
 *
 * The keys are in the heaps, so that comparing two links reads no link. Packets that
 * arrive at the same instant are taken in the order of their arrival at their links.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric.h"

/* With more links of a kind, their bound is that of the first one. */
#define FABRIC_LOOKED_AT	16

struct fabric_entry {
	u64 at_ns, order;
	struct fabric_link *link;
};

struct fabric_heap {
	struct fabric_entry *entries;
	unsigned int used;
};

static struct fabric_heap ends, inner;
static unsigned int room;
static u64 least_ahead = FABRIC_NEVER;	/* of inner links */

static struct fabric_heap *fabric_heap_of(const struct fabric_link *link)
{
	return link->ahead_ns ? &inner : &ends;
}

static bool fabric_before(const struct fabric_entry *a, const struct fabric_entry *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->order < b->order;
}

/* The heap with the first of all entries; any heap if there is none */
static struct fabric_heap *fabric_heap_due(void)
{
	if (!inner.used)
		return &ends;
	if (!ends.used)
		return &inner;
	return fabric_before(inner.entries, ends.entries) ? &inner : &ends;
}

static void fabric_heap_move(struct fabric_heap *heap, struct fabric_entry *larger)
{
	if (heap->used)
		memcpy(larger, heap->entries, heap->used * sizeof(*larger));
	swap(heap->entries, larger);
}

/* Enlarge the heaps for as many links. It may sleep, so it is called without
 * fabric_lock.
 */
int fabric_heap_grow(unsigned int links)
{
	struct fabric_entry *larger[2], *old[2];

	if (links <= room)
		return 0;
	links = max(links, 2 * room);
	larger[0] = kvzalloc_objs(**larger, links, GFP_KERNEL);
	larger[1] = kvzalloc_objs(**larger, links, GFP_KERNEL);
	if (!larger[0] || !larger[1]) {
		kvfree(larger[0]);
		kvfree(larger[1]);
		return -ENOMEM;
	}
	spin_lock_bh(&fabric_lock);
	old[0] = ends.entries;
	old[1] = inner.entries;
	fabric_heap_move(&ends, larger[0]);
	fabric_heap_move(&inner, larger[1]);
	room = links;
	spin_unlock_bh(&fabric_lock);
	kvfree(old[0]);
	kvfree(old[1]);
	return 0;
}

void fabric_heap_free(void)
{
	kvfree(ends.entries);
	kvfree(inner.entries);
	ends = (struct fabric_heap){};
	inner = (struct fabric_heap){};
	room = 0;
	least_ahead = FABRIC_NEVER;
}

/* Put @entry where the entry at @at was, or below. */
static void fabric_sink(struct fabric_heap *heap, unsigned int at,
			struct fabric_entry entry)
{
	struct fabric_entry *entries = heap->entries;
	unsigned int child;

	while ((child = 2 * at + 1) < heap->used) {
		if (child + 1 < heap->used &&
		    fabric_before(&entries[child + 1], &entries[child]))
			child++;
		if (!fabric_before(&entries[child], &entry))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = entry;
}

/* Put @entry where the entry at @at was, or above. */
static void fabric_rise(struct fabric_heap *heap, unsigned int at,
			struct fabric_entry entry)
{
	struct fabric_entry *entries = heap->entries;
	unsigned int above;

	while (at) {
		above = (at - 1) / 2;
		if (!fabric_before(&entry, &entries[above]))
			break;
		entries[at] = entries[above];
		at = above;
	}
	entries[at] = entry;
}

void fabric_heap_add(struct fabric_link *link, u64 at_ns, u64 order)
{
	struct fabric_entry entry = { at_ns, order, link };
	struct fabric_heap *heap = fabric_heap_of(link);

	if (WARN_ON_ONCE(heap->used == room))
		return;
	heap->used++;
	fabric_rise(heap, heap->used - 1, entry);
}

void fabric_heap_next(u64 at_ns, u64 order)
{
	struct fabric_heap *heap = fabric_heap_due();
	struct fabric_entry entry = { at_ns, order, heap->entries->link };

	fabric_sink(heap, 0, entry);
}

void fabric_heap_drop(void)
{
	struct fabric_heap *heap = fabric_heap_due();

	heap->used--;
	if (heap->used)
		fabric_sink(heap, 0, heap->entries[heap->used]);
}

struct fabric_link *fabric_heap_first(u64 *at_ns)
{
	struct fabric_heap *heap = fabric_heap_due();

	if (!heap->used)
		return NULL;
	*at_ns = heap->entries->at_ns;
	return heap->entries->link;
}

static u64 fabric_least_quiet(const struct fabric_heap *heap)
{
	u64 until = FABRIC_NEVER;
	unsigned int at;

	for (at = 0; at < heap->used; at++)
		until = min(until, fabric_link_quiet_until(heap->entries[at].link));
	return until;
}

u64 fabric_heap_quiet_until(void)
{
	u64 until = FABRIC_NEVER;

	if (ends.used > FABRIC_LOOKED_AT)
		until = ends.entries->at_ns;
	else
		until = fabric_least_quiet(&ends);
	if (inner.used > FABRIC_LOOKED_AT)
		return min(until, fabric_later(inner.entries->at_ns, least_ahead));
	return min(until, fabric_least_quiet(&inner));
}

/* An inner link with packets at whose end a host is from now on */
static void fabric_heap_end(struct fabric_link *link)
{
	struct fabric_entry last;
	unsigned int at;

	for (at = 0; inner.entries[at].link != link; at++)
		;
	last = inner.entries[--inner.used];
	if (at == inner.used)
		return;
	fabric_sink(&inner, at, last);
	fabric_rise(&inner, at, inner.entries[at]);
}

void fabric_heap_ahead(struct fabric_link *link, u64 ahead_ns)
{
	if (ahead_ns >= link->ahead_ns)
		return;
	if (!ahead_ns && link->head) {
		fabric_heap_end(link);
		link->ahead_ns = 0;
		fabric_heap_add(link, link->head->arrives, link->head->order);
		return;
	}
	link->ahead_ns = ahead_ns;
	if (ahead_ns)
		least_ahead = min(least_ahead, ahead_ns);
}

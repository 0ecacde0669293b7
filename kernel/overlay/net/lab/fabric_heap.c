// SPDX-License-Identifier: GPL-2.0
/* The links of the fabric on which packets are, in a binary heap
 *
 * The keys are in the heap, so that comparing two links reads no link. Packets that
 * arrive at the same instant are taken in the order of their arrival at their links.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "fabric.h"

struct fabric_entry {
	u64 at_ns, order;
	struct fabric_link *link;
};

static struct fabric_entry *entries;
static unsigned int used, room;

static bool fabric_before(const struct fabric_entry *a, const struct fabric_entry *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->order < b->order;
}

/* Enlarge the heap for as many links. It may sleep, so it is called without fabric_lock. */
int fabric_heap_grow(unsigned int links)
{
	struct fabric_entry *larger, *old;

	if (links <= room)
		return 0;
	links = max(links, 2 * room);
	larger = kvzalloc_objs(*larger, links, GFP_KERNEL);
	if (!larger)
		return -ENOMEM;
	spin_lock_bh(&fabric_lock);
	old = entries;
	if (used)
		memcpy(larger, old, used * sizeof(*larger));
	entries = larger;
	room = links;
	spin_unlock_bh(&fabric_lock);
	kvfree(old);
	return 0;
}

void fabric_heap_free(void)
{
	kvfree(entries);
	entries = NULL;
	used = 0;
	room = 0;
}

/* Put @entry where the entry at @at was, or below. */
static void fabric_sink(unsigned int at, struct fabric_entry entry)
{
	unsigned int child;

	while ((child = 2 * at + 1) < used) {
		if (child + 1 < used && fabric_before(&entries[child + 1], &entries[child]))
			child++;
		if (!fabric_before(&entries[child], &entry))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = entry;
}

void fabric_heap_add(struct fabric_link *link, u64 at_ns, u64 order)
{
	struct fabric_entry entry = { at_ns, order, link };
	unsigned int at = used, above;

	if (WARN_ON_ONCE(used == room))
		return;
	used++;
	while (at) {
		above = (at - 1) / 2;
		if (!fabric_before(&entry, &entries[above]))
			break;
		entries[at] = entries[above];
		at = above;
	}
	entries[at] = entry;
}

void fabric_heap_next(u64 at_ns, u64 order)
{
	struct fabric_entry entry = { at_ns, order, entries[0].link };

	fabric_sink(0, entry);
}

void fabric_heap_drop(void)
{
	used--;
	if (used)
		fabric_sink(0, entries[used]);
}

struct fabric_link *fabric_heap_first(u64 *at_ns)
{
	if (!used)
		return NULL;
	*at_ns = entries[0].at_ns;
	return entries[0].link;
}

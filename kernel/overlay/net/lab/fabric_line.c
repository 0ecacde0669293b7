// SPDX-License-Identifier: GPL-2.0
/* The packets and frames on one link, in the order in which they arrive at its far end */

#include "fabric.h"

/* Whether all frames of a segment have begun to be sent */
static bool fabric_train_settle(struct fabric_link *link, struct fabric_train *train,
				u64 now)
{
	for (; train->begun < train->count; train->begun++) {
		if (train->times[train->begun].begins > now)
			return false;
		fabric_queue_begun(&link->queue, fabric_train_bytes(train, train->begun));
	}
	return true;
}

void fabric_line_settle(struct fabric_link *link, u64 now)
{
	struct fabric_train *train;

	while (link->waits && link->waits->begins <= now) {
		train = fabric_train(link->waits);
		if (!train)
			fabric_queue_begun(&link->queue, link->waits->bytes);
		else if (!fabric_train_settle(link, train, now))
			return;
		link->waits = link->waits->next;
	}
}

/* The last item that @item may not overtake: one that no longer waits, or waits and is
 * bare too. NULL if there is none, and @item joins at the end.
 */
static struct fabric_item *fabric_line_before(struct fabric_link *link)
{
	struct fabric_item *before = NULL, *item;

	if (!link->waits)
		return NULL;
	for (item = link->head; item != link->waits; item = item->next)
		before = item;
	for (; item && item->bare; item = item->next)
		before = item;
	return item ? before : NULL;
}

/* @item has the times of the last one. It takes those of the one that it overtakes, and
 * all items behind it are sent later by the time that it takes. No item of the queue is
 * the first one on the link, because the one that is being sent is before it.
 */
static void fabric_line_overtake(struct fabric_link *link, struct fabric_item *before,
				 struct fabric_item *item)
{
	u64 takes = item->leaves - item->begins, travels = item->arrives - item->leaves;
	struct fabric_item *later;
	u64 bytes = 0;

	item->next = before->next;
	before->next = item;
	if (link->waits == item->next)
		link->waits = item;
	item->begins = item->next->begins;
	item->leaves = item->begins + takes;
	item->arrives = item->leaves + travels;
	for (later = item->next; later; later = later->next) {
		later->begins += takes;
		later->leaves += takes;
		later->arrives += takes;
		bytes += later->bytes;
	}
	link->waited += (bytes * takes) >> 10;
}

void fabric_line_join(struct fabric_link *link, struct fabric_item *item)
{
	struct fabric_item *before = NULL;

	if (item->bare)
		before = fabric_line_before(link);
	if (before) {
		fabric_line_overtake(link, before, item);
		return;
	}
	item->next = NULL;
	if (link->tail) {
		link->tail->next = item;
	} else {
		link->head = item;
		fabric_heap_add(link, item->arrives, item->order);
	}
	link->tail = item;
	if (!link->waits)
		link->waits = item;
}

void fabric_item_drop(struct fabric_item *item)
{
	struct sk_buff *skb;

	if (item->kind == FABRIC_FRAME) {
		fabric_frame_gone(fabric_frame(item));
		return;
	}
	skb = fabric_skb(item);
	fabric_train_free(skb);
	skb->dev_scratch = 0;
	kfree_skb(skb);
}

void fabric_line_free(struct fabric_link *link)
{
	struct fabric_segment *segment;
	struct fabric_item *item;

	while ((item = link->head)) {
		link->head = item->next;
		segment = NULL;
		if (item->kind == FABRIC_FRAME)
			segment = fabric_frame(item)->segment;
		fabric_item_drop(item);
		if (segment)
			kfree_skb(fabric_gathered(segment));
	}
	link->tail = NULL;
	link->waits = NULL;
}

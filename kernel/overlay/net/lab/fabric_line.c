// SPDX-License-Identifier: GPL-2.0
/* The packets on one link, in the order in which they arrive at its far end */

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

	while (link->waits && FABRIC_CB(link->waits)->begins <= now) {
		train = FABRIC_TRAIN(link->waits);
		if (!train)
			fabric_queue_begun(&link->queue, FABRIC_CB(link->waits)->bytes);
		else if (!fabric_train_settle(link, train, now))
			return;
		link->waits = link->waits->next;
	}
}

/* The last packet that @skb may not overtake: one that no longer waits, or waits and is
 * bare too. NULL if there is none, and @skb joins at the end.
 */
static struct sk_buff *fabric_line_before(struct fabric_link *link)
{
	struct sk_buff *before = NULL, *skb;

	if (!link->waits)
		return NULL;
	for (skb = link->head; skb != link->waits; skb = skb->next)
		before = skb;
	for (; skb && FABRIC_CB(skb)->bare; skb = skb->next)
		before = skb;
	return skb ? before : NULL;
}

/* @skb has the times of the last packet. It takes those of the packet that it overtakes,
 * and all packets behind it are sent later by the time that it takes. No packet of the
 * queue is the first one on the link, because the one that is being sent is before it.
 */
static void fabric_line_overtake(struct fabric_link *link, struct sk_buff *before,
				 struct sk_buff *skb)
{
	struct fabric_cb *cb = FABRIC_CB(skb), *next = FABRIC_CB(before->next);
	u64 takes = cb->leaves - cb->begins, travels = cb->arrives - cb->leaves;
	struct sk_buff *later;
	u64 bytes = 0;

	skb->next = before->next;
	before->next = skb;
	if (link->waits == skb->next)
		link->waits = skb;
	cb->begins = next->begins;
	cb->leaves = cb->begins + takes;
	cb->arrives = cb->leaves + travels;
	for (later = skb->next; later; later = later->next) {
		FABRIC_CB(later)->begins += takes;
		FABRIC_CB(later)->leaves += takes;
		FABRIC_CB(later)->arrives += takes;
		bytes += FABRIC_CB(later)->bytes;
	}
	link->waited += (bytes * takes) >> 10;
}

void fabric_line_join(struct fabric_link *link, struct sk_buff *skb)
{
	struct fabric_cb *cb = FABRIC_CB(skb);
	struct sk_buff *before = NULL;

	if (cb->bare)
		before = fabric_line_before(link);
	if (before) {
		fabric_line_overtake(link, before, skb);
		return;
	}
	skb->next = NULL;
	if (link->tail) {
		link->tail->next = skb;
	} else {
		link->head = skb;
		fabric_heap_add(link, cb->arrives, cb->order);
	}
	link->tail = skb;
	if (!link->waits)
		link->waits = skb;
}

// SPDX-License-Identifier: GPL-2.0
/* What the links of the fabric have counted, and captures of what leaves their queues */

#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <asm/lab_capture.h>

#include "fabric.h"

/* One line per link, with its settings as they are in force. waited_2^10ns is the
 * queue's integral over time, in bytes times 1024 ns.
 */
void fabric_report(struct seq_file *seq)
{
	const struct fabric_link *link;
	const struct fabric_queue *queue;
	unsigned int id;

	seq_puts(seq, "link bps steps delay_ns jitter_ns loss_2^-32 limit_bytes "
		 "limit_packets red_min_2^-16 red_max_2^-16 burst delay_first "
		 "bare_first packets bytes lost red full most_bytes waited_2^10ns\n");
	for (id = 0; (link = fabric_link(id)); id++) {
		queue = &link->queue;
		spin_lock_bh(&fabric_lock);
		seq_printf(seq, "%u %llu %u %llu %llu %llu %llu %llu %llu %llu "
			   "%llu %u %u ",
			   id, queue->rate.bps, queue->rate.count, queue->delay_ns,
			   queue->jitter_ns, queue->loss, queue->limit_bytes,
			   queue->limit_packets, queue->red.min, queue->red.max,
			   queue->burst, queue->delay_first, queue->bare_first);
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu\n",
			   link->packets, link->bytes, link->lost, link->red, link->full,
			   link->most_bytes, link->waited);
		spin_unlock_bh(&fabric_lock);
	}
}

/* Under fabric_lock. A capture shows a packet at the time when it left the queue. */
void fabric_captured(struct fabric_link *link, const struct sk_buff *skb)
{
	ktime_t left = ktime_mono_to_real(ns_to_ktime(FABRIC_CB(skb)->leaves));

	capture_tapped(link->capture, skb, left);
}

/* Packets that have left the queue and are on the way belong to the capture too. */
static void fabric_capture_ended(void *tap)
{
	struct fabric_link *link = tap;
	const struct sk_buff *skb;
	u64 now = fabric_now();

	spin_lock_bh(&fabric_lock);
	for (skb = link->head; skb && FABRIC_CB(skb)->leaves <= now; skb = skb->next)
		fabric_captured(link, skb);
	link->capture = NULL;
	spin_unlock_bh(&fabric_lock);
}

int fabric_capture(struct fabric_link *link, const char *name, bool full,
		   const char *path)
{
	struct capture *capture;

	if (link->capture)
		return -EBUSY;
	capture = capture_tap(name, full, path, fabric_capture_ended, link);
	if (IS_ERR(capture))
		return PTR_ERR(capture);
	spin_lock_bh(&fabric_lock);
	link->capture = capture;
	spin_unlock_bh(&fabric_lock);
	return 0;
}

/* The links go away before their captures end. */
void fabric_captures_forget(void)
{
	capture_taps_forget(fabric_capture_ended);
}

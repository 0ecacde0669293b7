// SPDX-License-Identifier: GPL-2.0
/* What the links of the fabric have counted, and captures of what leaves their queues */

#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <asm/lab_capture.h>

#include "fabric.h"

/* The frames of the first segment that have arrived, while others of it are on the way */
static void fabric_come(const struct fabric_link *link, u64 now, u64 *packets, u64 *bytes)
{
	const struct fabric_train *train;
	unsigned int at;

	*packets = 0;
	*bytes = 0;
	train = link->head ? fabric_train(link->head) : NULL;
	for (at = 0; train && at < train->count && train->times[at].arrives <= now; at++) {
		*packets += 1;
		*bytes += fabric_train_bytes(train, at);
	}
}

/* One line per link, with its settings as they are in force. waited_2^10ns is the
 * queue's integral over time, in bytes times 1024 ns.
 */
void fabric_report(struct seq_file *seq)
{
	const struct fabric_link *link;
	const struct fabric_queue *queue;
	u64 packets, bytes;
	unsigned int id;

	seq_puts(seq, "link bps steps delay_ns jitter_ns loss_2^-32 limit_bytes "
		 "limit_packets red_min_2^-16 red_max_2^-16 burst delay_first "
		 "bare_first packets bytes lost red full most_bytes waited_2^10ns\n");
	for (id = 0; (link = fabric_link(id)); id++) {
		queue = &link->queue;
		spin_lock_bh(&fabric_lock);
		fabric_catch_up();
		fabric_come(link, fabric_now(), &packets, &bytes);
		seq_printf(seq, "%u %llu %u %llu %llu %llu %llu %llu %llu %llu "
			   "%llu %u %u ",
			   id, queue->rate.bps, queue->rate.count, queue->delay_ns,
			   queue->jitter_ns, queue->loss, queue->limit_bytes,
			   queue->limit_packets, queue->red.min, queue->red.max,
			   queue->burst, queue->delay_first, queue->bare_first);
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu\n",
			   link->packets + packets, link->bytes + bytes, link->lost, link->red, link->full,
			   link->most_bytes, link->waited);
		spin_unlock_bh(&fabric_lock);
	}
}

/* A capture shows a frame at the time when it left the queue. */
static void fabric_capture_frame(struct fabric_link *link, const struct sk_buff *skb,
				 u64 leaves)
{
	capture_tapped(link->capture, skb, ktime_mono_to_real(ns_to_ktime(leaves)));
}

/* Frames from @first on that have left the queue at @until; whether all have */
static bool fabric_capture_frames(struct fabric_link *link, struct sk_buff *skb,
				  unsigned int first, const struct fabric_times *times,
				  unsigned int count, u64 until)
{
	struct sk_buff *frame;
	unsigned int at;

	for (at = 0; at < count; at++) {
		if (times[at].leaves > until)
			return false;
		frame = fabric_cut(skb, first + at, 1);
		fabric_capture_frame(link, frame, times[at].leaves);
		consume_skb(frame);
	}
	return true;
}

/* Under fabric_lock. A segment of one frame needs no cut. */
bool fabric_captured(struct fabric_link *link, struct fabric_item *item, u64 until)
{
	const struct fabric_times times = { .leaves = item->leaves };
	const struct fabric_train *train = fabric_train(item);
	struct fabric_frame *frame;

	if (train && train->count > 1)
		return fabric_capture_frames(link, fabric_skb(item), 0, train->times,
					     train->count, until);
	if (item->leaves > until)
		return false;
	if (item->kind == FABRIC_FRAME) {
		frame = fabric_frame(item);
		return fabric_capture_frames(link, frame->segment->skb,
					     fabric_frame_number(frame), &times, 1, until);
	}
	fabric_capture_frame(link, fabric_skb(item), item->leaves);
	return true;
}

/* Packets that have left the queue and are on the way belong to the capture too. */
static void fabric_capture_ended(void *tap)
{
	struct fabric_link *link = tap;
	u64 now = fabric_now();
	struct fabric_item *item;

	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	for (item = link->head; item && fabric_captured(link, item, now); item = item->next)
		;
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
	fabric_catch_up();
	link->capture = capture;
	spin_unlock_bh(&fabric_lock);
	return 0;
}

/* The links go away before their captures end. */
void fabric_captures_forget(void)
{
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	spin_unlock_bh(&fabric_lock);
	capture_taps_forget(fabric_capture_ended);
}

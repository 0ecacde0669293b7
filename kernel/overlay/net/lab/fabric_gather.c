// SPDX-License-Identifier: GPL-2.0
/* Segments of TCP whose frames go from link to link by themselves
 *
 * Behind the first link of a path, other packets come between the frames of a segment. So
 * each frame is an item of its own there, with the times, losses and drops of a packet.
 * It has no data: these stay in the segment until the receiver gets them.
 *
 * The receiver gathers frames that follow one another, for the gather time from the first
 * of them on. It waits for the next frame only while that can come in time, and hands over
 * what it has when the next frame is lost, is known to come later, or did not come.
 */

#include <linux/slab.h>
#include <linux/tcp.h>

#include "fabric.h"

static LIST_HEAD(waiting);	/* segments whose receivers wait, by the end of that */
static unsigned int before_last;	/* of these, those with @before_last */

void fabric_enter_frames(struct sk_buff *skb, const struct fabric_path *path, u64 now)
{
	u32 mss = skb_shinfo(skb)->gso_size, header = skb_tcp_all_headers(skb);
	unsigned int count = fabric_frames_of(skb), at;
	struct fabric_segment *segment;
	struct fabric_frame *frame;

	segment = kmalloc_flex(*segment, frames, count, GFP_ATOMIC);
	if (!segment)
		panic("lab_fabric: no memory for the frames of a segment");
	segment->skb = skb;
	segment->path = path;
	INIT_LIST_HEAD(&segment->held);
	segment->gone = 0;
	segment->before_last = false;
	segment->count = count;
	segment->on_way = count;
	segment->from = 0;
	segment->to = 0;
	for (at = 0; at < count; at++) {
		frame = &segment->frames[at];
		frame->segment = segment;
		frame->followed = false;
		frame->item.bytes = header + mss;
		frame->item.step = 0;
		frame->item.kind = FABRIC_FRAME;
	}
	frame->item.bytes = skb->len - (count - 1) * mss;
	for (at = 0; at < count; at++)
		fabric_enter(&segment->frames[at].item, path->links[0], now);
	fabric_gathered(segment);
}

/* Whether the frame behind those that have arrived can still come in time. It comes no
 * sooner than it reaches the end of the link that it is on.
 */
static bool fabric_waits(const struct fabric_segment *segment)
{
	unsigned int next = segment->to;

	return next < segment->count && !(segment->gone & BIT_ULL(next)) &&
	       segment->frames[next].item.arrives <= segment->until;
}

static void fabric_wait_before_last(struct fabric_segment *segment, bool waits)
{
	if (segment->before_last == waits)
		return;
	segment->before_last = waits;
	if (waits)
		before_last++;
	else
		before_last--;
}

bool fabric_held_before_last(void)
{
	return before_last;
}

/* What has arrived, as a packet that was not sent yet */
static struct sk_buff *fabric_hand_over(struct fabric_segment *segment)
{
	struct sk_buff *part = segment->skb;
	unsigned int count = segment->to - segment->from;

	if (count == segment->count)
		segment->skb = NULL;
	else
		part = fabric_cut(part, segment->from, count);
	fabric_item(part)->kind = FABRIC_PACKET;
	fabric_set_path(part, segment->path);
	segment->from = segment->to;
	list_del_init(&segment->held);
	fabric_wait_before_last(segment, false);
	return part;
}

static void fabric_segment_free(struct fabric_segment *segment)
{
	if (segment->skb) {
		segment->skb->dev_scratch = 0;
		consume_skb(segment->skb);
	}
	kfree(segment);
}

struct sk_buff *fabric_gathered(struct fabric_segment *segment)
{
	struct sk_buff *part = NULL;
	unsigned int step;

	if (segment->from != segment->to) {
		if (!fabric_waits(segment)) {
			part = fabric_hand_over(segment);
		} else {
			if (list_empty(&segment->held))
				list_add_tail(&segment->held, &waiting);
			step = segment->frames[segment->to].item.step;
			fabric_wait_before_last(segment, step + 1 < segment->path->count);
		}
	}
	if (!segment->on_way)
		fabric_segment_free(segment);
	return part;
}

/* Frames of a segment arrive in order, for nothing but bare packets overtakes others. */
struct sk_buff *fabric_frame_arrived(struct fabric_frame *frame, u64 now)
{
	struct fabric_segment *segment = frame->segment;
	unsigned int number = fabric_frame_number(frame);
	u64 gather = fabric_gather_ns();

	if (segment->from == segment->to) {
		segment->from = number;
		segment->until = now + gather;
	}
	segment->to = number + 1;
	segment->on_way--;
	return fabric_gathered(segment);
}

void fabric_frame_gone(struct fabric_frame *frame)
{
	struct fabric_segment *segment = frame->segment;

	segment->gone |= BIT_ULL(fabric_frame_number(frame));
	segment->on_way--;
}

/* On the last link, a frame is neither dropped nor delayed any more. So if it arrives in
 * time, the receiver will have waited for it.
 */
void fabric_frame_on_last(struct fabric_frame *frame)
{
	struct fabric_segment *segment = frame->segment;
	unsigned int number = fabric_frame_number(frame);
	struct fabric_frame *before = frame - 1;

	if (segment->gone & BIT_ULL(number))
		return;
	frame->opened = frame->item.arrives;
	if (!number || segment->gone & BIT_ULL(number - 1))
		return;
	if (frame->item.arrives == FABRIC_NEVER ||
	    frame->item.arrives - before->opened > fabric_gather_ns())
		return;
	frame->opened = before->opened;
	before->followed = true;
}

u64 fabric_held_until(void)
{
	if (list_empty(&waiting))
		return FABRIC_NEVER;
	return list_first_entry(&waiting, struct fabric_segment, held)->until;
}

/* The segment stays, for a frame of it is on its way. */
struct sk_buff *fabric_held_end(void)
{
	return fabric_hand_over(list_first_entry(&waiting, struct fabric_segment, held));
}

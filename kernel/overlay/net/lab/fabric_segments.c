// SPDX-License-Identifier: GPL-2.0
/* Segments of TCP that a host hands down as to a network card, and their frames
 *
 * The frames of a segment arrive at a link at the same instant, one behind the other.
 * Each is lost, delayed, dropped and sent as a packet of its own would be. What happens
 * to them is known at their arrival, so they stay one segment with the times of each
 * frame. The receiver gets the frames that follow one another and come within the gather
 * time of the first as one segment, when the last of them has come, as GRO does. A frame
 * that is missing ends a part.
 *
 * All of this is for paths of one link; fabric_gather.c has those of several.
 */

#include <linux/skbuff_ref.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/tcp.h>

#include "fabric.h"

struct fabric_fate {
	struct fabric_times times;
	bool accepted;
};

static bool offloads;
static u64 gather_ns;
static struct fabric_fate frames[FABRIC_FRAMES];	/* under fabric_lock */

void fabric_offload(bool wanted, u64 gather)
{
	offloads = wanted;
	gather_ns = gather;
}

bool fabric_offloads(void)
{
	return offloads;
}

u64 fabric_gather_ns(void)
{
	return gather_ns;
}

unsigned int fabric_frames_of(const struct sk_buff *skb)
{
	if (!skb_is_gso(skb))
		return 1;
	return DIV_ROUND_UP(skb->len - skb_tcp_all_headers(skb),
			    skb_shinfo(skb)->gso_size);
}

bool fabric_can_cut(const struct sk_buff *skb)
{
	return skb_is_gso_tcp(skb) && skb_headlen(skb) == skb_tcp_all_headers(skb) &&
	       !skb_has_frag_list(skb) && fabric_frames_of(skb) <= FABRIC_FRAMES;
}

void fabric_train_free(struct sk_buff *skb)
{
	struct fabric_item *item = fabric_item(skb);
	struct fabric_train *train = fabric_train(item);

	if (!train)
		return;
	item->kind = FABRIC_PACKET;
	fabric_set_path(skb, train->path);
	kfree(train);
}

/* Remove @bytes of data behind the headers. */
static void fabric_skip(struct sk_buff *skb, u32 bytes)
{
	struct skb_shared_info *shared = skb_shinfo(skb);
	int at, kept = 0;
	u32 size;

	skb->len -= bytes;
	skb->data_len -= bytes;
	skb->truesize -= bytes;
	for (at = 0; at < shared->nr_frags; at++) {
		skb_frag_t *frag = &shared->frags[at];

		size = min(bytes, skb_frag_size(frag));
		bytes -= size;
		if (size == skb_frag_size(frag)) {
			__skb_frag_unref(frag, skb->pp_recycle);
			continue;
		}
		skb_frag_off_add(frag, size);
		skb_frag_size_sub(frag, size);
		shared->frags[kept++] = *frag;
	}
	shared->nr_frags = kept;
}

/* Give a part of a segment the headers that tcp_gso_segment() gives to frames. */
static void fabric_head_part(struct sk_buff *part, unsigned int first, u32 mss, bool last)
{
	struct iphdr *ip = (struct iphdr *)skb_network_header(part);
	struct tcphdr *tcp = (struct tcphdr *)skb_transport_header(part);
	u32 length = part->len - skb_transport_offset(part);

	ip->tot_len = htons(part->len - skb_network_offset(part));
	ip->id = htons(ntohs(ip->id) + first);
	ip_send_check(ip);
	tcp->seq = htonl(ntohl(tcp->seq) + first * mss);
	if (first)
		tcp->cwr = 0;
	if (!last) {
		tcp->fin = 0;
		tcp->psh = 0;
	}
	tcp->check = ~tcp_v4_check(length, ip->saddr, ip->daddr, 0);
}

/* Without memory for it, frames would be lost and the run wrong, so the run ends. */
struct sk_buff *fabric_cut(struct sk_buff *skb, unsigned int first, unsigned int count)
{
	u32 header = skb_tcp_all_headers(skb), mss = skb_shinfo(skb)->gso_size;
	u32 skipped = first * mss, bytes = min(count * mss, skb->len - header - skipped);
	bool last = header + skipped + bytes == skb->len;
	struct sk_buff *part = pskb_copy(skb, GFP_ATOMIC);
	struct skb_shared_info *shared;
	u32 behind;

	if (!part)
		panic("lab_fabric: no memory for a part of a segment");
	fabric_item(part)->kind = FABRIC_PACKET;
	part->dev_scratch = 0;
	fabric_skip(part, skipped);
	behind = part->len - header - bytes;
	part->truesize -= behind;
	if (behind && pskb_trim(part, header + bytes))
		panic("lab_fabric: no memory for a part of a segment");
	fabric_head_part(part, first, mss, last);
	shared = skb_shinfo(part);
	shared->gso_segs = DIV_ROUND_UP(bytes, mss);
	if (bytes <= mss) {
		shared->gso_size = 0;
		shared->gso_segs = 0;
		shared->gso_type = 0;
	}
	return part;
}

/* Frames before @end that have begun to be sent no longer wait. Returns the first that
 * waits.
 */
static unsigned int fabric_frames_settle(struct fabric_queue *queue, unsigned int begun,
					 unsigned int end, u32 bytes, u64 now)
{
	for (; begun < end; begun++) {
		if (!frames[begun].accepted)
			continue;
		if (frames[begun].times.begins > now)
			break;
		fabric_queue_begun(queue, bytes);
	}
	return begun;
}

/* @count frames arrive at a link. The last has @last bytes. Returns the first of them
 * that waits when the last has reached the queue.
 */
static unsigned int fabric_frames_arrive(struct fabric_link *link, u64 now,
					 unsigned int count, u32 frame, u32 last)
{
	struct fabric_queue *queue = &link->queue;
	unsigned int at, begun = 0;
	enum fabric_verdict verdict;
	u64 reached, settled;
	u32 bytes;

	for (at = 0; at < count; at++) {
		bytes = at + 1 < count ? frame : last;
		frames[at].accepted = false;
		if (fabric_queue_loses(queue)) {
			fabric_dropped(link, FABRIC_LOST);
			continue;
		}
		reached = fabric_queue_reached(queue, now);
		settled = fabric_queue_settled(queue, reached);
		fabric_line_settle(link, settled);
		begun = fabric_frames_settle(queue, begun, at, frame, settled);
		verdict = fabric_queue_arrival(queue, reached, bytes, &frames[at].times);
		if (verdict != FABRIC_ACCEPTED) {
			fabric_dropped(link, verdict);
			continue;
		}
		frames[at].accepted = true;
		if (begun == at)
			begun = fabric_frames_settle(queue, at, at + 1, bytes, settled);
		fabric_count_waiting(link, reached, bytes, &frames[at].times);
	}
	return begun;
}

/* The end of the part that begins with frame @from */
static unsigned int fabric_part_end(unsigned int from, unsigned int count)
{
	u64 until = frames[from].times.arrives;
	unsigned int to = from + 1;

	until = until > FABRIC_NEVER - gather_ns ? FABRIC_NEVER : until + gather_ns;
	while (to < count && frames[to].accepted && frames[to].times.arrives <= until)
		to++;
	return to;
}

/* Frames @from to @to, which are @part, are on the link as one. */
static void fabric_part_join(struct fabric_link *link, const struct fabric_path *path,
			     struct sk_buff *part, unsigned int from, unsigned int to,
			     unsigned int begun, u32 frame, u32 last)
{
	struct fabric_item *item = fabric_item(part);
	struct fabric_train *train;
	unsigned int at;

	train = kmalloc_flex(*train, times, to - from, GFP_ATOMIC);
	if (!train)
		panic("lab_fabric: no memory for the frames of a segment");
	train->path = path;
	train->count = to - from;
	train->begun = clamp(begun, from, to) - from;
	train->frame = frame;
	train->last = last;
	for (at = from; at < to; at++)
		train->times[at - from] = frames[at].times;
	part->dev_scratch = (unsigned long)train;
	item->begins = frames[from].times.begins;
	item->leaves = frames[to - 1].times.leaves;
	item->arrives = frames[to - 1].times.arrives;
	item->order = fabric_order_next();
	item->bytes = (to - from - 1) * frame + last;
	item->step = 0;
	item->kind = FABRIC_SEGMENT;
	item->bare = false;
	fabric_line_join(link, item);
}

void fabric_enter_segment(struct sk_buff *skb, const struct fabric_path *path,
			  struct fabric_link *link, u64 now)
{
	u32 header = skb_tcp_all_headers(skb), frame = header + skb_shinfo(skb)->gso_size;
	unsigned int count = fabric_frames_of(skb), from, to, begun;
	u32 last = skb->len - (count - 1) * (frame - header);
	struct sk_buff *part;
	bool whole = false;

	begun = fabric_frames_arrive(link, now, count, frame, last);
	for (from = 0; from < count; from = to) {
		to = from + 1;
		if (!frames[from].accepted)
			continue;
		to = fabric_part_end(from, count);
		whole = !from && to == count;
		part = whole ? skb : fabric_cut(skb, from, to - from);
		fabric_part_join(link, path, part, from, to, begun, frame,
				 to == count ? last : frame);
	}
	if (!whole)
		consume_skb(skb);
}

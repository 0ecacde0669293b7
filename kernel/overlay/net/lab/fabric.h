/* SPDX-License-Identifier: GPL-2.0 */
/* The fabric: links and paths between network namespaces; see fabric.c */
#ifndef __LAB_FABRIC_H
#define __LAB_FABRIC_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

#include "fabric_queue.h"

/* Bounds of the tables, so that no order takes more memory than a guest has */
#define FABRIC_LINKS		16384
#define FABRIC_PORTS		4096
#define FABRIC_ADDRESSES	16		/* of a port */
#define FABRIC_STEPS		(1 << 20)	/* of all links */
#define FABRIC_PATHS		(1 << 19)	/* of all pairs of addresses */
#define FABRIC_PATH_STEPS	(1 << 22)	/* links of all paths */
#define FABRIC_ALTERNATIVES	256		/* paths between two addresses */
#define FABRIC_LONGEST		600		/* links of a path */
#define FABRIC_FLOWS		(1 << 17)
#define FABRIC_FRAMES		64		/* of a segment */

struct capture;

/* What is on a link: a packet, a segment, or one frame of a segment; see fabric_item() */
enum fabric_kind {
	FABRIC_PACKET,
	FABRIC_SEGMENT,		/* all of its frames are on this link, its path's only one */
	FABRIC_FRAME,
};

/* What a link knows about it. For packets and segments it lies in skb->cb.
 *
 * @next: on the link
 * @order: of its arrival at the link, among all packets of the fabric
 * @step: the place of the link on the path
 * @bare: it is a TCP segment without data; set at links that send these first
 */
struct fabric_item {
	struct fabric_item *next;
	u64 begins, leaves, arrives, order;
	u32 bytes;
	u16 step;
	u8 kind;
	bool bare;
};

/* @head, @tail: the items on the link, in the order of their arrival
 * @ahead_ns: the least time from the arrival at the end of this link to that at a host; 0
 *	where a path ends here
 * @waits: the first of them that has not begun to be sent; NULL if none waits
 * @most_bytes: the most that waited
 * @waited: the sum over packets of bytes and waiting time, in bytes times 1024 ns:
 *	the queue's integral over time
 */
struct fabric_link {
	struct fabric_queue queue;
	struct fabric_item *head, *tail, *waits;
	u64 ahead_ns;
	u64 packets, bytes, lost, red, full;
	u64 most_bytes, waited;
	struct capture *capture;
	unsigned int id;
};

/* @dev: NULL when it is gone */
struct fabric_port {
	struct net_device __rcu *dev;
	unsigned int number;
};

struct fabric_path {
	struct fabric_port *to;
	unsigned int count;
	struct fabric_link *links[] __counted_by(count);
};

/* The frames of a segment whose path is one link. The segment's item has the times of its
 * first frame to begin, and of its last to leave and to arrive.
 * @begun: frames that no longer wait
 * @frame, @last: bytes of each frame but the last, and of the last
 */
struct fabric_train {
	const struct fabric_path *path;
	u16 count, begun;
	u32 frame, last;
	struct fabric_times times[] __counted_by(count);
};

/* A frame that goes from link to link by itself; the data stay in its segment.
 * @opened: when the first frame of its part arrives, once it is on the path's last link
 * @followed: the next frame is of the same part, so the host gets nothing by this arrival
 */
struct fabric_frame {
	struct fabric_item item;
	struct fabric_segment *segment;
	u64 opened;
	bool followed;
};

/* A segment whose frames go by themselves
 * @held: in the list of receivers that wait, if this one does
 * @until: when the receiver stops waiting
 * @gone: frames that were lost or dropped, as bits
 * @before_last: the receiver waits for a frame that is not on the path's last link yet
 * @on_way: the number of frames that neither arrived nor are gone
 * @from, @to: frames that have arrived, and that the receiver has not handed over
 */
struct fabric_segment {
	struct sk_buff *skb;
	const struct fabric_path *path;
	struct list_head held;
	u64 until, gone;
	bool before_last;
	u16 count, on_way, from, to;
	struct fabric_frame frames[] __counted_by(count);
};

static inline struct fabric_item *fabric_item(struct sk_buff *skb)
{
	return (struct fabric_item *)skb->cb;
}

/* The packet or segment of an item that is no frame */
static inline struct sk_buff *fabric_skb(struct fabric_item *item)
{
	return (struct sk_buff *)((char *)item - offsetof(struct sk_buff, cb));
}

static inline struct fabric_frame *fabric_frame(struct fabric_item *item)
{
	return container_of(item, struct fabric_frame, item);
}

static inline unsigned int fabric_frame_number(const struct fabric_frame *frame)
{
	return frame - frame->segment->frames;
}

/* While a packet is in the fabric, skb->dev_scratch is its path. */
static inline void fabric_set_path(struct sk_buff *skb, const struct fabric_path *path)
{
	skb->dev_scratch = (unsigned long)path;
}

/* NULL for an item that is one frame */
static inline struct fabric_train *fabric_train(struct fabric_item *item)
{
	if (item->kind != FABRIC_SEGMENT)
		return NULL;
	return (struct fabric_train *)fabric_skb(item)->dev_scratch;
}

static inline const struct fabric_path *fabric_path(struct fabric_item *item)
{
	if (item->kind == FABRIC_PACKET)
		return (const struct fabric_path *)fabric_skb(item)->dev_scratch;
	if (item->kind == FABRIC_FRAME)
		return fabric_frame(item)->segment->path;
	return fabric_train(item)->path;
}

static inline u32 fabric_train_bytes(const struct fabric_train *train, unsigned int at)
{
	return at + 1 < train->count ? train->frame : train->last;
}

static inline bool fabric_frame_followed(const struct fabric_item *item)
{
	return container_of(item, struct fabric_frame, item)->followed;
}

/* A time after another one, which may be FABRIC_NEVER */
static inline u64 fabric_later(u64 at_ns, u64 ns)
{
	return at_ns > FABRIC_NEVER - ns ? FABRIC_NEVER : at_ns + ns;
}

static inline unsigned int fabric_frames(struct fabric_item *item)
{
	const struct fabric_train *train = fabric_train(item);

	return train ? train->count : 1;
}

extern spinlock_t fabric_lock;	/* of all tables, queues and counters */

/* fabric.c */
u64 fabric_now(void);
struct fabric_link *fabric_link(unsigned int id);
struct fabric_link *fabric_link_add(void);
unsigned int fabric_links(void);
void fabric_send(const struct fabric_path *path, struct sk_buff *skb);
/* A packet or a frame arrives at a link. If it is not accepted, it is dropped. */
void fabric_enter(struct fabric_item *item, struct fabric_link *link, u64 now);
/* The time of the next event; FABRIC_NEVER if there is none. Whether one is due @now is
 * what fabric_event() returns; then it has happened, and @reaches is what a host gets by
 * it, or NULL.
 */
u64 fabric_due(void);
bool fabric_event(u64 now, struct sk_buff **reaches);
/* A time before which no host gets anything, unless another packet is sent. Events until
 * then can happen late, in their order, as long as nobody looks at the links.
 */
u64 fabric_quiet_until(void);
/* The same for what is on one link */
u64 fabric_link_quiet_until(const struct fabric_link *link);
/* What has happened until now on all links happens. Called under fabric_lock before
 * anything is read or changed.
 */
void fabric_catch_up(void);
/* A frame was accepted that reached the queue @at; its waiting is counted. */
void fabric_count_waiting(struct fabric_link *link, u64 at, u32 bytes,
			  const struct fabric_times *times);
/* The number of a packet's arrival at a link, under fabric_lock */
u64 fabric_order_next(void);
void fabric_dropped(struct fabric_link *link, enum fabric_verdict why);
/* TCP segments without data take @link alone, in place of their paths. */
void fabric_bare_over(struct fabric_link *link);
void fabric_links_free(void);

/* fabric_line.c: the packets on a link. Packets that have begun to be sent at a time no
 * longer wait; fabric_line_join() puts an accepted packet among the others.
 */
void fabric_line_settle(struct fabric_link *link, u64 now);
void fabric_line_join(struct fabric_link *link, struct fabric_item *item);
/* Drop an item that is on no link. The segment of a frame knows, and stays. */
void fabric_item_drop(struct fabric_item *item);
/* Drop all that is on a link that goes away. */
void fabric_line_free(struct fabric_link *link);

/* fabric_segments.c: segments of TCP that hosts hand down as to a network card
 *
 * Ports that are made while fabric_offloads() take whole segments. Their receivers gather
 * the frames of a segment for @gather_ns.
 */
void fabric_offload(bool wanted, u64 gather_ns);
bool fabric_offloads(void);
/* The frames of a packet that was not sent yet */
unsigned int fabric_frames_of(const struct sk_buff *skb);
/* Whether a segment can be cut without a look at its data */
bool fabric_can_cut(const struct sk_buff *skb);
/* A copy of @count frames of a segment, from number @first on */
struct sk_buff *fabric_cut(struct sk_buff *skb, unsigned int first, unsigned int count);
/* All frames of a segment arrive at @link, which is all of their path. */
void fabric_enter_segment(struct sk_buff *skb, const struct fabric_path *path,
			  struct fabric_link *link, u64 now);
/* A segment is a packet again, as it was before it entered a link. */
void fabric_train_free(struct sk_buff *skb);

/* fabric_gather.c: segments whose frames go from link to link by themselves */
u64 fabric_gather_ns(void);
void fabric_enter_frames(struct sk_buff *skb, const struct fabric_path *path, u64 now);
/* A frame has arrived at the host. Returns what the host gets at once, or NULL. */
struct sk_buff *fabric_frame_arrived(struct fabric_frame *frame, u64 now);
/* A frame is lost or dropped. After that, or after a frame's arrival at a link,
 * fabric_gathered() returns what the host gets now, or NULL. It may free the segment.
 */
void fabric_frame_gone(struct fabric_frame *frame);
/* A frame has reached the last link of its path, if it is not gone. */
void fabric_frame_on_last(struct fabric_frame *frame);
struct sk_buff *fabric_gathered(struct fabric_segment *segment);
/* When the first receiver stops waiting; FABRIC_NEVER if none waits. What it hands over */
u64 fabric_held_until(void);
struct sk_buff *fabric_held_end(void);
/* Whether a receiver waits for a frame that is not on the last link */
bool fabric_held_before_last(void);

/* fabric_heap.c: the links on which packets are, by the first packet's arrival. A link
 * has to be taken out before the first packet changes. All under fabric_lock.
 */
int fabric_heap_grow(unsigned int links);
void fabric_heap_free(void);
void fabric_heap_add(struct fabric_link *link, u64 at_ns, u64 order);
void fabric_heap_next(u64 at_ns, u64 order);	/* the first link's next packet */
void fabric_heap_drop(void);			/* the first link has no packet left */
struct fabric_link *fabric_heap_first(u64 *at_ns);	/* NULL if there is none */
u64 fabric_heap_quiet_until(void);	/* fabric_link_quiet_until() of all links */
/* A packet at the end of @link can reach a host @ahead_ns later. */
void fabric_heap_ahead(struct fabric_link *link, u64 ahead_ns);

/* fabric_paths.c. All that changes the tables is called by one writer of orders at a
 * time; packets are handled under fabric_lock.
 *
 * A pair of addresses, whose paths lead from @low to @high in direction 0
 * @next: the place of the path that the next flow takes, of FABRIC_ROTATE
 */
struct fabric_pair {
	struct hlist_node node;
	__be32 low, high;
	unsigned int next;		/* of FABRIC_ROTATE */
	unsigned int count[2];
	struct fabric_path **paths[2];
};

bool fabric_address_known(__be32 address);
int fabric_address_add(__be32 address, struct fabric_port *port);
/* Links learn from a path how far ahead the host is. Called under fabric_lock. */
void fabric_path_ahead(const struct fabric_path *path);
int fabric_path_add(__be32 from, __be32 to, struct fabric_link **links,
		    unsigned int count);
struct fabric_pair *fabric_pair(__be32 low, __be32 high);
void fabric_paths_free(void);

/* fabric_flows.c */
enum fabric_choice {
	FABRIC_HASH,
	FABRIC_ROTATE,
	FABRIC_RANDOM,
};

void fabric_choose(enum fabric_choice choice);
void fabric_seed(u64 seed);
u64 fabric_seed_of(unsigned int link);
/* The path of a packet whose Ethernet header is at skb->data; NULL if there is none */
const struct fabric_path *fabric_path_of(const struct sk_buff *skb);
/* Whether a packet whose Ethernet header is at skb->data is a TCP segment without data */
bool fabric_bare(const struct sk_buff *skb);
void fabric_flows_free(void);

/* fabric_ports.c */
struct fabric_port *fabric_port_add(const char *name);
void fabric_ports_remove(void);
void fabric_ports_free(void);
int fabric_ports_init(void);

/* fabric_report.c */
struct seq_file;
void fabric_report(struct seq_file *seq);
int fabric_capture(struct fabric_link *link, const char *name, bool full,
		   const char *path);
/* The frames of a packet that have left the queue at @until; whether all have */
bool fabric_captured(struct fabric_link *link, struct fabric_item *item, u64 until);
void fabric_captures_forget(void);

#endif /* __LAB_FABRIC_H */

// SPDX-License-Identifier: GPL-2.0
/* The fabric: links and paths between network namespaces, without a router of Linux
 *
 * A host is a network namespace with its whole stack and one or several ports, which
 * are network devices. What lies between the ports is a table: a path is a list of
 * links, and a link is a queue, a delay, a capacity and losses in one direction. A
 * packet costs one event per link, the arrival at its far end. One timer serves all
 * events.
 *
 * Events between links concern no host. Where hosts hand down whole segments, whose frames
 * have many such events, they happen in the order of their times, but not at these times:
 * the timer waits until a host can get something, and what is due happens before a packet
 * is sent and before anyone looks at the links. Without segments, each event has its
 * timer: waking an idle guest takes virtual time, so results depend on the timers.
 *
 * fabric_orders.c has the orders that are written to /proc/lab_fabric.
 */

#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/tcp.h>

#include "fabric.h"

DEFINE_SPINLOCK(fabric_lock);

static struct fabric_link *links[FABRIC_LINKS];
static unsigned int link_count;
static u64 packet_count;	/* numbers the packets' arrivals at links */
static struct hrtimer fabric_timer;
static bool fabric_running;	/* the timer's function looks at the heap again */
static u64 fabric_armed = FABRIC_NEVER;	/* when the timer expires */
static struct fabric_link *bare_link;	/* of fabric_bare_over() */

/* Reading the clock with interrupts off takes no virtual time. */
u64 fabric_now(void)
{
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	now = ktime_get_ns();
	local_irq_restore(flags);
	return now;
}

void fabric_dropped(struct fabric_link *link, enum fabric_verdict why)
{
	if (why == FABRIC_LOST)
		link->lost++;
	else if (why == FABRIC_RED)
		link->red++;
	else
		link->full++;
}

u64 fabric_order_next(void)
{
	return packet_count++;
}

void fabric_count_waiting(struct fabric_link *link, u64 at, u32 bytes,
			  const struct fabric_times *times)
{
	if (times->begins <= at)
		return;
	link->most_bytes = max(link->most_bytes, link->queue.bytes);
	if (times->begins != FABRIC_NEVER)
		link->waited += bytes * ((times->begins - at) >> 10);
}

void fabric_enter(struct fabric_item *item, struct fabric_link *link, u64 now)
{
	struct fabric_queue *queue = &link->queue;
	enum fabric_verdict verdict = FABRIC_LOST;
	struct fabric_times times;
	u64 at;

	if (!fabric_queue_loses(queue)) {
		at = fabric_queue_reached(queue, now);
		fabric_line_settle(link, fabric_queue_settled(queue, at));
		verdict = fabric_queue_arrival(queue, at, item->bytes, &times);
	}
	if (verdict != FABRIC_ACCEPTED) {
		fabric_dropped(link, verdict);
		fabric_item_drop(item);
		return;
	}
	item->begins = times.begins;
	item->leaves = times.leaves;
	item->arrives = times.arrives;
	item->order = fabric_order_next();
	item->bare = queue->bare_first && item->kind == FABRIC_PACKET &&
		     fabric_bare(fabric_skb(item));
	fabric_line_join(link, item);
	fabric_line_settle(link, fabric_queue_settled(queue, at));
	times.begins = item->begins;
	fabric_count_waiting(link, at, item->bytes, &times);
}

/* The first item of the first link has arrived. Returns what a host gets by it, or NULL. */
static struct sk_buff *fabric_arrived(struct fabric_link *link, u64 now)
{
	struct fabric_item *item = link->head;
	const struct fabric_path *path = fabric_path(item);
	struct fabric_segment *segment;

	fabric_line_settle(link, now);
	if (link->capture)
		fabric_captured(link, item, FABRIC_NEVER);
	link->head = item->next;
	if (link->head) {
		fabric_heap_next(link->head->arrives, link->head->order);
	} else {
		link->tail = NULL;
		fabric_heap_drop();
	}
	link->packets += fabric_frames(item);
	link->bytes += item->bytes;
	item->step++;
	if (item->kind == FABRIC_FRAME) {
		if (item->step == path->count)
			return fabric_frame_arrived(fabric_frame(item), now);
		segment = fabric_frame(item)->segment;
		fabric_enter(item, path->links[item->step], now);
		if (item->step + 1 == path->count)
			fabric_frame_on_last(fabric_frame(item));
		return fabric_gathered(segment);
	}
	if (item->step == path->count)
		return fabric_skb(item);
	fabric_enter(item, path->links[item->step], now);
	return NULL;
}

u64 fabric_due(void)
{
	u64 at_ns = FABRIC_NEVER;

	fabric_heap_first(&at_ns);
	return min(at_ns, fabric_held_until());
}

/* What arrives at the instant at which a receiver stops waiting is still gathered. */
bool fabric_event(u64 now, struct sk_buff **reaches)
{
	u64 at_ns = FABRIC_NEVER, until = fabric_held_until();
	struct fabric_link *link = fabric_heap_first(&at_ns);

	if (min(at_ns, until) > now)
		return false;
	*reaches = at_ns <= until ? fabric_arrived(link, at_ns) : fabric_held_end();
	return true;
}

u64 fabric_link_quiet_until(const struct fabric_link *link)
{
	const struct fabric_item *item = link->head;

	if (!item)
		return FABRIC_NEVER;
	if (link->ahead_ns)
		return fabric_later(item->arrives, link->ahead_ns);
	while (item->kind == FABRIC_FRAME && fabric_frame_followed(item))
		item = item->next;
	return item->arrives;
}

u64 fabric_quiet_until(void)
{
	if (!fabric_offloads() || fabric_held_before_last())
		return fabric_due();
	return min(fabric_heap_quiet_until(), fabric_held_until());
}

static void fabric_arm(u64 at_ns)
{
	if (fabric_armed <= at_ns)
		return;
	fabric_armed = at_ns;
	hrtimer_start(&fabric_timer, ns_to_ktime(at_ns), HRTIMER_MODE_ABS_SOFT);
}

/* In a process, the events of this instant have happened before: their timer would have
 * interrupted it. Among timers of one instant, the one of the fabric is the last.
 */
void fabric_catch_up(void)
{
	u64 until = fabric_now();
	struct sk_buff *skb;

	if (!fabric_offloads() || fabric_running || !until)
		return;
	if (in_serving_softirq())
		until--;
	/* Where the timer is late, the rest is its own. */
	until = min(until, fabric_armed - 1);
	while (fabric_event(until, &skb))
		if (WARN_ON_ONCE(skb))
			kfree_skb(skb);
}

/* Behind the first link of several, other packets can come between the frames of a
 * segment, and where bare packets are sent first, they can on the only link.
 */
void fabric_send(const struct fabric_path *path, struct sk_buff *skb)
{
	struct fabric_item *item = fabric_item(skb);
	struct fabric_link *link = path->links[0];

	fabric_catch_up();
	fabric_set_path(skb, path);
	item->kind = FABRIC_PACKET;
	item->step = 0;
	item->bytes = skb->len;
	if (bare_link && fabric_bare(skb)) {
		item->step = path->count - 1;
		link = bare_link;
		fabric_enter(item, link, fabric_now());
	} else if (!skb_is_gso(skb)) {
		fabric_enter(item, link, fabric_now());
	} else if (path->count > 1 || link->queue.bare_first) {
		fabric_enter_frames(skb, path, fabric_now());
	} else {
		fabric_enter_segment(skb, path, link, fabric_now());
	}
	if (fabric_running)
		return;
	fabric_arm(fabric_offloads() ? fabric_link_quiet_until(link) : fabric_due());
}

void fabric_bare_over(struct fabric_link *link)
{
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	fabric_heap_ahead(link, 0);
	bare_link = link;
	spin_unlock_bh(&fabric_lock);
}

static void fabric_count_delivered(struct net_device *dev, unsigned int frames, u32 bytes)
{
	struct pcpu_sw_netstats *stats = this_cpu_ptr(dev->tstats);

	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_add(&stats->rx_packets, frames);
	u64_stats_update_end(&stats->syncp);
}

static void fabric_deliver(struct sk_buff *skb)
{
	unsigned int frames = fabric_frames_of(skb);
	const struct fabric_path *path;
	struct net_device *dev;
	u32 bytes = skb->len;

	if (frames > 1)
		bytes += (frames - 1) * skb_tcp_all_headers(skb);
	fabric_train_free(skb);
	path = fabric_path(fabric_item(skb));
	skb->dev_scratch = 0;
	rcu_read_lock();
	dev = rcu_dereference(path->to->dev);
	if (!dev || !(dev->flags & IFF_UP)) {
		rcu_read_unlock();
		kfree_skb(skb);
		return;
	}
	fabric_count_delivered(dev, frames, bytes);
	skb->protocol = eth_type_trans(skb, dev);
	skb->pkt_type = PACKET_HOST;
	netif_receive_skb(skb);
	rcu_read_unlock();
}

static enum hrtimer_restart fabric_events(struct hrtimer *timer)
{
	u64 now = fabric_now();
	struct sk_buff *skb;

	spin_lock(&fabric_lock);
	fabric_running = true;
	fabric_armed = FABRIC_NEVER;
	while (fabric_event(now, &skb)) {
		if (!skb)
			continue;
		/* The host may answer at once. */
		spin_unlock(&fabric_lock);
		fabric_deliver(skb);
		spin_lock(&fabric_lock);
	}
	fabric_running = false;
	fabric_arm(fabric_quiet_until());
	spin_unlock(&fabric_lock);
	return HRTIMER_NORESTART;
}

struct fabric_link *fabric_link(unsigned int id)
{
	return id < link_count ? links[id] : NULL;
}

unsigned int fabric_links(void)
{
	return link_count;
}

/* A new link, whose number is that of links before; an error pointer if there are
 * too many.
 */
struct fabric_link *fabric_link_add(void)
{
	struct fabric_link *link;

	if (link_count == FABRIC_LINKS)
		return ERR_PTR(-ENOSPC);
	if (fabric_heap_grow(link_count + 1))
		return ERR_PTR(-ENOMEM);
	link = kzalloc_obj(*link, GFP_KERNEL);
	if (!link)
		return ERR_PTR(-ENOMEM);
	link->id = link_count;
	link->ahead_ns = FABRIC_NEVER;
	prandom_seed_state(&link->queue.random, fabric_seed_of(link->id));
	links[link_count++] = link;
	return link;
}

/* Called when no port is left that could send. */
void fabric_links_free(void)
{
	unsigned int id;

	hrtimer_cancel(&fabric_timer);
	fabric_armed = FABRIC_NEVER;
	for (id = 0; id < link_count; id++)
		fabric_line_free(links[id]);
	for (id = 0; id < link_count; id++) {
		kvfree(links[id]->queue.rate.steps);
		kfree(links[id]);
		links[id] = NULL;
	}
	bare_link = NULL;
	link_count = 0;
	packet_count = 0;
	fabric_heap_free();
}

static int __init fabric_register(void)
{
	BUILD_BUG_ON(sizeof(struct fabric_item) > sizeof_field(struct sk_buff, cb));
	hrtimer_setup(&fabric_timer, fabric_events, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	return fabric_ports_init();
}
device_initcall(fabric_register);

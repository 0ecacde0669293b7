// SPDX-License-Identifier: GPL-2.0
/* The addresses of the fabric, and the paths between two of them */

#include <linux/hashtable.h>
#include <linux/slab.h>

#include "fabric.h"

#define FABRIC_BITS	12

struct fabric_address {
	struct hlist_node node;
	struct fabric_port *port;
	__be32 address;
};

static DEFINE_HASHTABLE(addresses, FABRIC_BITS);
static DEFINE_HASHTABLE(pairs, FABRIC_BITS);
static unsigned int path_count, step_count;

static struct fabric_port *fabric_port_of(__be32 address)
{
	struct fabric_address *entry;

	hash_for_each_possible(addresses, entry, node, (__force u32)address)
		if (entry->address == address)
			return entry->port;
	return NULL;
}

bool fabric_address_known(__be32 address)
{
	return fabric_port_of(address);
}

int fabric_address_add(__be32 address, struct fabric_port *port)
{
	struct fabric_address *entry = kzalloc_obj(*entry, GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	entry->address = address;
	entry->port = port;
	hash_add(addresses, &entry->node, (__force u32)address);
	return 0;
}

struct fabric_pair *fabric_pair(__be32 low, __be32 high)
{
	u64 key = (u64)(__force u32)low << 32 | (__force u32)high;
	struct fabric_pair *pair;

	hash_for_each_possible(pairs, pair, node, key)
		if (pair->low == low && pair->high == high)
			return pair;
	return NULL;
}

static struct fabric_pair *fabric_pair_make(__be32 low, __be32 high)
{
	struct fabric_pair *pair = fabric_pair(low, high);

	if (pair)
		return pair;
	pair = kzalloc_obj(*pair, GFP_KERNEL);
	if (!pair)
		return NULL;
	pair->low = low;
	pair->high = high;
	spin_lock_bh(&fabric_lock);
	hash_add(pairs, &pair->node, (u64)(__force u32)low << 32 | (__force u32)high);
	spin_unlock_bh(&fabric_lock);
	return pair;
}

/* Add a path to a pair. Packets may flow, so the list is replaced and not changed. */
static int fabric_pair_add(struct fabric_pair *pair, bool back, struct fabric_path *path)
{
	unsigned int count = pair->count[back];
	struct fabric_path **list, **old = pair->paths[back];

	if (count == FABRIC_ALTERNATIVES)
		return -ENOSPC;
	list = kmalloc_objs(*list, count + 1, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	if (count)
		memcpy(list, old, count * sizeof(*list));
	list[count] = path;
	spin_lock_bh(&fabric_lock);
	pair->paths[back] = list;
	pair->count[back]++;
	spin_unlock_bh(&fabric_lock);
	kfree(old);
	return 0;
}

static u64 fabric_least_delay(const struct fabric_queue *queue)
{
	return queue->delay_ns - min(queue->delay_ns, queue->jitter_ns);
}

void fabric_path_ahead(const struct fabric_path *path)
{
	unsigned int at = path->count;
	u64 ahead_ns = 0;

	while (at--) {
		fabric_heap_ahead(path->links[at], ahead_ns);
		ahead_ns += fabric_least_delay(&path->links[at]->queue);
	}
}

int fabric_path_add(__be32 from, __be32 to, struct fabric_link **links,
		    unsigned int count)
{
	bool back = ntohl(from) > ntohl(to);
	struct fabric_port *port = fabric_port_of(to);
	struct fabric_pair *pair;
	struct fabric_path *path;
	int error;

	if (!port || !fabric_port_of(from))
		return -ENXIO;
	if (path_count >= FABRIC_PATHS || step_count + count > FABRIC_PATH_STEPS)
		return -ENOSPC;
	pair = back ? fabric_pair_make(to, from) : fabric_pair_make(from, to);
	path = kzalloc_flex(*path, links, count, GFP_KERNEL);
	if (!pair || !path) {
		kfree(path);
		return -ENOMEM;
	}
	path->count = count;
	path->to = port;
	memcpy(path->links, links, count * sizeof(*links));
	spin_lock_bh(&fabric_lock);
	fabric_catch_up();
	fabric_path_ahead(path);
	spin_unlock_bh(&fabric_lock);
	error = fabric_pair_add(pair, back, path);
	if (error) {
		kfree(path);
		return error;
	}
	path_count++;
	step_count += count;
	return 0;
}

static void fabric_pair_free(struct fabric_pair *pair)
{
	unsigned int at;
	int way;

	for (way = 0; way < 2; way++) {
		for (at = 0; at < pair->count[way]; at++)
			kfree(pair->paths[way][at]);
		kfree(pair->paths[way]);
	}
	kfree(pair);
}

/* Called when no packet is left in the fabric, and no port that could send. */
void fabric_paths_free(void)
{
	struct fabric_address *address;
	struct fabric_pair *pair;
	struct hlist_node *next;
	int at;

	fabric_flows_free();
	hash_for_each_safe(pairs, at, next, pair, node) {
		hash_del(&pair->node);
		fabric_pair_free(pair);
	}
	hash_for_each_safe(addresses, at, next, address, node) {
		hash_del(&address->node);
		kfree(address);
	}
	path_count = 0;
	step_count = 0;
}

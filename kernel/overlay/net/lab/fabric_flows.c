// SPDX-License-Identifier: GPL-2.0
/* Which of several paths a flow takes
 *
 * A flow (a pair of addresses and ports) keeps its path. Its way back takes the path of
 * the same place in the list, so that acknowledgements do not wander.
 */

#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/ip.h>

#include "fabric.h"

#define FABRIC_BITS	13

/* The same for both ways of a flow */
struct fabric_ends {
	__be32 low, high;
	__be16 low_port, high_port;
	u32 protocol;
};

struct fabric_flow {
	struct hlist_node node;
	struct fabric_ends ends;
	const struct fabric_path *paths[2];
};

static DEFINE_HASHTABLE(flows, FABRIC_BITS);
static unsigned int flow_count;
static enum fabric_choice choice;
static u64 seed;
static struct rnd_state random_choice;

void fabric_choose(enum fabric_choice wanted)
{
	choice = wanted;
}

void fabric_seed(u64 wanted)
{
	seed = wanted;
	prandom_seed_state(&random_choice, fabric_seed_of(FABRIC_LINKS));
}

/* Each link draws numbers of its own, whatever happens at other links. */
u64 fabric_seed_of(unsigned int link)
{
	u64 mixed = seed + (link + 1) * 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	return mixed ^ (mixed >> 31);
}

/* The ends of a packet's flow. Returns false for what is not IPv4. */
static bool fabric_ends_of(const struct sk_buff *skb, struct fabric_ends *ends,
			   bool *back)
{
	const struct ethhdr *eth = (const void *)skb->data;
	__be16 copied[2] = { 0, 0 };
	const __be16 *ports = copied;
	struct iphdr ip_copy;
	const struct iphdr *ip;

	if (skb->len < ETH_HLEN || eth->h_proto != htons(ETH_P_IP))
		return false;
	ip = skb_header_pointer(skb, ETH_HLEN, sizeof(ip_copy), &ip_copy);
	if (!ip)
		return false;
	if ((ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP) &&
	    !(ip->frag_off & htons(IP_OFFSET | IP_MF)))
		ports = skb_header_pointer(skb, ETH_HLEN + ip->ihl * 4, sizeof(copied),
					   copied);
	if (!ports)
		return false;
	*back = ntohl(ip->saddr) > ntohl(ip->daddr);
	ends->low = *back ? ip->daddr : ip->saddr;
	ends->high = *back ? ip->saddr : ip->daddr;
	ends->low_port = ports[*back];
	ends->high_port = ports[!*back];
	ends->protocol = ip->protocol;
	return true;
}

bool fabric_bare(const struct sk_buff *skb)
{
	const struct ethhdr *eth = (const void *)skb->data;
	struct tcphdr tcp_copy;
	struct iphdr ip_copy;
	const struct tcphdr *tcp;
	const struct iphdr *ip;

	if (skb->len < ETH_HLEN || eth->h_proto != htons(ETH_P_IP))
		return false;
	ip = skb_header_pointer(skb, ETH_HLEN, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_TCP || (ip->frag_off & htons(IP_OFFSET | IP_MF)))
		return false;
	tcp = skb_header_pointer(skb, ETH_HLEN + ip->ihl * 4, sizeof(tcp_copy), &tcp_copy);
	return tcp && ntohs(ip->tot_len) == ip->ihl * 4 + tcp->doff * 4;
}

static u32 fabric_hash(const struct fabric_ends *ends)
{
	return jhash2((const u32 *)ends, sizeof(*ends) / sizeof(u32),
		      (u32)seed ^ (u32)(seed >> 32));
}

/* The place, in the list of paths, of the path that a new flow takes */
static u32 fabric_alternative(struct fabric_pair *pair, u32 hash, enum fabric_choice how)
{
	if (how == FABRIC_ROTATE)
		return pair->next++;
	return how == FABRIC_RANDOM ? prandom_u32_state(&random_choice) : hash;
}

const struct fabric_path *fabric_path_of(const struct sk_buff *skb)
{
	const struct fabric_path *paths[2] = {};
	struct fabric_flow *flow = NULL;
	struct fabric_ends ends;
	struct fabric_pair *pair;
	u32 hash, alternative;
	bool back;
	int way;

	if (!fabric_ends_of(skb, &ends, &back))
		return NULL;
	hash = fabric_hash(&ends);
	hash_for_each_possible(flows, flow, node, hash)
		if (!memcmp(&flow->ends, &ends, sizeof(ends)))
			return flow->paths[back];

	pair = fabric_pair(ends.low, ends.high);
	if (!pair || !pair->count[back])
		return NULL;
	if (flow_count < FABRIC_FLOWS)
		flow = kzalloc_obj(*flow, GFP_ATOMIC);
	/* If the table is full, both ways find the same path by its hash. */
	alternative = fabric_alternative(pair, hash, flow ? choice : FABRIC_HASH);
	for (way = 0; way < 2; way++)
		if (pair->count[way])
			paths[way] = pair->paths[way][alternative % pair->count[way]];
	if (flow) {
		flow->ends = ends;
		memcpy(flow->paths, paths, sizeof(paths));
		hash_add(flows, &flow->node, hash);
		flow_count++;
	}
	return paths[back];
}

void fabric_flows_free(void)
{
	struct fabric_flow *flow;
	struct hlist_node *next;
	int at;

	hash_for_each_safe(flows, at, next, flow, node) {
		hash_del(&flow->node);
		kfree(flow);
	}
	flow_count = 0;
	choice = FABRIC_HASH;
	fabric_seed(0);
}

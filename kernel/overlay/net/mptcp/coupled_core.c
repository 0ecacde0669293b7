// SPDX-License-Identifier: GPL-2.0
/* The core that the coupled congestion controllers share; see coupled_core.h.
 *
 * Lifetime. Only .init attaches a subflow, and only .release detaches it. Both are
 * called with the subflow's socket lock held, and .release only after .init. The
 * other callbacks also run before .init (pkts_acked on the SYN-ACK, set_state from
 * tcp_disconnect() and on a child of a listener). The private area is all zero then,
 * and they do nothing. A connection lives as long as it has slots.
 *
 * Locking. coupled_lock guards the hash, the lists of slots and the counts; only
 * attaching and detaching take it. A subflow writes the numbers of its slot under its
 * socket lock, and anyone may read them under RCU. Each number is a single word that
 * has a meaning by itself: a reader that sees an old window together with a new
 * round-trip time is wrong by one ACK.
 */

#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <net/netns/generic.h>

#include "coupled_slot.h"
#include "growth.h"
#include "lab.h"
#include "protocol.h"

#define COUPLED_HASH_BITS	8

static DEFINE_HASHTABLE(coupled_hash, COUPLED_HASH_BITS);
static DEFINE_SPINLOCK(coupled_lock);
static unsigned int coupled_net_id __read_mostly;

struct coupled_counts *coupled_counts(const struct net *net)
{
	return net_generic(net, coupled_net_id);
}

static struct coupled_conn *coupled_find(const struct net *net, u32 token)
{
	struct coupled_conn *conn;

	hash_for_each_possible_rcu(coupled_hash, conn, node, token,
				   lockdep_is_held(&coupled_lock))
		if (conn->token == token && !conn->plain &&
		    net_eq(read_pnet(&conn->net), net))
			return conn;
	return NULL;
}

static u32 coupled_token(const struct sock *sk)
{
	return sk_is_mptcp(sk) && mptcp_subflow_ctx(sk) ?
	       mptcp_subflow_ctx(sk)->token : 0;
}

static void coupled_set_own(struct sock *sk, struct coupled_slot *slot)
{
	struct coupled_area *area = inet_csk_ca(sk);

	area->slot = slot;
}

const struct coupled_slot *coupled_slot_of(const struct sock *sk)
{
	const struct coupled_conn *conn;
	const struct coupled_slot *slot;
	u32 token = coupled_token(sk);

	hash_for_each_possible_rcu(coupled_hash, conn, node, token)
		if (conn->token == token)
			list_for_each_entry_rcu(slot, &conn->slots, list)
				if (slot->owner == sk)
					return slot;
	return NULL;
}

void coupled_visit_slots(const struct net *net, coupled_visit_t visit, void *data)
{
	const struct coupled_conn *conn;
	const struct coupled_slot *slot;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(coupled_hash, bucket, conn, node) {
		if (!net_eq(read_pnet(&conn->net), net))
			continue;
		list_for_each_entry_rcu(slot, &conn->slots, list)
			visit(slot, net, data);
	}
	rcu_read_unlock();
}

/* During CWR and Recovery, PRR moves the window about its target, and RFC 6356 asks
 * for ssthresh in its place. After an undo ssthresh can be infinite.
 */
static u32 coupled_window(const struct sock *sk, u8 state)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 window = tcp_snd_cwnd(tp);

	if ((state == TCP_CA_CWR || state == TCP_CA_Recovery) &&
	    tp->snd_ssthresh < TCP_INFINITE_SSTHRESH)
		window = tp->snd_ssthresh;
	return clamp(window, 1U, COUPLED_CWND_MAX);
}

static void coupled_publish(const struct sock *sk, struct coupled_slot *slot,
			    u8 state)
{
	WRITE_ONCE(slot->cwnd, coupled_window(sk, state));
	WRITE_ONCE(slot->srtt, min(tcp_sk(sk)->srtt_us, COUPLED_SRTT_MAX));
	WRITE_ONCE(slot->since_loss,
		   tcp_sk(sk)->bytes_acked - slot->acked_at_loss);
}

/* Linux reduces the window once for all losses of one flight. */
static void coupled_count_loss(const struct sock *sk, struct coupled_slot *slot)
{
	u64 acked = tcp_sk(sk)->bytes_acked;

	WRITE_ONCE(slot->between_losses, acked - slot->acked_at_loss);
	WRITE_ONCE(slot->since_loss, 0);
	slot->acked_at_loss = acked;
}

/* A plain TCP is a connection of its own. */
static struct coupled_slot *coupled_attach(struct sock *sk, bool plain,
					   const struct coupled_law *law)
{
	struct coupled_conn *conn = NULL, *new_conn;
	struct net *net = sock_net(sk);
	u32 token = coupled_token(sk);
	struct coupled_slot *slot;

	slot = kzalloc(sizeof(*slot) + law->private, GFP_ATOMIC);
	new_conn = kzalloc_obj(*new_conn, GFP_ATOMIC);
	if (!slot || !new_conn) {
		kfree(slot);
		kfree(new_conn);
		return NULL;
	}
	slot->law = law;
	slot->controller = inet_csk(sk)->icsk_ca_ops->name;
	slot->owner = sk;
	if (!plain) {
		slot->local_id = READ_ONCE(mptcp_subflow_ctx(sk)->local_id);
		slot->remote_id = READ_ONCE(mptcp_subflow_ctx(sk)->remote_id);
	}
	coupled_publish(sk, slot, inet_csk(sk)->icsk_ca_state);

	spin_lock_bh(&coupled_lock);
	if (!plain)
		conn = coupled_find(net, token);
	if (!conn) {
		conn = new_conn;
		new_conn = NULL;
		conn->token = token;
		conn->plain = plain;
		write_pnet(&conn->net, net);
		INIT_LIST_HEAD(&conn->slots);
		hash_add_rcu(coupled_hash, &conn->node, token);
		atomic_inc(&coupled_counts(net)->connections);
	}
	slot->conn = conn;
	list_add_tail_rcu(&slot->list, &conn->slots);
	WRITE_ONCE(conn->count, conn->count + 1);
	atomic_inc(&coupled_counts(net)->slots);
	spin_unlock_bh(&coupled_lock);

	kfree(new_conn);
	return slot;
}

static void coupled_detach(struct net *net, struct coupled_slot *slot)
{
	struct coupled_conn *conn = slot->conn;

	spin_lock_bh(&coupled_lock);
	list_del_rcu(&slot->list);
	WRITE_ONCE(conn->count, conn->count - 1);
	atomic_dec(&coupled_counts(net)->slots);
	if (!conn->count) {
		hash_del_rcu(&conn->node);
		atomic_dec(&coupled_counts(net)->connections);
		kfree_rcu(conn, rcu);
	}
	spin_unlock_bh(&coupled_lock);

	kfree_rcu(slot, rcu);
}

/* Without MPTCP, or without memory for a slot, the subflow runs Reno. */
void coupled_init(struct sock *sk, const struct coupled_law *law)
{
	bool plain = !sk_is_mptcp(sk) || !mptcp_subflow_ctx(sk);
	struct coupled *priv = coupled_priv(sk);
	struct coupled_slot *slot;

	BUILD_BUG_ON(sizeof(struct coupled_area) > ICSK_CA_PRIV_SIZE);

	memset(priv, 0, sizeof(*priv));
	coupled_set_own(sk, NULL);
	if (plain && !law->plain)
		return;

	slot = coupled_attach(sk, plain, law);
	coupled_set_own(sk, slot);
	if (!slot)
		atomic_inc(&coupled_counts(sock_net(sk))->refused);
}

void coupled_release(struct sock *sk)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (slot)
		coupled_detach(sock_net(sk), slot);
	coupled_set_own(sk, NULL);
}

/* Called before icsk_ca_state changes. The fraction of a segment not yet applied is
 * dropped when the window is reduced, as in Reno.
 */
void coupled_set_state(struct sock *sk, u8 new_state)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (!slot)
		return;
	if (new_state >= TCP_CA_CWR)
		coupled_priv(sk)->credit = 0;
	coupled_publish(sk, slot, new_state);
}

void coupled_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (slot)
		coupled_publish(sk, slot, inet_csk(sk)->icsk_ca_state);
}

bool coupled_alone(const struct sock *sk)
{
	const struct coupled_slot *slot = coupled_own(sk);

	return !slot || READ_ONCE(slot->conn->count) == 1;
}

static bool coupled_read(const struct coupled_slot *slot,
			 struct coupled_path *path)
{
	path->cwnd = READ_ONCE(slot->cwnd);
	path->srtt = READ_ONCE(slot->srtt);
	path->interloss = max(READ_ONCE(slot->between_losses),
			      READ_ONCE(slot->since_loss));
	return path->srtt;
}

unsigned int coupled_snapshot(const struct coupled_slot *own,
			      struct coupled_path *paths)
{
	const struct coupled_slot *slot;
	unsigned int count = 1;
	u32 joined = 0;

	if (!coupled_read(own, &paths[0]))
		return 0;

	/* beyond COUPLED_PATHS_MAX slots the position of @own may remain unknown */
	paths[0].joined = U32_MAX;
	rcu_read_lock();
	list_for_each_entry_rcu(slot, &own->conn->slots, list) {
		joined++;
		if (slot == own) {
			paths[0].joined = joined;
			continue;
		}
		if (count == COUPLED_PATHS_MAX)
			break;
		if (coupled_read(slot, &paths[count]))
			paths[count++].joined = joined;
	}
	rcu_read_unlock();
	return count;
}

u32 coupled_parameter(const struct coupled_slot *slot, const struct net *net)
{
	return slot->law->parameter ? slot->law->parameter(net) : 0;
}

/* Add up fractions of a segment, and move the window by whole segments. */
static void coupled_grow(struct sock *sk, struct coupled *priv, s64 increase,
			 u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	s64 segments;

	priv->credit += increase * (s64)min(acked, COUPLED_CWND_MAX);
	segments = priv->credit / COUPLED_ONE;
	if (!segments)
		return;
	priv->credit -= segments * COUPLED_ONE;
	tcp_snd_cwnd_set(tp, clamp_t(s64, tcp_snd_cwnd(tp) + segments, 1,
				     tp->snd_cwnd_clamp));
}

void coupled_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	struct coupled *priv = coupled_priv(sk);
	struct coupled_slot *slot = coupled_own(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	unsigned int count;
	s64 growth;

	if (coupled_alone(sk)) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	if (!tcp_is_cwnd_limited(sk))
		return;
	acked = growth_acked(sk, acked);
	if (growth_at_ssthresh(sk))
		goto publish;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			goto publish;
	}
	if (lab_get(sock_net(sk), LAB_COUPLED_COUNT_ACKS))
		acked = min(acked, 1U);

	coupled_publish(sk, slot, TCP_CA_Open);
	count = coupled_snapshot(slot, paths);
	growth = count > 1 ? slot->law->increase(paths, count,
					coupled_parameter(slot, sock_net(sk))) :
			     coupled_reno_increase(tcp_snd_cwnd(tp));
	WRITE_ONCE(slot->increase, growth);
	coupled_grow(sk, priv, growth, acked);
publish:
	coupled_publish(sk, slot, TCP_CA_Open);
}

noinline_for_stack u32 coupled_keep(const struct coupled_slot *slot,
				    const struct net *net, u32 cwnd)
{
	struct coupled_path paths[COUPLED_PATHS_MAX];
	unsigned int count;

	if (!slot->law->keep && !slot->law->keep_own)
		return cwnd / 2;
	count = coupled_snapshot(slot, paths);
	if (count < 2)
		return cwnd / 2;
	paths[0].cwnd = clamp(cwnd, 1U, COUPLED_CWND_MAX);
	if (slot->law->keep_own)
		return slot->law->keep_own(slot->private, paths[0].cwnd,
					   coupled_parameter(slot, net));
	return slot->law->keep(paths, count, coupled_parameter(slot, net));
}

u32 coupled_ssthresh(struct sock *sk)
{
	u32 min_ssthresh = lab_get(sock_net(sk), LAB_MIN_SSTHRESH);
	struct coupled_slot *slot = coupled_own(sk);

	if (slot)
		coupled_count_loss(sk, slot);
	if (coupled_alone(sk))
		return tcp_reno_ssthresh(sk);
	if (!min_ssthresh)
		min_ssthresh = slot->law->min_ssthresh;
	return max(coupled_keep(slot, sock_net(sk), tcp_snd_cwnd(tcp_sk(sk))),
		   min_ssthresh);
}

void coupled_note(const struct sock *sk, s64 alpha, u32 base_rtt_us)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (!slot)
		return;
	WRITE_ONCE(slot->alpha, alpha);
	WRITE_ONCE(slot->base_rtt_us, base_rtt_us);
	coupled_publish(sk, slot, inet_csk(sk)->icsk_ca_state);
}

void *coupled_private(const struct sock *sk)
{
	struct coupled_slot *slot = coupled_own(sk);

	return slot ? slot->private : NULL;
}

void coupled_publish_rate(const struct sock *sk, u64 rate, u32 state)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (!slot)
		return;
	WRITE_ONCE(slot->rate, rate);
	WRITE_ONCE(slot->state, state);
}

u64 coupled_other_rates(const struct sock *sk)
{
	const struct coupled_slot *own = coupled_own(sk), *slot;
	u64 sum = 0;

	if (coupled_alone(sk))
		return 0;
	rcu_read_lock();
	list_for_each_entry_rcu(slot, &own->conn->slots, list)
		if (slot != own)
			sum += READ_ONCE(slot->rate);
	rcu_read_unlock();
	return sum;
}

void coupled_visit_others(const struct sock *sk,
			  void (*visit)(const void *private, void *data), void *data)
{
	const struct coupled_slot *own = coupled_own(sk), *slot;

	if (coupled_alone(sk))
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(slot, &own->conn->slots, list)
		if (slot != own && slot->law == own->law)
			visit(slot->private, data);
	rcu_read_unlock();
}

void coupled_note_interval(const struct sock *sk,
			   const struct coupled_interval *interval)
{
	struct coupled_slot *slot = coupled_own(sk);

	if (!slot)
		return;
	WRITE_ONCE(slot->interval.number, slot->interval.number + 1);
	WRITE_ONCE(slot->interval.rate, interval->rate);
	WRITE_ONCE(slot->interval.utility, interval->utility);
	WRITE_ONCE(slot->interval.loss, interval->loss);
	WRITE_ONCE(slot->interval.slope, interval->slope);
}

static void __net_exit coupled_net_exit(struct net *net)
{
	const struct coupled_counts *counts = coupled_counts(net);

	WARN_ON_ONCE(atomic_read(&counts->slots) || atomic_read(&counts->connections));
}

static struct pernet_operations coupled_net_ops = {
	.exit	= coupled_net_exit,
	.id	= &coupled_net_id,
	.size	= sizeof(struct coupled_counts),
};

static int __init coupled_core_register(void)
{
	return register_pernet_subsys(&coupled_net_ops);
}
/* before the controllers, which are registered by device_initcall */
fs_initcall(coupled_core_register);

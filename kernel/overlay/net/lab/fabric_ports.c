// SPDX-License-Identifier: GPL-2.0
/* The ports of the fabric: network devices, each in the namespace of a host
 *
 * A port belongs to the table until the order `end`, but its device goes with its
 * namespace. Packets to a port without a device are dropped.
 */

#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>

#include "fabric.h"

static struct fabric_port *ports[FABRIC_PORTS];
static unsigned int port_count;

struct fabric_device {
	struct fabric_port *port;
};

static netdev_tx_t fabric_xmit(struct sk_buff *skb, struct net_device *dev)
{
	const struct fabric_path *path;
	unsigned int frames = fabric_frames_of(skb), length = skb->len;

	if (frames > 1)
		length += (frames - 1) * skb_tcp_all_headers(skb);

	skb_orphan(skb);
	skb_scrub_packet(skb, true);
	skb->dev = NULL;
	spin_lock(&fabric_lock);
	path = fabric_path_of(skb);
	if (path)
		fabric_send(path, skb);
	spin_unlock(&fabric_lock);
	if (path) {
		dev_sw_netstats_tx_add(dev, frames, length);
	} else {
		DEV_STATS_INC(dev, tx_dropped);
		kfree_skb(skb);
	}
	return NETDEV_TX_OK;
}

static void fabric_uninit(struct net_device *dev)
{
	struct fabric_device *device = netdev_priv(dev);

	RCU_INIT_POINTER(device->port->dev, NULL);
}

/* A queue counts packets, so none may be of several segments, unless the fabric knows
 * their frames.
 */
static netdev_features_t fabric_fix_features(struct net_device *dev,
					     netdev_features_t features)
{
	if (!fabric_offloads())
		features &= ~NETIF_F_GSO;
	return features & ~NETIF_F_GRO;
}

/* The stack cuts a segment that the fabric cannot cut. */
static netdev_features_t fabric_features_check(struct sk_buff *skb,
					       struct net_device *dev,
					       netdev_features_t features)
{
	if (skb_is_gso(skb) && !fabric_can_cut(skb))
		return features & ~NETIF_F_GSO_MASK;
	return features;
}

static const struct net_device_ops fabric_ops = {
	.ndo_uninit		= fabric_uninit,
	.ndo_start_xmit		= fabric_xmit,
	.ndo_fix_features	= fabric_fix_features,
	.ndo_features_check	= fabric_features_check,
	.ndo_set_mac_address	= eth_mac_addr,
};

static void fabric_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &fabric_ops;
	dev->flags |= IFF_NOARP;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->lltx = true;
	dev->netns_immutable = true;
	dev->needs_free_netdev = true;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	dev->features |= NETIF_F_HW_CSUM | NETIF_F_SG | NETIF_F_HIGHDMA;
	dev->hw_features |= NETIF_F_HW_CSUM | NETIF_F_SG;
	if (fabric_offloads()) {
		dev->features |= NETIF_F_GSO | NETIF_F_TSO | NETIF_F_TSO_ECN;
		dev->hw_features |= NETIF_F_GSO | NETIF_F_TSO | NETIF_F_TSO_ECN;
		netif_set_tso_max_segs(dev, FABRIC_FRAMES);
	}
	dev->max_mtu = ETH_MAX_MTU;
}

/* It has no setup, so that `ip link add` cannot make a port. */
static struct rtnl_link_ops fabric_link_ops __read_mostly = {
	.kind		= "fabric",
	.priv_size	= sizeof(struct fabric_device),
	.dellink	= unregister_netdevice_queue,
};

static int fabric_device_add(struct fabric_port *port, const char *name)
{
	struct fabric_device *device;
	struct net_device *dev;
	u8 address[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
	int error;

	dev = alloc_netdev(sizeof(*device), name, NET_NAME_USER, fabric_setup);
	if (!dev)
		return -ENOMEM;
	device = netdev_priv(dev);
	device->port = port;
	address[3] = port->number >> 8;
	address[4] = port->number;
	eth_hw_addr_set(dev, address);
	dev_net_set(dev, current->nsproxy->net_ns);
	dev->rtnl_link_ops = &fabric_link_ops;
	rtnl_lock();
	error = register_netdevice(dev);
	if (!error)
		rcu_assign_pointer(port->dev, dev);
	rtnl_unlock();
	if (error)
		free_netdev(dev);
	return error;
}

/* Make a port in the namespace of the writer; returns an error pointer if it cannot be
 * made.
 */
struct fabric_port *fabric_port_add(const char *name)
{
	struct fabric_port *port;
	int error;

	if (port_count == FABRIC_PORTS)
		return ERR_PTR(-ENOSPC);
	if (!dev_valid_name(name) || strchr(name, '%'))
		return ERR_PTR(-EINVAL);
	port = kzalloc_obj(*port, GFP_KERNEL);
	if (!port)
		return ERR_PTR(-ENOMEM);
	port->number = port_count + 1;
	error = fabric_device_add(port, name);
	if (error) {
		kfree(port);
		return ERR_PTR(error);
	}
	ports[port_count++] = port;
	return port;
}

/* Remove the devices that are left. When this returns, none sends any more. */
void fabric_ports_remove(void)
{
	struct net_device *dev;
	LIST_HEAD(leaving);
	unsigned int at;

	rtnl_lock();
	for (at = 0; at < port_count; at++) {
		dev = rtnl_dereference(ports[at]->dev);
		if (dev)
			unregister_netdevice_queue(dev, &leaving);
	}
	unregister_netdevice_many(&leaving);
	rtnl_unlock();
}

/* Called when no packet and no path is left that knows a port. */
void fabric_ports_free(void)
{
	while (port_count)
		kfree(ports[--port_count]);
}

int fabric_ports_init(void)
{
	return rtnl_link_register(&fabric_link_ops);
}

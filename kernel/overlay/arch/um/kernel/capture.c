// SPDX-License-Identifier: GPL-2.0
/* Captures (pcap) of the packets at interfaces, in files of the host
 *
 * Commands are written to /proc/lab_capture:
 *	INTERFACE headers|full FILE	begin, at an interface of the writer's network
 *					namespace
 *	end				end all captures; the write returns the first
 *					error of the host's files
 * Reading it gives one line per capture: interface, packets and bytes.
 *
 * Packets are taken where tcpdump takes them (dev_add_pack()), so that a capture behind
 * a queue shows the packets that left the queue. `headers` keeps the headers of TCP with
 * all options, and skips packets that are neither TCP nor IPv6.
 *
 * A capture can also be a tap: other code of the kernel hands it the packets
 * (asm/lab_capture.h).
 */

#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tcp.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <asm/lab_capture.h>
#include <host_log.h>

#define PCAP_NANOSECONDS	0xa1b23c4d
#define PCAP_ETHERNET		1
#define CAPTURE_FULL		65536
/* Bytes kept of IPv6: the headers of Ethernet and IP, 20 bytes of extensions, and the
 * longest header of TCP
 */
#define CAPTURE_IPV6		(ETH_HLEN + 40 + 20 + 60)

struct pcap_head {
	u32 magic;
	u16 major, minor;
	u32 zone, accuracy, snaplen, link;
};

struct pcap_packet {
	u32 seconds, nanoseconds, kept, whole;
	char data[];
};

struct capture {
	struct list_head list;
	struct packet_type type;
	struct net_device *dev;		/* NULL when it is gone */
	netdevice_tracker tracker;
	void (*ended)(void *tap);	/* NULL for an interface */
	void *tap;
	struct host_log *log;
	spinlock_t lock;
	bool full;
	u64 packets, bytes;
	char name[IFNAMSIZ];
};

static LIST_HEAD(captures);
static DEFINE_MUTEX(captures_mutex);	/* taken inside RTNL */

/* The length of a packet's headers; 0 for a packet that is not kept. @at is the offset
 * of its Ethernet header from skb->data.
 */
static unsigned int capture_headers(const struct sk_buff *skb, int at)
{
	const struct ethhdr *eth = (const void *)skb_mac_header(skb);
	struct tcphdr tcp_copy;
	struct iphdr ip_copy;
	const struct tcphdr *tcp;
	const struct iphdr *ip;
	unsigned int length;

	if (eth->h_proto == htons(ETH_P_IPV6))
		return CAPTURE_IPV6;
	if (eth->h_proto != htons(ETH_P_IP))
		return 0;
	ip = skb_header_pointer(skb, at + ETH_HLEN, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_TCP)
		return 0;
	length = ETH_HLEN + ip->ihl * 4;
	if (ip->frag_off & htons(IP_OFFSET))
		return length;
	tcp = skb_header_pointer(skb, at + length, sizeof(tcp_copy), &tcp_copy);
	return length + (tcp ? tcp->doff * 4 : sizeof(*tcp));
}

/* Reading the clock with interrupts off takes no virtual time. */
static ktime_t capture_now(void)
{
	unsigned long flags;
	ktime_t now;

	local_irq_save(flags);
	now = ktime_get_real();
	local_irq_restore(flags);
	return now;
}

void capture_tapped(struct capture *capture, const struct sk_buff *skb, ktime_t when)
{
	int at = skb_mac_offset(skb);
	unsigned int whole = skb->len - at, kept = CAPTURE_FULL;
	struct pcap_packet *packet;
	struct timespec64 now;

	if (!capture->full)
		kept = capture_headers(skb, at);
	kept = min(kept, whole);
	if (!kept)
		return;

	now = ktime_to_timespec64(when);
	spin_lock(&capture->lock);
	packet = host_log_reserve(capture->log, sizeof(*packet) + kept);
	packet->seconds = now.tv_sec;
	packet->nanoseconds = now.tv_nsec;
	packet->kept = kept;
	packet->whole = whole;
	if (!skb_copy_bits(skb, at, packet->data, kept)) {
		host_log_commit(capture->log, sizeof(*packet) + kept);
		capture->packets++;
		capture->bytes += whole;
	}
	spin_unlock(&capture->lock);
}

static int capture_packet(struct sk_buff *skb, struct net_device *dev,
			  struct packet_type *type, struct net_device *origin)
{
	capture_tapped(container_of(type, struct capture, type), skb, capture_now());
	consume_skb(skb);
	return 0;
}

/* A capture with an open file, which is in no list yet; or an error pointer */
static struct capture *capture_make(const char *name, bool full, const char *path)
{
	static const struct pcap_head head = {
		.magic = PCAP_NANOSECONDS, .major = 2, .minor = 4,
		.snaplen = CAPTURE_FULL, .link = PCAP_ETHERNET,
	};
	struct capture *capture = kzalloc_obj(*capture, GFP_KERNEL);
	int error;

	if (!capture)
		return ERR_PTR(-ENOMEM);
	capture->log = host_log_open(path);
	if (IS_ERR(capture->log)) {
		error = PTR_ERR(capture->log);
		kfree(capture);
		return ERR_PTR(error);
	}
	memcpy(host_log_reserve(capture->log, sizeof(head)), &head, sizeof(head));
	host_log_commit(capture->log, sizeof(head));
	spin_lock_init(&capture->lock);
	strscpy(capture->name, name);
	capture->full = full;
	return capture;
}

struct capture *capture_tap(const char *name, bool full, const char *path,
			    void (*ended)(void *tap), void *tap)
{
	struct capture *capture;

	mutex_lock(&captures_mutex);
	capture = capture_make(name, full, path);
	if (!IS_ERR(capture)) {
		capture->ended = ended;
		capture->tap = tap;
		list_add_tail(&capture->list, &captures);
	}
	mutex_unlock(&captures_mutex);
	return capture;
}

void capture_taps_forget(void (*ended)(void *tap))
{
	struct capture *capture;

	mutex_lock(&captures_mutex);
	list_for_each_entry(capture, &captures, list)
		if (capture->ended == ended) {
			capture->ended(capture->tap);
			capture->ended = NULL;
		}
	mutex_unlock(&captures_mutex);
}

static int capture_begin(struct net *net, const char *name, bool full,
			 const char *path)
{
	netdevice_tracker tracker;
	struct capture *capture;
	struct net_device *dev;

	dev = netdev_get_by_name(net, name, &tracker, GFP_KERNEL);
	if (!dev)
		return -ENODEV;
	capture = capture_make(name, full, path);
	if (IS_ERR(capture)) {
		netdev_put(dev, &tracker);
		return PTR_ERR(capture);
	}
	capture->dev = dev;
	capture->tracker = tracker;
	capture->type.type = htons(ETH_P_ALL);
	capture->type.dev = dev;
	capture->type.func = capture_packet;
	list_add_tail(&capture->list, &captures);
	dev_add_pack(&capture->type);
	return 0;
}

static void capture_stop(struct capture *capture)
{
	if (capture->ended)
		capture->ended(capture->tap);
	capture->ended = NULL;
	if (!capture->dev)
		return;
	dev_remove_pack(&capture->type);
	netdev_put(capture->dev, &capture->tracker);
	capture->dev = NULL;
}

static int capture_end(void)
{
	struct capture *capture, *next;
	int error, first = 0;

	list_for_each_entry_safe(capture, next, &captures, list) {
		capture_stop(capture);
		error = host_log_close(capture->log);
		if (!first)
			first = error;
		list_del(&capture->list);
		kfree(capture);
	}
	return first;
}

static ssize_t capture_write(struct file *file, const char __user *from,
			     size_t count, loff_t *offset)
{
	char line[256], name[IFNAMSIZ], what[8], path[200];
	int error = -EINVAL;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;

	mutex_lock(&captures_mutex);
	if (sysfs_streq(line, "end"))
		error = capture_end();
	else if (sscanf(line, "%15s %7s %199s", name, what, path) == 3 &&
		 (!strcmp(what, "full") || !strcmp(what, "headers")))
		error = capture_begin(current->nsproxy->net_ns, name,
				      !strcmp(what, "full"), path);
	mutex_unlock(&captures_mutex);
	return error ? error : count;
}

static int capture_show(struct seq_file *seq, void *unused)
{
	const struct capture *capture;

	mutex_lock(&captures_mutex);
	list_for_each_entry(capture, &captures, list)
		seq_printf(seq, "%s %llu %llu\n", capture->name, capture->packets,
			   capture->bytes);
	mutex_unlock(&captures_mutex);
	return 0;
}

static int capture_open(struct inode *inode, struct file *file)
{
	return single_open(file, capture_show, NULL);
}

static const struct proc_ops capture_ops = {
	.proc_open	= capture_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_write	= capture_write,
	.proc_release	= single_release,
};

static int capture_notice(struct notifier_block *block, unsigned long event,
			  void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct capture *capture;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	mutex_lock(&captures_mutex);
	list_for_each_entry(capture, &captures, list)
		if (capture->dev == dev)
			capture_stop(capture);
	mutex_unlock(&captures_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block capture_notifier = {
	.notifier_call = capture_notice,
};

static int __init capture_register(void)
{
	if (!proc_create("lab_capture", 0600, NULL, &capture_ops))
		return -ENOMEM;
	return register_netdevice_notifier(&capture_notifier);
}
device_initcall(capture_register);

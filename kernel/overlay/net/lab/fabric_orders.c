// SPDX-License-Identifier: GPL-2.0
/* Orders to the fabric, in /proc/lab_fabric, one per line:
 *
 *	seed NUMBER			of all that is drawn; before the links
 *	offload GATHER_NS		hosts hand down whole segments of TCP, whose frames the
 *					receiver gathers for so long; before the links
 *	choose hash|rotate|random	how a new flow picks one of several paths
 *	link ID BPS DELAY_NS LIMIT_BYTES LIMIT_PACKETS LOSS_2^-32 JITTER_NS
 *					a direction of a link; BPS is 0 for no queue, a
 *					limit is 0 for none; numbers count from 0
 *	red ID MIN MAX			gentle RED at a link, in 1/1000 of packets
 *	burst ID BYTES			a token bucket as tbf's, at a link without packets;
 *					0 for none
 *	delay_first ID			packets are delayed before the queue, and not behind
 *					it, at a link without packets
 *	bare_first ID			TCP segments without data are sent before others, at a
 *					link without packets, a bucket, a delay before the
 *					queue, jitter and a capacity over time
 *	bare_over ID			TCP segments without data take this link alone, in place
 *					of their paths
 *	rate ID ZERO_NS PERIOD_NS AT_NS:BPS ...
 *					capacity over time from a time of the monotonic
 *					clock on; a PERIOD_NS of 0 repeats nothing
 *	port NAME ADDRESS ...		a device in the writer's network namespace
 *	path FROM TO ID ...		a way between two addresses; several of a pair
 *					are alternatives
 *	capture ID NAME headers|full FILE
 *					what leaves the queue of a link
 *	end				remove everything
 *
 * Reading the file gives the settings and counters of all links.
 */

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "fabric_words.h"

#define FABRIC_TEXT	(1 << 20)	/* bytes of one write */
#define MOST_GATHER_NS	(10 * (u64)NSEC_PER_MSEC)

static DEFINE_MUTEX(fabric_mutex);

/* The addresses of a port, none of which another port has; the number of them, or an
 * error
 */
static int fabric_addresses(char *text, __be32 *found)
{
	unsigned int count, other;
	char *word;

	for (count = 0; (word = fabric_word(&text)); count++) {
		if (count == FABRIC_ADDRESSES || !fabric_address(word, &found[count]))
			return -EINVAL;
		if (fabric_address_known(found[count]))
			return -EEXIST;
		for (other = 0; other < count; other++)
			if (found[other] == found[count])
				return -EEXIST;
	}
	return count ? count : -EINVAL;
}

static int fabric_order_port(char *text)
{
	char *name = fabric_word(&text);
	__be32 found[FABRIC_ADDRESSES];
	int count, at, error = 0;
	struct fabric_port *port;

	count = name ? fabric_addresses(text, found) : -EINVAL;
	if (count < 0)
		return count;
	port = fabric_port_add(name);
	if (IS_ERR(port))
		return PTR_ERR(port);
	for (at = 0; at < count && !error; at++)
		error = fabric_address_add(found[at], port);
	return error;
}

static int fabric_order_path(char *text)
{
	struct fabric_link **links;
	unsigned int count = 0;
	__be32 from, to;
	int error = -EINVAL;

	if (!fabric_address(fabric_word(&text), &from) ||
	    !fabric_address(fabric_word(&text), &to) || from == to)
		return -EINVAL;
	links = kmalloc_objs(*links, FABRIC_LONGEST, GFP_KERNEL);
	if (!links)
		return -ENOMEM;
	while (text && count < FABRIC_LONGEST) {
		links[count] = fabric_link_of(&text);
		if (!links[count++])
			goto out;
	}
	if (count && !text)
		error = fabric_path_add(from, to, links, count);
out:
	kfree(links);
	return error;
}

static int fabric_order_capture(char *text)
{
	struct fabric_link *link = fabric_link_of(&text);
	char *name = fabric_word(&text), *what = fabric_word(&text);
	char *file = fabric_word(&text);

	if (!link || !file || fabric_word(&text) ||
	    (strcmp(what, "full") && strcmp(what, "headers")))
		return -EINVAL;
	return fabric_capture(link, name, !strcmp(what, "full"), file);
}

static int fabric_order_choose(char *text)
{
	char *how = fabric_word(&text);

	if (!how || fabric_word(&text))
		return -EINVAL;
	if (!strcmp(how, "hash"))
		fabric_choose(FABRIC_HASH);
	else if (!strcmp(how, "rotate"))
		fabric_choose(FABRIC_ROTATE);
	else if (!strcmp(how, "random"))
		fabric_choose(FABRIC_RANDOM);
	else
		return -EINVAL;
	return 0;
}

static int fabric_order_seed(char *text)
{
	u64 seed;

	if (!fabric_number(&text, U64_MAX, &seed) || fabric_word(&text))
		return -EINVAL;
	if (fabric_links())
		return -EBUSY;
	fabric_seed(seed);
	return 0;
}

static int fabric_order_offload(char *text)
{
	u64 gather;

	if (!fabric_number(&text, MOST_GATHER_NS, &gather) || fabric_word(&text))
		return -EINVAL;
	if (fabric_links())
		return -EBUSY;
	fabric_offload(true, gather);
	return 0;
}

static int fabric_order_end(char *text)
{
	if (fabric_word(&text))
		return -EINVAL;
	fabric_ports_remove();
	fabric_captures_forget();
	fabric_links_free();
	fabric_paths_free();
	fabric_ports_free();
	fabric_rates_forget();
	fabric_offload(false, 0);
	return 0;
}

static const struct {
	const char *name;
	int (*execute)(char *text);
} fabric_orders[] = {
	{ "seed", fabric_order_seed },
	{ "offload", fabric_order_offload },
	{ "choose", fabric_order_choose },
	{ "link", fabric_order_link },
	{ "red", fabric_order_red },
	{ "burst", fabric_order_burst },
	{ "delay_first", fabric_order_delay_first },
	{ "bare_first", fabric_order_bare_first },
	{ "bare_over", fabric_order_bare_over },
	{ "rate", fabric_order_rate },
	{ "port", fabric_order_port },
	{ "path", fabric_order_path },
	{ "capture", fabric_order_capture },
	{ "end", fabric_order_end },
};

static int fabric_order(char *text)
{
	char *name = fabric_word(&text);
	unsigned int at;

	if (!name)
		return 0;
	for (at = 0; at < ARRAY_SIZE(fabric_orders); at++)
		if (!strcmp(name, fabric_orders[at].name))
			return fabric_orders[at].execute(text);
	return -EINVAL;
}

/* Orders before a faulty one have been carried out. */
static int fabric_execute(char *text)
{
	unsigned int number = 0;
	char *line;
	int error;

	while ((line = strsep(&text, "\n"))) {
		number++;
		error = fabric_order(line);
		if (error) {
			pr_err("lab_fabric: order %u of the write: error %d\n", number,
			       error);
			return error;
		}
	}
	return 0;
}

static ssize_t fabric_write(struct file *file, const char __user *from, size_t count,
			    loff_t *offset)
{
	char *text;
	int error;

	if (count > FABRIC_TEXT)
		return -E2BIG;
	text = kvmalloc(count + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	error = -EFAULT;
	if (!copy_from_user(text, from, count)) {
		text[count] = 0;
		mutex_lock(&fabric_mutex);
		error = strlen(text) == count ? fabric_execute(text) : -EINVAL;
		mutex_unlock(&fabric_mutex);
	}
	kvfree(text);
	return error ? error : count;
}

static int fabric_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&fabric_mutex);
	fabric_report(seq);
	mutex_unlock(&fabric_mutex);
	return 0;
}

static int fabric_open(struct inode *inode, struct file *file)
{
	return single_open(file, fabric_show, NULL);
}

static const struct proc_ops fabric_proc = {
	.proc_open	= fabric_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_write	= fabric_write,
	.proc_release	= single_release,
};

static int __init fabric_orders_register(void)
{
	return proc_create("lab_fabric", 0600, NULL, &fabric_proc) ? 0 : -ENOMEM;
}
device_initcall(fabric_orders_register);

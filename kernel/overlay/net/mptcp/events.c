// SPDX-License-Identifier: GPL-2.0
/* Events of connections, with their times, as a table (CSV) in a file of the host
 *
 * Commands are written to /proc/lab_events:
 *	host NAME			write the events of the writer's network namespace
 *					under this name
 *	entry NUMBER PORT		a connection to this port belongs to this entry of
 *					the traffic
 *	begin FILE ZERO_NS LIMIT	write at most LIMIT events, with their times since
 *					this time of the monotonic clock
 *	end				write what is still open, stop, and forget hosts
 *					and entries; the write returns the first error
 *					of the host's file
 *
 * A guest that is switched off does what "end" does.
 *
 * The kernel writes a line where the event happens. So an event wakes no process, draws
 * no random number, and takes no virtual time: while interrupts are disabled, reading
 * the clock of User Mode Linux does not advance it.
 *
 * The columns: local and remote are the ends of the subflow, or of the connection's first
 * subflow where the subflow is not known. "port" is the port of the client at the first
 * subflow, which tells connections of an entry apart at both ends. "subflow" has the ids
 * of both addresses.
 */

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/nsproxy.h>
#include <linux/proc_fs.h>
#include <linux/reboot.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <net/inet_hashtables.h>
#include <net/inet_sock.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/request_sock.h>
#include <host_log.h>

#include "protocol.h"
#include "mib.h"

#define EVENT_LINE	384
#define EVENT_VALUE	144
/* A burst of reinjections ends when a subflow had none for this long. */
#define EVENT_BURST	(HZ / 10)

static const char events_head[] =
	"time_s,host,connection,port,subflow,local,remote,event,value\n";

struct events_host {
	char name[32];		/* empty: no event of this namespace is written */
};

struct events_ends {
	__be32 local, remote;
	u16 local_port, remote_port;
};

struct events_source {
	const struct net *net;
	struct events_ends ends;	/* local_port 0: not known */
	struct events_ends first;	/* of the connection's first subflow */
	bool is_subflow;
	int local_id, remote_id;
};

bool lab_events_running;

static unsigned int events_id __read_mostly;
static DEFINE_MUTEX(events_mutex);
static DEFINE_XARRAY(events_entries);	/* number of the entry by its port */
static struct host_log *events_log;
static ktime_t events_zero;
static u64 events_left, events_lost;

static struct events_ends events_ends_of(const struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);

	if (sk->sk_family != AF_INET)
		return (struct events_ends){};
	return (struct events_ends){
		.local		= inet->inet_rcv_saddr,
		.remote		= inet->inet_daddr,
		.local_port	= ntohs(inet->inet_sport),
		.remote_port	= ntohs(inet->inet_dport),
	};
}

/* A connection that is being opened has no ends of its own yet. */
static void events_connection(struct events_source *source, const struct sock *msk)
{
	if (msk && inet_sk(msk)->inet_dport)
		source->first = events_ends_of(msk);
}

/* @sk: a TCP socket or an MPTCP connection */
static struct events_source events_of(const struct sock *sk)
{
	const struct mptcp_subflow_context *subflow;
	struct events_source source = {
		.net	= sock_net(sk),
		.ends	= events_ends_of(sk),
	};

	source.first = source.ends;
	if (sk->sk_protocol != IPPROTO_TCP || !sk_is_mptcp(sk))
		return source;
	subflow = mptcp_subflow_ctx(sk);
	if (!subflow)
		return source;
	source.is_subflow = true;
	source.local_id = READ_ONCE(subflow->local_id);
	source.remote_id = READ_ONCE(subflow->remote_id);
	events_connection(&source, subflow->conn);
	return source;
}

static struct events_source events_of_request(const struct request_sock *req)
{
	const struct inet_request_sock *ireq = inet_rsk(req);
	struct events_source source = {
		.net = read_pnet(&ireq->ireq_net),
		.ends = {
			.local		= ireq->ir_loc_addr,
			.remote		= ireq->ir_rmt_addr,
			.local_port	= ireq->ir_num,
			.remote_port	= ntohs(ireq->ir_rmt_port),
		},
	};

	if (ireq->ireq_family != AF_INET)
		source.ends = (struct events_ends){};
	source.first = source.ends;
	if (tcp_rsk(req)->is_mptcp && mptcp_subflow_rsk(req)->mp_join) {
		source.is_subflow = true;
		source.local_id = mptcp_subflow_rsk(req)->local_id;
		source.remote_id = mptcp_subflow_rsk(req)->remote_id;
		source.first = (struct events_ends){};
		events_connection(&source,
				  (const struct sock *)mptcp_subflow_rsk(req)->msk);
	}
	return source;
}

/* The number of the entry, and the client's port; both are empty if nobody knows. */
static int events_entry(const struct events_ends *first, char *to, int size)
{
	void *entry = xa_load(&events_entries, first->remote_port);
	u16 port = first->local_port;

	if (!entry) {
		entry = xa_load(&events_entries, first->local_port);
		port = first->remote_port;
	}
	if (!entry)
		return scnprintf(to, size, ",");
	return scnprintf(to, size, "%lu,%u", xa_to_value(entry), port);
}

static int events_where(const struct events_source *source, char *to, int size)
{
	const struct events_ends *ends = &source->ends;
	int n = events_entry(&source->first, to, size);

	if (source->is_subflow && source->local_id >= 0)
		n += scnprintf(to + n, size - n, ",%d:%d", source->local_id,
			       source->remote_id);
	else
		n += scnprintf(to + n, size - n, ",");
	if (!ends->local_port)
		return n + scnprintf(to + n, size - n, ",,");
	return n + scnprintf(to + n, size - n, ",%pI4:%u,%pI4:%u", &ends->local,
			     ends->local_port, &ends->remote, ends->remote_port);
}

static void events_line(const struct events_source *source, const char *host,
			const char *event, const char *value)
{
	s64 now_us = ktime_to_us(ktime_sub(ktime_get(), events_zero));
	char *line = host_log_reserve(events_log, EVENT_LINE);
	u64 us = abs(now_us);
	int n;

	n = scnprintf(line, EVENT_LINE, "%s%llu.%06u,%s,", now_us < 0 ? "-" : "",
		      div_u64(us, USEC_PER_SEC), (unsigned int)(us % USEC_PER_SEC), host);
	n += events_where(source, line + n, EVENT_LINE - n);
	n += scnprintf(line + n, EVENT_LINE - n, ",%s,%s\n", event, value);
	host_log_commit(events_log, n);
}

static void events_write(const struct events_source *source, const char *event,
			 const char *value)
{
	const struct events_host *host = net_generic(source->net, events_id);
	unsigned long flags;

	local_irq_save(flags);
	if (!lab_events_running || !host->name[0]) {
		;
	} else if (!events_left) {
		events_lost++;
	} else {
		events_left--;
		events_line(source, host->name, event, value);
	}
	local_irq_restore(flags);
}

void __lab_event(const struct sock *sk, const char *event, int value)
{
	struct events_source source = events_of(sk);
	char text[EVENT_VALUE];

	scnprintf(text, sizeof(text), "%d", value);
	events_write(&source, event, text);
}

void __lab_event_error(const struct sock *sk, const char *event, int error)
{
	struct events_source source = events_of(sk);
	char text[EVENT_VALUE] = "";

	if (error)
		scnprintf(text, sizeof(text), "error=%d", error);
	events_write(&source, event, text);
}

/* The time in which this alone kept a socket from sending, see tcp_chrono_start() */
static unsigned int events_chrono_ms(const struct tcp_sock *tp, enum tcp_chrono type)
{
	u32 time = tp->chrono_stat[type - 1];

	if (type == tp->chrono_type)
		time += tcp_jiffies32 - tp->chrono_start;
	return jiffies_to_msecs(time);
}

/* What a TCP socket did until now */
static void events_state(const struct sock *sk, const char *event)
{
	struct events_source source = events_of(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	int error = READ_ONCE(sk->sk_err);
	unsigned int rwnd, sndbuf;
	char text[EVENT_VALUE];
	int n = 0;

	if (error)
		n = scnprintf(text, sizeof(text), "error=%d ", error);
	rwnd = events_chrono_ms(tp, TCP_CHRONO_RWND_LIMITED);
	sndbuf = events_chrono_ms(tp, TCP_CHRONO_SNDBUF_LIMITED);
	scnprintf(text + n, sizeof(text) - n,
		  "acked=%llu received=%llu resent=%llu busy_ms=%u rwnd_ms=%u sndbuf_ms=%u",
		  tp->bytes_acked, tp->bytes_received, tp->bytes_retrans,
		  events_chrono_ms(tp, TCP_CHRONO_BUSY) + rwnd + sndbuf, rwnd, sndbuf);
	events_write(&source, event, text);
}

void __lab_event_closed(const struct sock *sk)
{
	events_state(sk, "tcp_closed");
}

void __lab_event_request(const struct request_sock *req, const char *event, int value)
{
	struct events_source source = events_of_request(req);
	char text[EVENT_VALUE];

	scnprintf(text, sizeof(text), "%d", value);
	events_write(&source, event, text);
}

void __mptcp_events_count(const struct net *net, const struct sock *sk, int field,
			  int number)
{
	struct events_source source = { .net = net };
	char text[EVENT_VALUE];

	if (sk)
		source = events_of(sk);
	scnprintf(text, sizeof(text), "%d", number);
	events_write(&source, mptcp_mib_name(field), text);
}

void mptcp_events_request(const struct request_sock *req, int field)
{
	if (lab_events_running && mptcp_events_has(field))
		__lab_event_request(req, mptcp_mib_name(field), 1);
}

void mptcp_events_address(const struct sock *sk, int field,
			  const struct mptcp_addr_info *address)
{
	char text[EVENT_VALUE] = "";
	struct events_source source;

	if (!lab_events_running)
		return;
	source = events_of(sk);
	if (address->family == AF_INET && address->port)
		scnprintf(text, sizeof(text), "address=%pI4:%u id=%u", &address->addr,
			  ntohs(address->port), address->id);
	else if (address->family == AF_INET)
		scnprintf(text, sizeof(text), "address=%pI4 id=%u", &address->addr,
			  address->id);
	events_write(&source, mptcp_mib_name(field), text);
}

/* The event is the beginning of a burst; its value is the sum until now. */
void mptcp_events_reinjected(const struct sock *ssk, int bytes)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	bool begins = !subflow->reinjected ||
		      time_after(jiffies, subflow->reinjected_at + EVENT_BURST);
	struct events_source source;
	char text[EVENT_VALUE];

	subflow->reinjected += bytes;
	subflow->reinjected_at = jiffies;
	if (!lab_events_running || !begins)
		return;
	source = events_of(ssk);
	scnprintf(text, sizeof(text), "%llu", subflow->reinjected);
	events_write(&source, "reinjected", text);
}

static const char *const events_names[] = {
	[MPTCP_EVENT_CREATED]		= "created",
	[MPTCP_EVENT_ESTABLISHED]	= "established",
	[MPTCP_EVENT_CLOSED]		= "closed",
	[MPTCP_EVENT_SUB_ESTABLISHED]	= "sub_established",
	[MPTCP_EVENT_SUB_CLOSED]	= "sub_closed",
	[MPTCP_EVENT_SUB_PRIORITY]	= "sub_priority",
};

/* What the netlink event of the same name tells about a subflow */
static void events_subflow(const struct sock *ssk, enum mptcp_event_type type,
			   char *to, int size)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	int error = READ_ONCE(ssk->sk_err);
	int n = 0;

	if (type == MPTCP_EVENT_SUB_PRIORITY || subflow->backup || subflow->request_bkup)
		n = scnprintf(to, size, "backup=%d", subflow->backup ||
			      subflow->request_bkup);
	if (type != MPTCP_EVENT_SUB_CLOSED)
		return;
	if (error)
		n += scnprintf(to + n, size - n, "%serror=%d", n ? " " : "", error);
	if (subflow->reset_seen)
		scnprintf(to + n, size - n, "%sreason=%u", n ? " " : "",
			  subflow->reset_reason);
}

/* @ssk: NULL for MPTCP_EVENT_CLOSED */
void mptcp_events_pm(enum mptcp_event_type type, const struct mptcp_sock *msk,
		     const struct sock *ssk)
{
	const struct sock *sk = (const struct sock *)msk;
	char text[EVENT_VALUE] = "";
	struct events_source source;

	if (!lab_events_running || type >= ARRAY_SIZE(events_names) ||
	    !events_names[type])
		return;
	source = events_of(ssk ?: sk);
	if (type == MPTCP_EVENT_CREATED && !inet_sk(sk)->inet_dport)
		source.first = source.ends;
	if (type == MPTCP_EVENT_SUB_ESTABLISHED || type == MPTCP_EVENT_SUB_CLOSED ||
	    type == MPTCP_EVENT_SUB_PRIORITY)
		events_subflow(ssk, type, text, sizeof(text));
	else if (type == MPTCP_EVENT_CLOSED)
		scnprintf(text, sizeof(text),
			  "acked=%llu received=%llu reinjected=%llu", msk->bytes_acked,
			  msk->bytes_received, msk->bytes_retrans);
	events_write(&source, events_names[type], text);
}

void mptcp_events_removed(const struct mptcp_sock *msk, int id)
{
	struct events_source source;
	char text[EVENT_VALUE];

	if (!lab_events_running)
		return;
	source = events_of((const struct sock *)msk);
	scnprintf(text, sizeof(text), "id=%d", id);
	events_write(&source, "removed", text);
}

static int events_begin(const char *file, u64 zero_ns, u64 limit)
{
	struct host_log *log = host_log_open(file);

	if (IS_ERR(log))
		return PTR_ERR(log);
	memcpy(host_log_reserve(log, sizeof(events_head)), events_head,
	       sizeof(events_head) - 1);
	host_log_commit(log, sizeof(events_head) - 1);
	events_log = log;
	events_zero = ns_to_ktime(zero_ns);
	events_left = limit;
	events_lost = 0;
	WRITE_ONCE(lab_events_running, true);
	return 0;
}

static void events_open(const struct net *net)
{
	struct inet_hashinfo *table = net->ipv4.tcp_death_row.hashinfo;
	const struct hlist_nulls_node *node;
	const struct sock *sk;
	unsigned int i;

	for (i = 0; i <= table->ehash_mask; i++) {
		spinlock_t *lock = inet_ehash_lockp(table, i);

		if (hlist_nulls_empty(&table->ehash[i].chain))
			continue;
		spin_lock_bh(lock);
		sk_nulls_for_each(sk, node, &table->ehash[i].chain)
			if (net_eq(sock_net(sk), net) && sk_fullsock(sk))
				events_state(sk, "tcp_open");
		spin_unlock_bh(lock);
	}
}

static int events_end(void)
{
	struct host_log *log = events_log;
	struct events_source nothing = {};
	struct events_host *host;
	unsigned long flags;
	struct net *net;
	char text[EVENT_VALUE];

	down_read(&net_rwsem);
	for_each_net(net) {
		host = net_generic(net, events_id);
		if (log && host->name[0])
			events_open(net);
	}
	up_read(&net_rwsem);
	local_irq_save(flags);
	WRITE_ONCE(lab_events_running, false);
	if (log && events_lost) {
		scnprintf(text, sizeof(text), "%llu", events_lost);
		events_line(&nothing, "", "left_out", text);
	}
	events_log = NULL;
	local_irq_restore(flags);
	down_read(&net_rwsem);
	for_each_net(net) {
		host = net_generic(net, events_id);
		host->name[0] = 0;
	}
	up_read(&net_rwsem);
	xa_destroy(&events_entries);
	return log ? host_log_close(log) : 0;
}

static int events_add(unsigned int number, unsigned int port)
{
	if (!port || port > U16_MAX)
		return -EINVAL;
	return xa_err(xa_store(&events_entries, port, xa_mk_value(number), GFP_KERNEL));
}

static int events_command(const char *line)
{
	struct events_host *host = net_generic(current->nsproxy->net_ns, events_id);
	unsigned int number, port;
	char name[32], text[200];
	u64 zero_ns, limit;

	if (sysfs_streq(line, "end"))
		return events_end();
	if (events_log)
		return -EBUSY;
	if (sscanf(line, "host %31s", name) == 1) {
		strscpy(host->name, name);
		return 0;
	}
	if (sscanf(line, "entry %u %u", &number, &port) == 2)
		return events_add(number, port);
	if (sscanf(line, "begin %199s %llu %llu", text, &zero_ns, &limit) == 3)
		return events_begin(text, zero_ns, limit);
	return -EINVAL;
}

static ssize_t events_take(struct file *file, const char __user *from, size_t count,
			   loff_t *offset)
{
	char line[256];
	int error;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	mutex_lock(&events_mutex);
	error = events_command(line);
	mutex_unlock(&events_mutex);
	return error ? error : count;
}

static const struct proc_ops events_ops = {
	.proc_write = events_take,
};

static int events_off(struct notifier_block *block, unsigned long action, void *data)
{
	mutex_lock(&events_mutex);
	events_end();
	mutex_unlock(&events_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block events_notifier = {
	.notifier_call = events_off,
};

static struct pernet_operations events_net = {
	.id	= &events_id,
	.size	= sizeof(struct events_host),
};

static int __init events_register(void)
{
	int error = register_pernet_subsys(&events_net);

	if (error)
		return error;
	register_reboot_notifier(&events_notifier);
	return proc_create("lab_events", 0200, NULL, &events_ops) ? 0 : -ENOMEM;
}
fs_initcall(events_register);

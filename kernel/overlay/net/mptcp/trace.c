// SPDX-License-Identifier: GPL-2.0
/* The windows of subflows at regular times, as a table (CSV) in a file of the host
 *
 * Commands are written to /proc/lab_trace:
 *	path HOST ADDRESS NUMBER	a subflow with this address at either end belongs
 *					to this path of HOST, which is the writer's
 *					network namespace; the local end has precedence
 *	begin FILE ZERO_NS INTERVAL_NS	sample every subflow that belongs to a path,
 *					from this time of the monotonic clock on
 *	end				stop, and forget the paths; the write returns
 *					the first error of the host's file
 *
 * A timer takes the samples, so that a trace wakes no process.
 */

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/inet.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/inet_hashtables.h>
#include <net/net_namespace.h>
#include <net/tcp.h>
#include <host_log.h>

#include "coupled_state.h"
#include "protocol.h"
#include "quota.h"

#define TRACE_LINE	512
#define TRACE_STATES	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_CLOSE_WAIT)

static const char trace_head[] =
	"time_s,host,path,local,remote,token,local_id,remote_id,"
	"cwnd,ssthresh,srtt_us,retransmissions,bytes_acked,"
	"controller,increase_2^-40,alpha_2^-16,beta_2^-16,l1_bytes,l2_bytes,base_rtt_us,"
	"rate_kbps,state,interval,interval_kbps,utility_2^-20,loss_2^-20,slope_2^-20";
static const char trace_head_number[] = ",scheduler_number\n";

struct trace_path {
	struct list_head list;
	__be32 address;
	unsigned int number;
};

struct trace_host {
	struct list_head list;
	struct list_head paths;
	struct net *net;
	netns_tracker tracker;
	char name[32];
};

static LIST_HEAD(trace_hosts);		/* changed under the mutex while no timer runs */
static DEFINE_MUTEX(trace_mutex);
static struct hrtimer trace_timer;
static struct host_log *trace_log;	/* NULL: no trace is running */
static ktime_t trace_zero, trace_interval;
static u64 trace_count;
static bool trace_number;		/* whether a host's scheduler publishes numbers */

static unsigned int trace_path_of(const struct trace_host *host, __be32 address)
{
	const struct trace_path *path;

	list_for_each_entry(path, &host->paths, list)
		if (path->address == address)
			return path->number;
	return 0;
}

/* A controller without monitor intervals has no values in their columns. */
static int trace_interval_of(const struct coupled_state *state, char *to, int size)
{
	if (!state->state)
		return scnprintf(to, size, ",,,,,,,");
	return scnprintf(to, size, ",%u,%u,%u,%u,%lld,%u,%d", state->rate_kbps,
			 state->state, state->interval, state->interval_kbps,
			 state->utility, state->loss, state->slope);
}

static int trace_controller(const struct sock *sk, char *to, int size)
{
	struct coupled_state state;
	int n;

	if (!coupled_state(sk, &state))
		return scnprintf(to, size, ",,,,,,,,,,,,,,");
	n = scnprintf(to, size, ",%s,%lld,%lld,%lld,%llu,%llu,%u",
		      state.controller, state.increase, state.alpha, state.beta,
		      state.between_losses, state.since_loss, state.base_rtt_us);
	return n + trace_interval_of(&state, to + n, size - n);
}

/* Connections with other schedulers, and TCP, have no value in the last column. */
static int trace_scheduler(const struct sock *sk, char *to, int size)
{
	const struct mptcp_subflow_context *subflow;
	const struct mptcp_sched_ops *sched;

	if (!trace_number)
		return scnprintf(to, size, "\n");
	subflow = sk_is_mptcp(sk) ? mptcp_subflow_ctx(sk) : NULL;
	sched = subflow && subflow->conn ? READ_ONCE(mptcp_sk(subflow->conn)->sched) : NULL;
	if (!sched || !sched->publishes)
		return scnprintf(to, size, ",\n");
	return scnprintf(to, size, ",%lld\n", READ_ONCE(subflow->sched_number));
}

static void trace_subflow(const struct trace_host *host, const struct sock *sk,
			  u64 now_us)
{
	const struct inet_sock *inet = inet_sk(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	unsigned int path = trace_path_of(host, inet->inet_rcv_saddr);
	bool subflow = sk_is_mptcp(sk) && mptcp_subflow_ctx(sk);
	char *line;
	int n;

	if (!path)
		path = trace_path_of(host, inet->inet_daddr);
	if (!path)
		return;
	line = host_log_reserve(trace_log, TRACE_LINE);
	n = scnprintf(line, TRACE_LINE, "%llu.%06u,%s,%u,%pI4:%u,%pI4:%u,",
		      div_u64(now_us, USEC_PER_SEC),
		      (unsigned int)(now_us % USEC_PER_SEC), host->name, path,
		      &inet->inet_rcv_saddr, ntohs(inet->inet_sport),
		      &inet->inet_daddr, ntohs(inet->inet_dport));
	if (subflow)
		n += scnprintf(line + n, TRACE_LINE - n, "%08x,%d,%d",
			       mptcp_subflow_ctx(sk)->token,
			       READ_ONCE(mptcp_subflow_ctx(sk)->local_id),
			       READ_ONCE(mptcp_subflow_ctx(sk)->remote_id));
	else
		n += scnprintf(line + n, TRACE_LINE - n, ",0,0");
	n += scnprintf(line + n, TRACE_LINE - n, ",%u,%u,%u,%u,%llu",
		       tcp_snd_cwnd(tp), READ_ONCE(tp->snd_ssthresh),
		       READ_ONCE(tp->srtt_us) >> 3, READ_ONCE(tp->total_retrans),
		       READ_ONCE(tp->bytes_acked));
	n += trace_controller(sk, line + n, TRACE_LINE - n);
	n += trace_scheduler(sk, line + n, TRACE_LINE - n);
	host_log_commit(trace_log, n);
}

static void trace_host(const struct trace_host *host, u64 now_us)
{
	struct inet_hashinfo *table = host->net->ipv4.tcp_death_row.hashinfo;
	const struct hlist_nulls_node *node;
	const struct sock *sk;
	unsigned int i;

	for (i = 0; i <= table->ehash_mask; i++) {
		spinlock_t *lock = inet_ehash_lockp(table, i);

		if (hlist_nulls_empty(&table->ehash[i].chain))
			continue;
		spin_lock(lock);
		sk_nulls_for_each(sk, node, &table->ehash[i].chain)
			if (sk->sk_family == AF_INET &&
			    net_eq(sock_net(sk), host->net) &&
			    BIT(READ_ONCE(sk->sk_state)) & TRACE_STATES)
				trace_subflow(host, sk, now_us);
		spin_unlock(lock);
	}
}

static enum hrtimer_restart trace_sample(struct hrtimer *timer)
{
	u64 now_us = ktime_to_us(ktime_sub(ktime_get(), trace_zero));
	const struct trace_host *host;

	list_for_each_entry(host, &trace_hosts, list)
		trace_host(host, now_us);
	trace_count++;
	hrtimer_set_expires(timer, ktime_add_ns(trace_zero, trace_count *
						ktime_to_ns(trace_interval)));
	return HRTIMER_RESTART;
}

static struct trace_host *trace_find(struct net *net, const char *name)
{
	struct trace_host *host;

	list_for_each_entry(host, &trace_hosts, list)
		if (net_eq(host->net, net))
			return host;
	host = kzalloc_obj(*host, GFP_KERNEL);
	if (!host)
		return NULL;
	INIT_LIST_HEAD(&host->paths);
	host->net = get_net_track(net, &host->tracker, GFP_KERNEL);
	strscpy(host->name, name);
	list_add_tail(&host->list, &trace_hosts);
	return host;
}

static int trace_add(const char *name, const char *address, unsigned int number)
{
	struct trace_path *path = kzalloc_obj(*path, GFP_KERNEL);
	struct trace_host *host;

	if (!path)
		return -ENOMEM;
	path->number = number;
	if (!in4_pton(address, -1, (u8 *)&path->address, -1, NULL) || !number) {
		kfree(path);
		return -EINVAL;
	}
	host = trace_find(current->nsproxy->net_ns, name);
	if (!host) {
		kfree(path);
		return -ENOMEM;
	}
	list_add_tail(&path->list, &host->paths);
	return 0;
}

static int trace_begin(const char *file, u64 zero_ns, u64 interval_ns)
{
	const struct trace_host *host;
	const char *more = "\n";
	struct host_log *log;
	int n;

	if (!interval_ns)
		return -EINVAL;
	log = host_log_open(file);
	if (IS_ERR(log))
		return PTR_ERR(log);
	trace_number = false;
	list_for_each_entry(host, &trace_hosts, list)
		trace_number |= mptcp_sched_publishes(host->net);
	if (trace_number)
		more = trace_head_number;
	n = scnprintf(host_log_reserve(log, TRACE_LINE), TRACE_LINE, "%s%s", trace_head,
		      more);
	host_log_commit(log, n);
	trace_log = log;
	trace_zero = ns_to_ktime(zero_ns);
	trace_interval = ns_to_ktime(interval_ns);
	trace_count = 0;
	hrtimer_start(&trace_timer, trace_zero, HRTIMER_MODE_ABS_SOFT);
	return 0;
}

static int trace_end(void)
{
	struct trace_host *host, *next_host;
	struct trace_path *path, *next;
	int error = 0;

	hrtimer_cancel(&trace_timer);
	list_for_each_entry_safe(host, next_host, &trace_hosts, list) {
		list_for_each_entry_safe(path, next, &host->paths, list)
			kfree(path);
		list_del(&host->list);
		put_net_track(host->net, &host->tracker);
		kfree(host);
	}
	if (trace_log)
		error = host_log_close(trace_log);
	trace_log = NULL;
	return error;
}

static int trace_command(const char *line)
{
	char name[32], text[200];
	u64 zero_ns, interval_ns;
	unsigned int number;

	if (sysfs_streq(line, "end"))
		return trace_end();
	if (trace_log)
		return -EBUSY;
	if (sscanf(line, "path %31s %199s %u", name, text, &number) == 3)
		return trace_add(name, text, number);
	if (sscanf(line, "begin %199s %llu %llu", text, &zero_ns, &interval_ns) == 3)
		return trace_begin(text, zero_ns, interval_ns);
	return -EINVAL;
}

static ssize_t trace_write(struct file *file, const char __user *from, size_t count,
			   loff_t *offset)
{
	char line[256];
	int error;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	mutex_lock(&trace_mutex);
	error = trace_command(line);
	mutex_unlock(&trace_mutex);
	return error ? error : count;
}

static const struct proc_ops trace_ops = {
	.proc_write = trace_write,
};

static int __init trace_register(void)
{
	hrtimer_setup(&trace_timer, trace_sample, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	return proc_create("lab_trace", 0200, NULL, &trace_ops) ? 0 : -ENOMEM;
}
device_initcall(trace_register);

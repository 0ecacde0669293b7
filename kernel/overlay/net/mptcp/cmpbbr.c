// SPDX-License-Identifier: GPL-2.0
/* C-MPBBR, BBRs whose subflows share a bottleneck fairly
 *
 *	I. Mahmud, T. Lubna, Y.-J. Song, Y.-Z. Cho: Coupled Multipath BBR (C-MPBBR): A
 *	Efficient Congestion Control Algorithm for Multipath TCP. IEEE Access 8, 2020.
 *
 * A subflow is a BBR (net/ipv4/tcp_bbr.c). In the fourth phase of each of its gain cycles
 *
 *	it counts the subflows whose bandwidths differ from its own by at most a fifth; in
 *	two cycles in a row, they are taken to share its bottleneck. Outside of the phases
 *	that probe and drain, it then sends at its bandwidth divided by their number.
 *
 *	it looks whether all subflows together delivered less than 0.6 of the largest
 *	bandwidth during the last cycle. After five cycles in a row the slowest subflow is
 *	closed, unless it shares its bottleneck.
 *
 * The rules and numbers are those of the implementation that the authors released for MPTCP
 * in Linux 4.9. The code differs from it as follows.
 *  - The released code counts and looks at every acknowledgement of the phase, so that "in a
 *    row" means acknowledgements; here it does so once per cycle.
 *  - It takes what was delivered since its sampling of policers began, which without losses
 *    is since the connection began; here it is what was delivered since the last cycle.
 *  - A subflow is closed by MPTCP's worker, outside of the processing of the
 *    acknowledgement, and never as the last one of its connection.
 *
 * A single subflow, and a TCP without MPTCP, is BBR.
 */

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "bbr_base.h"
#include "cmpbbr.h"
#include "coupled_core.h"
#include "lab.h"
#include "protocol.h"

#define CMPBBR_PHASE	3	/* of the gain cycle, in which a subflow looks at the others */
#define CMPBBR_DIVIDED	2	/* the first phase whose rate is divided */

/* Of a subflow. The others read @bw and @delivered. */
struct cmpbbr {
	u32 bw;		/* packets per us, 2^-24 */
	u32 delivered;	/* packets */
	int phase;
	u32 alike;	/* in the last cycle; 0: there was none */
	u32 divisor;	/* 0: as 1 */
	u32 fruitless;	/* cycles in a row without a benefit */
	bool closing;
	/* at the last look */
	u32 count;
	u32 total;	/* packets that all subflows delivered */
	u64 looked_us;
};

/* The subflows as one of them sees them */
struct cmpbbr_view {
	u32 bw[COUPLED_PATHS_MAX];
	unsigned int count;
	u32 total;
};

struct cmpbbr_closing {
	struct work_struct work;
	struct sock *sk, *ssk;
};

static void cmpbbr_see(const void *private, void *data)
{
	const struct cmpbbr *c = private;
	struct cmpbbr_view *view = data;

	if (view->count == COUPLED_PATHS_MAX)
		return;
	view->bw[view->count++] = READ_ONCE(c->bw);
	view->total += READ_ONCE(c->delivered);
}

static void cmpbbr_close(struct work_struct *work)
{
	struct cmpbbr_closing *closing = container_of(work, struct cmpbbr_closing, work);
	struct sock *sk = closing->sk, *ssk = closing->ssk;
	struct mptcp_subflow_context *subflow;

	lock_sock(sk);
	mptcp_for_each_subflow(mptcp_sk(sk), subflow) {
		if (mptcp_subflow_tcp_sock(subflow) != ssk ||
		    list_is_singular(&mptcp_sk(sk)->conn_list))
			continue;
		mptcp_subflow_shutdown(sk, ssk, RCV_SHUTDOWN | SEND_SHUTDOWN);
		mptcp_close_ssk(sk, ssk, subflow);
		break;
	}
	release_sock(sk);
	sock_put(ssk);
	sock_put(sk);
	kfree(closing);
}

/* The subflow's lock is held here, and mptcp_close_ssk() takes it. */
static void cmpbbr_close_later(struct sock *ssk, struct cmpbbr *c)
{
	struct sock *sk = READ_ONCE(mptcp_subflow_ctx(ssk)->conn);
	struct cmpbbr_closing *closing;

	closing = sk ? kzalloc_obj(*closing, GFP_ATOMIC) : NULL;
	if (!closing)
		return;
	c->closing = true;
	INIT_WORK(&closing->work, cmpbbr_close);
	sock_hold(sk);
	sock_hold(ssk);
	closing->sk = sk;
	closing->ssk = ssk;
	schedule_work(&closing->work);
}

static void cmpbbr_look(struct sock *sk, struct cmpbbr *c)
{
	struct net *net = sock_net(sk);
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	struct cmpbbr_view view = {};
	u64 delivery;
	u32 alike;

	cmpbbr_see(c, &view);
	coupled_visit_others(sk, cmpbbr_see, &view);

	alike = cmpbbr_alike(view.bw, view.count, lab_get(net, LAB_CMPBBR_SIMILARITY));
	c->divisor = cmpbbr_divisor(alike, c->alike);
	c->alike = alike;

	/* a subflow that came or went would count with all that it ever delivered */
	delivery = cmpbbr_delivery(view.total - c->total, now_us - c->looked_us);
	if (view.count == c->count && c->divisor < 2 &&
	    cmpbbr_no_benefit(view.bw, view.count, delivery,
			      lab_get(net, LAB_CMPBBR_BENEFIT)))
		c->fruitless++;
	else
		c->fruitless = 0;
	c->count = view.count;
	c->total = view.total;
	c->looked_us = now_us;

	if (c->fruitless >= lab_get(net, LAB_CMPBBR_CYCLES) && !c->closing &&
	    cmpbbr_slowest(view.bw, view.count))
		cmpbbr_close_later(sk, c);
}

static u32 cmpbbr_divide(struct sock *sk, u32 bw, int phase)
{
	struct cmpbbr *c = coupled_private(sk);
	bool entered;
	u64 shown;

	if (!c)
		return 1;
	WRITE_ONCE(c->bw, bw);
	WRITE_ONCE(c->delivered, tcp_sk(sk)->delivered);
	entered = phase == CMPBBR_PHASE && c->phase != phase;
	c->phase = phase;
	if (entered)
		cmpbbr_look(sk, c);
	/* packets per us, 2^-24, as Mbit/s, 2^-20 */
	shown = ((u64)bw * tcp_sk(sk)->mss_cache) >> 1;
	coupled_publish_rate(sk, shown, max(c->divisor, 1U));
	coupled_note(sk, 0, 0);
	return phase >= CMPBBR_DIVIDED ? max(c->divisor, 1U) : 1;
}

static void cmpbbr_control(struct sock *sk, u32 ack, int flag,
			   const struct rate_sample *rs)
{
	bbr_control(sk, rs, cmpbbr_divide);
}

static const struct coupled_law cmpbbr_law = {
	.private	= sizeof(struct cmpbbr),
};

static void cmpbbr_init(struct sock *sk)
{
	BUILD_BUG_ON(offsetof(struct coupled_area, slot) < 104);
	coupled_init(sk, &cmpbbr_law);
	tcp_bbr_cong_ops.init(sk);
}

static struct tcp_congestion_ops cmpbbr_ops __read_mostly;

static int __init cmpbbr_register(void)
{
	cmpbbr_ops = tcp_bbr_cong_ops;
	strscpy(cmpbbr_ops.name, "cmpbbr", sizeof(cmpbbr_ops.name));
	cmpbbr_ops.owner = THIS_MODULE;
	cmpbbr_ops.init = cmpbbr_init;
	cmpbbr_ops.release = coupled_release;
	cmpbbr_ops.cong_control = cmpbbr_control;
	return tcp_register_congestion_control(&cmpbbr_ops);
}
device_initcall(cmpbbr_register);

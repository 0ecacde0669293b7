/* Links, flows, and how their windows grow and shrink, for bare_packets.c */

#include <math.h>

#define LINKS 8
#define FLOWS 256
#define PATHS 2
#define SUBFLOWS (FLOWS * PATHS)
#define SENT (1 << 15) /* most packets under way */

enum law { RENO, LIA, OLIA, BALIA, EWTCP, SEMICOUPLED, COUPLED, COUPLED_BALIA, CBR };
static const char *const laws[] = { "reno", "lia", "olia", "balia", "ewtcp",
				    "semicoupled", "coupled", "coupled-balia" };
enum fate { UNKNOWN, LOST, ARRIVED };

static struct link {
	double rate, delay_s, jitter_s, free_s, last_s;
	int queue, waiting;
	long arrived, dropped;
} links[LINKS];

static struct flow {
	char name[32];
	enum law law;
	double start_s, stop_s, rate_mbps, burst_s, pause_s;
	int delayed, acks, equal, parts, paths, path[PATHS], first;
	double least;
} flows[FLOWS];

static struct subflow {
	const struct flow *flow;
	struct link *link;
	double cwnd, ssthresh, credit, srtt_s, last_ack_s, backoff;
	double between, since; /* packets acknowledged between losses (OLIA) */
	long next, unacked, highest, recover, in_flight, received, expected, waiting[2];
	int alive, pending, gap, timer;
	char fate[SENT];
	double sent_s[SENT];
} *subflows;

/* What an acknowledged packet adds to the window */
static double increase(const struct subflow *sub)
{
	const struct flow *flow = sub->flow;
	const struct subflow *all = &subflows[flow->first], *p;
	double own = sub->cwnd / sub->srtt_s, total = 0, windows = 0, best = 0, most = 0;
	double widest = 0, farthest = 0, far = 0, kelly, alpha;
	int in_m = 0, in_b = 0;

	if (flow->paths == 1 || flow->law == RENO)
		return 1 / sub->cwnd;
	for (p = all; p < all + flow->paths; p++) {
		if (p->srtt_s <= 0)
			return 1 / sub->cwnd;
		total += p->cwnd / p->srtt_s;
		windows += p->cwnd;
		most = fmax(most, p->cwnd / p->srtt_s);
		best = fmax(best, p->cwnd / p->srtt_s / p->srtt_s);
		widest = fmax(widest, floor(p->cwnd));
		far = fmax(p->between, p->since) / p->srtt_s / p->srtt_s;
		farthest = fmax(farthest, far);
	}
	kelly = own / sub->srtt_s / (total * total);
	switch (flow->law) {
	case LIA:
		return fmin(best / (total * total), 1 / sub->cwnd);
	case EWTCP:
		return 1 / sqrt(flow->paths) / sub->cwnd;
	case BALIA:
		alpha = most / own;
		return kelly * (1 + alpha) / 2 * (4 + alpha) / 5;
	case OLIA:
		for (p = all; p < all + flow->paths; p++) {
			far = fmax(p->between, p->since) / p->srtt_s / p->srtt_s;
			in_m += floor(p->cwnd) == widest;
			in_b += floor(p->cwnd) < widest && far == farthest;
		}
		if (!in_b)
			return kelly;
		far = fmax(sub->between, sub->since) / sub->srtt_s / sub->srtt_s;
		if (floor(sub->cwnd) == widest)
			alpha = -1.0 / flow->paths / in_m;
		else
			alpha = far == farthest ? 1.0 / flow->paths / in_b : 0;
		return kelly + alpha / sub->cwnd;
	case COUPLED_BALIA:
		return kelly;
	default: /* semicoupled, coupled: round trips are taken to be alike */
		return 1 / windows;
	}
}

static double kept(const struct subflow *sub)
{
	const struct flow *flow = sub->flow;
	const struct subflow *all = &subflows[flow->first], *p;
	double windows = 0, most = 0, keep = sub->cwnd / 2;

	for (p = all; p < all + flow->paths; p++) {
		windows += p->cwnd;
		if (p->srtt_s > 0)
			most = fmax(most, p->cwnd / p->srtt_s);
	}
	if (flow->law == COUPLED)
		keep = sub->cwnd - windows / 2;
	if (flow->law == BALIA && sub->srtt_s > 0)
		keep = sub->cwnd * (1 - fmin(most * sub->srtt_s / sub->cwnd, 1.5) / 2);
	return fmax(flow->parts ? keep : floor(keep), flow->least);
}

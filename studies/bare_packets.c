/* Flows over drop-tail links, packet by packet, with nothing of a kernel in them.
 *
 *   cc -O2 -o bare_packets bare_packets.c -lm && ./bare_packets SEED < SCENARIO
 *
 * Lines of a scenario; times in s, but delay and jitter in ms:
 *
 *   link MBIT_PER_S DELAY JITTER QUEUE
 *   flow NAME LAW START STOP DELAYED ACKS EQUAL PARTS LEAST PATHS {LINK}...
 *   cbr MBIT_PER_S BURST PAUSE LINK
 *   phase FROM TO
 *
 * LAW is reno, lia, olia, balia, ewtcp, semicoupled, coupled (nsdi11) or coupled-balia;
 * each of the PATHS is one link. DELAYED: a receiver acknowledges every second packet.
 * ACKS: windows grow by acknowledgements, not by packets. EQUAL: slow start goes on where
 * the window equals ssthresh. PARTS: windows have parts of packets, as where they are
 * counted in bytes; they are whole packets otherwise. LEAST: of ssthresh. Queues hold
 * QUEUE packets beside the one that is being sent. Delay varies evenly by plus or minus
 * JITTER, before the queue, and packets keep their order. All packets have 1514 bytes;
 * acknowledgements are never lost.
 *
 * A packet is lost when three sent after it have arrived. Windows shrink once for what was
 * sent before the loss was seen, and do not grow until that is acknowledged. After 200 ms
 * and a round trip without acknowledgements a window starts again from one.
 *
 * Printed: for each phase, and each flow, its throughput on each path, Mbit/s of frames;
 * then what each link lost, in percent.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare_events.h"
#include "bare_laws.h"

#define FRAME_BITS (1514 * 8)
#define PHASES 8

static int n_links, n_flows, n_subflows, n_phases;
static double now_s, phases[PHASES][2];
static long counted[PHASES][2][SUBFLOWS];

static void send_one(int who)
{
	struct subflow *sub = &subflows[who];
	struct link *link = sub->link;
	double at_s = now_s + link->delay_s + (2 * uniform() - 1) * link->jitter_s;

	link->last_s = at_s > link->last_s ? at_s : link->last_s;
	sub->fate[sub->next % SENT] = UNKNOWN;
	sub->sent_s[sub->next % SENT] = now_s;
	push((struct event){ link->last_s, ARRIVE, 0, who, 0, 0, { sub->next } });
	sub->next++;
	sub->in_flight++;
}

static void fill(int who)
{
	struct subflow *sub = &subflows[who];

	while (sub->alive && sub->in_flight < (long)sub->cwnd &&
	       sub->next - sub->unacked < SENT - 2)
		send_one(who);
}

static void shrink(struct subflow *sub, double cwnd)
{
	sub->ssthresh = kept(sub);
	sub->cwnd = cwnd ? cwnd : sub->ssthresh;
	sub->recover = sub->next - 1;
	sub->between = sub->since;
	sub->since = 0;
}

static void grow(struct subflow *sub, double packets)
{
	double limit = sub->ssthresh + sub->flow->equal;

	if (sub->flow->acks)
		packets = 1;
	if (sub->cwnd < limit) {
		double step = fmin(packets, limit - sub->cwnd);

		sub->cwnd += step;
		packets -= step;
	}
	if (sub->flow->parts) {
		sub->cwnd = fmax(1, sub->cwnd + increase(sub) * packets);
		return;
	}
	sub->credit += increase(sub) * packets;
	if (fabs(sub->credit) >= 1) {
		sub->cwnd = fmax(1, sub->cwnd + trunc(sub->credit));
		sub->credit -= trunc(sub->credit);
	}
}

static void acknowledge(const struct event *event)
{
	struct subflow *sub = &subflows[event->who];
	int lost = 0, fresh = 0, i;
	double rtt_s;
	long k;

	for (i = 0; i < event->count; i++) {
		k = event->packet[i];
		if (k < sub->unacked)
			continue;
		sub->in_flight -= sub->fate[k % SENT] == UNKNOWN;
		sub->fate[k % SENT] = ARRIVED;
		sub->highest = k > sub->highest ? k : sub->highest;
		rtt_s = now_s - sub->sent_s[k % SENT];
		sub->srtt_s += sub->srtt_s > 0 ? (rtt_s - sub->srtt_s) / 8 : rtt_s;
		fresh++;
	}
	sub->last_ack_s = now_s;
	sub->backoff = 1;
	sub->since += fresh;
	for (k = sub->unacked; k <= sub->highest - 3; k++) {
		if (sub->fate[k % SENT] != UNKNOWN)
			continue;
		sub->fate[k % SENT] = LOST;
		sub->in_flight--;
		lost |= k > sub->recover;
	}
	while (sub->unacked <= sub->highest && sub->fate[sub->unacked % SENT] != UNKNOWN)
		sub->unacked++;
	if (lost)
		shrink(sub, 0);
	else if (sub->unacked > sub->recover && fresh)
		grow(sub, fresh);
	fill(event->who);
}

static void answer(int who)
{
	struct subflow *sub = &subflows[who];
	struct event ack = { now_s + sub->link->delay_s, ACK, 0, who, sub->pending };

	memcpy(ack.packet, sub->waiting, sizeof(ack.packet));
	sub->pending = 0;
	sub->timer++;
	push(ack);
}

static void receive(const struct event *event)
{
	struct subflow *sub = &subflows[event->who];

	sub->received++;
	if (sub->flow->law == CBR)
		return;
	sub->waiting[sub->pending++] = event->packet[0];
	if (event->packet[0] != sub->expected)
		sub->gap = 10;
	sub->expected = event->packet[0] + 1;
	if (!sub->flow->delayed || sub->pending == 2 || sub->gap)
		answer(event->who);
	else
		push((struct event){ now_s + 0.04, DELAYED_ACK, 0, event->who, 0, sub->timer });
	sub->gap -= sub->gap > 0;
}

static void arrive(struct event event)
{
	struct link *link = subflows[event.who].link;

	link->arrived++;
	if (link->waiting > link->queue) {
		link->dropped++;
		return;
	}
	link->waiting++;
	link->free_s = fmax(now_s, link->free_s) + 1 / link->rate;
	event.at_s = link->free_s;
	event.what = LEAVE;
	push(event);
}

static void watch(int who)
{
	struct subflow *sub = &subflows[who];
	double limit_s = sub->srtt_s > 0 ? fmax(0.2 + sub->srtt_s, 1.5 * sub->srtt_s) : 1;

	if (!sub->alive)
		return;
	if (sub->in_flight && now_s - sub->last_ack_s > limit_s * sub->backoff) {
		sub->in_flight = 0;
		sub->unacked = sub->next;
		sub->highest = sub->next - 1;
		sub->last_ack_s = now_s;
		sub->backoff = fmin(64, 2 * sub->backoff);
		shrink(sub, 1);
		fill(who);
	}
	push((struct event){ now_s + 0.05, TIMEOUT, 0, who });
}

/* Of random length, as are the pauses; `ends_s` is when the burst is over */
static void burst(int who)
{
	static double ends_s;
	const struct flow *flow = subflows[who].flow;
	double next_s = now_s;

	if (now_s >= ends_s) {
		next_s += -log(1 - uniform()) * flow->pause_s;
		ends_s = next_s - log(1 - uniform()) * flow->burst_s;
	} else {
		send_one(who);
		next_s += FRAME_BITS / (flow->rate_mbps * 1e6);
	}
	push((struct event){ next_s, BURST, 0, who });
}

static void start(int who)
{
	subflows[who].alive = 1;
	subflows[who].last_ack_s = now_s;
	fill(who);
	push((struct event){ now_s + 0.2, TIMEOUT, 0, who });
}

static void happen(struct event event)
{
	int i;

	switch (event.what) {
	case START:
		start(event.who);
		break;
	case STOP:
		subflows[event.who].alive = 0;
		break;
	case ARRIVE:
		arrive(event);
		break;
	case LEAVE:
		subflows[event.who].link->waiting--;
		receive(&event);
		break;
	case ACK:
		acknowledge(&event);
		break;
	case DELAYED_ACK:
		if (event.timer == subflows[event.who].timer && subflows[event.who].pending)
			answer(event.who);
		break;
	case TIMEOUT:
		watch(event.who);
		break;
	case BURST:
		burst(event.who);
		break;
	default:
		for (i = 0; i < n_subflows; i++)
			counted[event.who][event.count][i] = subflows[i].received;
	}
}

static int refuse(const char *word)
{
	fprintf(stderr, "bare_packets: '%s' is not understood\n", word);
	return 2;
}

static int read_flow(struct flow *flow)
{
	char law[32];
	int i;

	if (scanf("%31s %31s %lf %lf %d %d %d %d %lf %d", flow->name, law, &flow->start_s,
		  &flow->stop_s, &flow->delayed, &flow->acks, &flow->equal, &flow->parts,
		  &flow->least, &flow->paths) != 10 || flow->paths < 1 || flow->paths > PATHS)
		return refuse("flow");
	for (i = 0; i < CBR && strcmp(law, laws[i]); i++)
		;
	if (i == CBR)
		return refuse(law);
	flow->law = i;
	for (i = 0; i < flow->paths; i++)
		if (scanf("%d", &flow->path[i]) != 1)
			return refuse("path");
	return 0;
}

static int read_cbr(struct flow *flow)
{
	strcpy(flow->name, "bursts");
	flow->law = CBR;
	flow->paths = 1;
	flow->stop_s = INFINITY;
	return scanf("%lf %lf %lf %d", &flow->rate_mbps, &flow->burst_s, &flow->pause_s,
		     &flow->path[0]) == 4 ? 0 : refuse("cbr");
}

static int read_scenario(void)
{
	char word[32];

	while (scanf("%31s", word) == 1) {
		struct link *link = &links[n_links];
		int status = 0;
		double mbps;

		if (n_links == LINKS || n_flows == FLOWS || n_phases == PHASES)
			return refuse("so many lines");
		if (!strcmp(word, "link")) {
			if (scanf("%lf %lf %lf %d", &mbps, &link->delay_s,
				  &link->jitter_s, &link->queue) != 4)
				return refuse(word);
			link->rate = mbps * 1e6 / FRAME_BITS;
			link->delay_s /= 1e3;
			link->jitter_s /= 1e3;
			n_links++;
		} else if (!strcmp(word, "flow")) {
			status = read_flow(&flows[n_flows++]);
		} else if (!strcmp(word, "cbr")) {
			status = read_cbr(&flows[n_flows++]);
		} else if (!strcmp(word, "phase")) {
			if (scanf("%lf %lf", &phases[n_phases][0], &phases[n_phases][1]) != 2)
				return refuse(word);
			n_phases++;
		} else {
			return refuse(word);
		}
		if (status)
			return status;
	}
	return 0;
}

static double prepare(void)
{
	double end_s = 0;
	int f, i;

	subflows = calloc(SUBFLOWS, sizeof(*subflows));
	if (!subflows)
		abort();
	for (f = 0; f < n_flows; f++) {
		struct flow *flow = &flows[f];
		double start_s = flow->start_s + 0.02 * uniform();

		flow->first = n_subflows;
		for (i = 0; i < flow->paths; i++) {
			struct subflow *sub = &subflows[n_subflows];
			enum what what = flow->law == CBR ? BURST : START;

			sub->flow = flow;
			sub->link = &links[flow->path[i]];
			sub->cwnd = 10;
			sub->ssthresh = INFINITY;
			sub->recover = sub->highest = -1;
			sub->backoff = 1;
			push((struct event){ start_s, what, 0, n_subflows });
			push((struct event){ flow->stop_s, STOP, 0, n_subflows++ });
		}
	}
	for (i = 0; i < n_phases; i++) {
		push((struct event){ phases[i][0], NOTE, 0, i, 0 });
		push((struct event){ phases[i][1], NOTE, 0, i, 1 });
		end_s = fmax(end_s, phases[i][1]);
	}
	return end_s;
}

static void print(void)
{
	int phase, f, i;

	for (phase = 0; phase < n_phases; phase++)
		for (f = 0; f < n_flows; f++) {
			printf("flow %d %s", phase, flows[f].name);
			for (i = flows[f].first; i < flows[f].first + flows[f].paths; i++)
				printf(" %.6f", (counted[phase][1][i] - counted[phase][0][i]) *
				       FRAME_BITS / 1e6 / (phases[phase][1] - phases[phase][0]));
			printf("\n");
		}
	for (i = 0; i < n_links; i++)
		printf("lost %d %.6f\n", i, 100.0 * links[i].dropped / (links[i].arrived + 1));
}

int main(int argc, char **argv)
{
	double end_s;
	int i, status;

	state = 0x9E3779B97F4A7C15ULL * (argc > 1 ? atoi(argv[1]) + 1 : 1);
	for (i = 0; i < 100; i++)
		uniform();
	status = read_scenario();
	if (status)
		return status;
	end_s = prepare();
	while (n_events) {
		struct event event = pop();

		if (event.at_s > end_s)
			break;
		now_s = event.at_s;
		happen(event);
	}
	print();
	return 0;
}

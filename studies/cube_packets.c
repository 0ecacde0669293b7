/* TP2 in a BCube, packet by packet, with the TCP of a simulator.
 *
 *   cc -O2 -o cube_packets cube_packets.c -lm
 *   ./cube_packets SEED LAW HOSTS TAIL VICTIM FEEDER EACH LEAST_MS FLOOR A BEGIN_S END_S
 *
 * HOSTS hosts (5, 25 or 125) have a port for each digit of their number to base 5. Each sends
 * without end to all hosts that differ in one digit. Links have 100 Mbit/s and 10 us, and
 * queues of 100 packets. Acknowledgements come at once and take no capacity.
 *
 * LAW: single (Reno over the short path), ewtcp or lia (a subflow from each port; all but one
 * take three hops, through two other hosts). TAIL: so many of the last places of a queue are
 * refused with a probability of 10 %. VICTIM: 1 if a full queue loses one of the packets that
 * wait or has come, drawn, and not always that which has come. FEEDER: 1 if what a host sends passes a queue of its own,
 * as fast as the link, before that of the link. EACH: 1 if every packet is acknowledged, else
 * every second one, or after 40 ms. LEAST_MS: the shortest timeout. FLOOR: packets, of the
 * window after a loss. A: of EWTCP.
 *
 * Windows count bytes. A third duplicate acknowledgement shrinks a window once; what is lost
 * besides is sent again one packet per round trip (NewReno). A timeout comes after the round
 * trip and four deviations of it, is looked for every 10 ms, and goes back to what is not
 * acknowledged.
 *
 * Printed: the goodput of a host, Mbit/s; the rate of a long subflow over that of a short one;
 * the loss of both, in percent; and their timeouts per second.
 */
#include <stdio.h>
#include <string.h>

#include "cube_events.h"
#include "cube_windows.h"

#define PACKET_NS 120000L
#define DELAY_NS 10000L
#define SCAN_NS 10000000L
#define DELAYED_NS 40000000L
#define SPREAD_NS 50000000L
#define NEVER 0x7fffffffffffffffL
#define QUEUE 100
#define FEEDER_QUEUE 2000
#define QUEUES (3 * MOST_HOSTS * DIGITS)

enum place { FEEDER, UP, DOWN };

static int hosts, digits, tail, victim, feeder, n_subflows;
static int counting;

struct packet {
	int who, hop;
	long sequence, sent_ns;
};

static struct queue {
	struct packet *packets;
	int first, count, room;
} queues[QUEUES];

static struct packet travelling[QUEUES]; /* at most one per queue: delays are short */

static long delivered[2], sent[2], dropped[2], timeouts[2];
static struct line leaving, arriving;

static void receive(struct packet packet);

static int name(enum place place, int host, int digit)
{
	return (place * MOST_HOSTS + host) * DIGITS + digit;
}

/* Put a packet in the place of one that waits, drawn: any but the one that is being sent */
static struct packet exchange(struct queue *queue, struct packet packet)
{
	int i = 1 + (int)(uniform() * queue->count);
	struct packet *waits = queue->packets, lost;

	if (i == queue->count)
		return packet;
	lost = waits[(queue->first + i) % queue->room];
	for (; i < queue->count - 1; i++)
		waits[(queue->first + i) % queue->room] =
			waits[(queue->first + i + 1) % queue->room];
	waits[(queue->first + i) % queue->room] = packet;
	return lost;
}

static void enter(struct packet packet)
{
	int number = subflows[packet.who].hop[packet.hop];
	struct queue *queue = &queues[number];
	int is_feeder = number < MOST_HOSTS * DIGITS, is_full = queue->count == queue->room;

	if (is_full || (!is_feeder && queue->count >= queue->room - tail && uniform() < 0.1)) {
		if (is_full && victim)
			packet = exchange(queue, packet);
		dropped[subflows[packet.who].is_long] += counting;
		return;
	}
	queue->packets[(queue->first + queue->count++) % queue->room] = packet;
	if (queue->count == 1)
		append(&leaving, (struct event){ now_ns + PACKET_NS, 0, LEAVE, number });
}

static void leave(int number)
{
	struct queue *queue = &queues[number];
	struct packet packet = queue->packets[queue->first];

	queue->first = (queue->first + 1) % queue->room;
	if (--queue->count)
		append(&leaving, (struct event){ now_ns + PACKET_NS, 0, LEAVE, number });
	packet.hop++;
	if (number < MOST_HOSTS * DIGITS) {
		enter(packet);
		return;
	}
	travelling[number] = packet;
	append(&arriving, (struct event){ now_ns + DELAY_NS, 0, ARRIVE, number });
}

static void arrive(int number)
{
	struct packet packet = travelling[number];

	if (packet.hop == subflows[packet.who].hops)
		receive(packet);
	else
		enter(packet);
}

static void send_one(int who, long sequence)
{
	struct subflow *sub = &subflows[who];

	if (sub->deadline_ns == NEVER)
		sub->deadline_ns = now_ns + sub->timeout_ns;
	sent[sub->is_long] += counting;
	enter((struct packet){ who, 0, sequence, now_ns });
}

static void fill(int who)
{
	struct subflow *sub = &subflows[who];

	while (sub->window >= (sub->highest + 1 - sub->acked) * BYTES &&
	       sub->highest - sub->acked < WINDOW - 2)
		send_one(who, sub->highest++);
}

/* A new acknowledgement while lost packets are sent again */
static void recover(int who, long upto)
{
	struct subflow *sub = &subflows[who];
	long fresh = (upto - sub->acked) * BYTES, flight = (sub->highest - upto) * BYTES;

	sub->acked = upto;
	if (upto >= sub->recover) {
		sub->window = sub->ssthresh < flight + BYTES ? sub->ssthresh : flight + BYTES;
		sub->duplicates = 0;
		sub->recovering = 0;
		couple(who);
	} else {
		sub->window = (fresh < sub->window ? sub->window - fresh : 0) + BYTES;
		send_one(who, sub->acked);
	}
	fill(who);
}

static void repeat(int who)
{
	struct subflow *sub = &subflows[who];

	if (sub->recovering)
		sub->window += BYTES;
	else if (++sub->duplicates == 3) {
		if (sub->acked < sub->recover)
			return;
		sub->ssthresh = shrunk(sub);
		sub->recovering = 1;
		sub->recover = sub->highest;
		couple(who);
		send_one(who, sub->acked);
		sub->window = sub->ssthresh + 3 * BYTES;
		return;
	}
	fill(who);
}

static void acknowledge(int who, long upto, long sent_ns)
{
	struct subflow *sub = &subflows[who];

	time_round_trip(sub, sent_ns);
	if (upto == sub->acked) {
		repeat(who);
		return;
	}
	sub->deadline_ns = now_ns + sub->timeout_ns;
	if (upto >= sub->highest) {
		sub->highest = upto;
		sub->deadline_ns = NEVER;
	}
	if (sub->recovering) {
		recover(who, upto);
		return;
	}
	sub->acked = upto;
	sub->duplicates = 0;
	grow(who);
	fill(who);
}

static void answer(int who, long sent_ns)
{
	struct subflow *sub = &subflows[who];

	sub->pending = 0;
	sub->timer++;
	acknowledge(who, sub->expected, sent_ns);
}

static void receive(struct packet packet)
{
	struct subflow *sub = &subflows[packet.who];
	int next = packet.sequence == sub->expected, gaps = 0;
	long k = packet.sequence % WINDOW;

	if (packet.sequence >= sub->expected && !sub->there[k]) {
		sub->there[k] = 1;
		delivered[sub->is_long] += counting;
	}
	while (sub->there[sub->expected % WINDOW]) {
		sub->there[sub->expected++ % WINDOW] = 0;
		gaps = sub->expected > packet.sequence + 1;
	}
	if (each || !next || gaps || sub->pending) {
		answer(packet.who, sub->pending ? sub->waiting_ns : packet.sent_ns);
		return;
	}
	sub->pending = 1;
	sub->waiting_ns = packet.sent_ns;
	push((struct event){ now_ns + DELAYED_NS, 0, DELAYED_ACK, packet.who, sub->timer });
}

static void time_out(int who)
{
	struct subflow *sub = &subflows[who];
	long flight = (sub->highest - sub->acked) * BYTES;

	sub->late = 0;
	if (now_ns <= sub->deadline_ns)
		return;
	timeouts[sub->is_long] += counting;
	if (sub->recovering)
		sub->window = sub->ssthresh < flight + BYTES ? sub->ssthresh : flight + BYTES;
	sub->recovering = 0;
	sub->ssthresh = shrunk(sub);
	sub->window = BYTES;
	sub->recover = sub->highest;
	sub->highest = sub->acked + 1;
	sub->duplicates = 0;
	sub->timeout_ns *= 2;
	sub->deadline_ns = now_ns + sub->timeout_ns;
	couple(who);
	send_one(who, sub->acked);
}

/* Deadlines that passed are acted on a little later, each in its own moment */
static void scan(void)
{
	int who;

	for (who = 0; who < n_subflows; who++) {
		struct subflow *sub = &subflows[who];
		long late_ns = now_ns - sub->deadline_ns;

		if (late_ns <= 0 || sub->late)
			continue;
		while (late_ns > SCAN_NS)
			late_ns /= 2;
		sub->late = 1;
		push((struct event){ now_ns + (SCAN_NS - late_ns) / 200, 0, TIMEOUT, who });
	}
	push((struct event){ now_ns + SCAN_NS, 0, SCAN });
}

static int happen(struct event event)
{
	now_ns = event.at_ns;
	switch (event.what) {
	case LEAVE:
		leave(event.who);
		break;
	case ARRIVE:
		arrive(event.who);
		break;
	case START:
		fill(event.who);
		break;
	case SCAN:
		scan();
		break;
	case TIMEOUT:
		time_out(event.who);
		break;
	case DELAYED_ACK:
		if (event.timer == subflows[event.who].timer && subflows[event.who].pending)
			answer(event.who, subflows[event.who].waiting_ns);
		break;
	case BEGIN:
		counting = 1;
		break;
	case END:
		return 0;
	}
	return 1;
}

static int with_digit(int host, int digit, int value)
{
	int i, unit = 1;

	for (i = 0; i < digit; i++)
		unit *= BASE;
	return host + (value - host / unit % BASE) * unit;
}

static int digit_of(int host, int digit)
{
	int i;

	for (i = 0; i < digit; i++)
		host /= BASE;
	return host % BASE;
}

static int step(struct subflow *sub, int host, int digit, int value)
{
	int next = with_digit(host, digit, value);

	if (feeder && !sub->hops)
		sub->hop[sub->hops++] = name(FEEDER, host, digit);
	sub->hop[sub->hops++] = name(UP, host, digit);
	sub->hop[sub->hops++] = name(DOWN, next, digit);
	return next;
}

/* The path from the port of `way` to the host that differs in `digit` */
static void lay(struct subflow *sub, int host, int digit, int value, int way)
{
	int here = host, aside;

	sub->is_long = way != digit;
	if (sub->is_long) {
		aside = (digit_of(host, way) + 1 + (int)(uniform() * (BASE - 1))) % BASE;
		here = step(sub, here, way, aside);
	}
	here = step(sub, here, digit, value);
	if (sub->is_long)
		step(sub, here, way, digit_of(host, way));
}

static void connect(int host, int digit, int value)
{
	long start_ns = uniform() * SPREAD_NS;
	int kin = n_subflows, way;

	for (way = 0; way < digits; way++) {
		struct subflow *sub = &subflows[n_subflows];

		if (law == SINGLE && way != digit)
			continue;
		lay(sub, host, digit, value, way);
		sub->kin = kin;
		sub->window = 10 * BYTES;
		sub->ssthresh = NEVER;
		sub->timeout_ns = 3000000000L;
		sub->deadline_ns = NEVER;
		sub->alpha = 1;
		push((struct event){ start_ns, 0, START, n_subflows++ });
	}
	subflows[kin].n_kin = n_subflows - kin;
}

static void prepare(void)
{
	int i, host, digit, value;

	subflows = calloc(SUBFLOWS, sizeof(*subflows));
	leaving.room = arriving.room = QUEUES + 1;
	leaving.events = calloc(leaving.room, sizeof(struct event));
	arriving.events = calloc(arriving.room, sizeof(struct event));
	if (!subflows || !leaving.events || !arriving.events)
		abort();
	for (i = 0; i < QUEUES; i++) {
		queues[i].room = i < MOST_HOSTS * DIGITS ? FEEDER_QUEUE : QUEUE;
		queues[i].packets = calloc(queues[i].room, sizeof(struct packet));
		if (!queues[i].packets)
			abort();
	}
	for (host = 0; host < hosts; host++)
		for (digit = 0; digit < digits; digit++)
			for (value = 0; value < BASE; value++)
				if (value != digit_of(host, digit))
					connect(host, digit, value);
	push((struct event){ SCAN_NS, 0, SCAN });
}

static struct event next_event(void)
{
	struct event *least = n_events ? heap : NULL;

	if (first(&leaving) && (!least || before(first(&leaving), least)))
		least = first(&leaving);
	if (first(&arriving) && (!least || before(first(&arriving), least)))
		least = first(&arriving);
	if (least == first(&leaving))
		return take(&leaving);
	return least == first(&arriving) ? take(&arriving) : pop();
}

static void print(double seconds)
{
	int i, count[2] = { 0, 0 };
	double rate[2];

	for (i = 0; i < n_subflows; i++)
		count[subflows[i].is_long]++;
	for (i = 0; i < 2; i++)
		rate[i] = count[i] ? (double)delivered[i] / count[i] : 0;
	printf("%.6f %.6f", (delivered[0] + delivered[1]) * BYTES * 8 / seconds / 1e6 / hosts,
	       rate[1] / rate[0]);
	for (i = 0; i < 2; i++)
		printf(" %.6f", sent[i] ? 100.0 * dropped[i] / sent[i] : 0);
	for (i = 0; i < 2; i++)
		printf(" %.6f", timeouts[i] / seconds);
	printf("\n");
}

static int refuse(const char *word)
{
	fprintf(stderr, "cube_packets: '%s' is not understood\n", word);
	return 2;
}

int main(int argc, char **argv)
{
	double begin_s, end_s;
	int i;

	if (argc != 13)
		return refuse("so many words");
	state = 0x9E3779B97F4A7C15ULL * (atoi(argv[1]) + 1);
	for (i = 0; i < 100; i++)
		uniform();
	for (i = 0; i < LAWS && strcmp(argv[2], laws[i]); i++)
		;
	if (i == LAWS)
		return refuse(argv[2]);
	law = i;
	for (hosts = 1; digits < DIGITS && hosts < atoi(argv[3]); hosts *= BASE)
		digits++;
	if (hosts != atoi(argv[3]) || hosts == 1)
		return refuse(argv[3]);
	tail = atoi(argv[4]);
	victim = atoi(argv[5]);
	feeder = atoi(argv[6]);
	each = atoi(argv[7]);
	least_ns = atof(argv[8]) * 1e6;
	floor_bytes = atof(argv[9]) * BYTES;
	ewtcp_a = atof(argv[10]);
	begin_s = atof(argv[11]);
	end_s = atof(argv[12]);
	prepare();
	push((struct event){ begin_s * 1e9, 0, BEGIN });
	push((struct event){ end_s * 1e9, 0, END });
	while (happen(next_event()))
		;
	print(end_s - begin_s);
	return 0;
}

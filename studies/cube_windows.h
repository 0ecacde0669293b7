/* Subflows, and how their windows grow and shrink, for cube_packets.c */

#include <math.h>

#define BASE 5
#define DIGITS 3
#define MOST_HOSTS 125
#define BYTES 1500L
#define WINDOW 8192 /* most packets between the first that is not acknowledged and the last */
#define HOPS (1 + 2 * DIGITS)
#define SUBFLOWS (MOST_HOSTS * (BASE - 1) * DIGITS * DIGITS)

enum law { SINGLE, EWTCP, LIA, LAWS };
static const char *const laws[LAWS] = { "single", "ewtcp", "lia" };

static enum law law;
static int each;
static long now_ns, least_ns, floor_bytes;
static double ewtcp_a;

static struct subflow {
	int is_long, hops, hop[HOPS], kin, n_kin;
	long window, ssthresh; /* bytes */
	long acked, highest, recover; /* numbers of packets */
	long srtt_ns, deviation_ns, timeout_ns, deadline_ns;
	int duplicates, recovering, late;
	double alpha; /* LIA's, in the connection's first subflow */
	/* of the receiver: the next packet, those after it that are there, a waiting answer */
	long expected, waiting_ns;
	char there[WINDOW];
	int pending, timer;
} *subflows;

static double usual(const struct subflow *sub)
{
	return fmax(1, sub->recovering ? sub->ssthresh : sub->window);
}

/* LIA's alpha; round trips count whole milliseconds, at least one */
static void couple(int who)
{
	struct subflow *all = &subflows[subflows[who].kin], *sub;
	double windows = 0, most = 0, rates = 0, rtt_ms;

	if (law != LIA)
		return;
	for (sub = all; sub < all + all->n_kin; sub++) {
		rtt_ms = fmax(1, floor(sub->srtt_ns / 1e6));
		windows += usual(sub);
		most = fmax(most, usual(sub) / rtt_ms / rtt_ms);
		rates += usual(sub) / rtt_ms;
	}
	all->alpha = windows * most / (rates * rates);
}

static long rounded(double value)
{
	return floor(value) + (uniform() < value - floor(value));
}

static void grow(int who)
{
	struct subflow *sub = &subflows[who];
	const struct subflow *all = &subflows[sub->kin], *other;
	long most = (each ? 1 : 2) * BYTES, before = sub->window, step;
	long fresh = sub->window - (sub->highest - sub->acked) * BYTES;
	double windows = 0;

	fresh = fresh < most ? fresh : most;
	if (fresh <= 0)
		return;
	if (sub->window < sub->ssthresh) {
		long room = sub->ssthresh - sub->window;

		sub->window += fresh < room ? fresh : room;
		return;
	}
	step = fresh * BYTES / sub->window;
	if (law == EWTCP) {
		step = rounded(step * ewtcp_a);
	} else if (law == LIA) {
		for (other = all; other < all + all->n_kin; other++)
			windows += usual(other);
		step = fmin(step, rounded(fresh * BYTES * all->alpha / windows));
	}
	sub->window += step;
	if (sub->window / BYTES != before / BYTES)
		couple(who);
}

static long shrunk(const struct subflow *sub)
{
	long least = law == SINGLE ? 2 * BYTES : floor_bytes;

	return sub->window / 2 > least ? sub->window / 2 : least;
}

static void time_round_trip(struct subflow *sub, long sent_ns)
{
	long rtt_ns = now_ns - sent_ns;

	if (sub->srtt_ns) {
		sub->deviation_ns += (labs(rtt_ns - sub->srtt_ns) - sub->deviation_ns) / 4;
		sub->srtt_ns += (rtt_ns - sub->srtt_ns) / 8;
	} else {
		sub->srtt_ns = rtt_ns;
		sub->deviation_ns = rtt_ns / 2;
	}
	sub->timeout_ns = sub->srtt_ns + 4 * sub->deviation_ns;
	if (sub->timeout_ns < least_ns)
		sub->timeout_ns = least_ns;
}

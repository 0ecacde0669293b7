/* What happens when, and chance, for cube_packets.c; times in ns */

#include <stdlib.h>

enum what { LEAVE, ARRIVE, START, SCAN, TIMEOUT, DELAYED_ACK, BEGIN, END };

struct event {
	long at_ns, order;
	enum what what;
	int who, timer;
};

static long order;
static unsigned long long state;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) / 9007199254740992.0;
}

static int before(const struct event *a, const struct event *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

/* Events that are as long after the present as all others of their kind: in order */
struct line {
	struct event *events;
	long first, count, room;
};

static void append(struct line *line, struct event event)
{
	event.order = order++;
	if (line->count == line->room)
		abort();
	line->events[(line->first + line->count++) % line->room] = event;
}

static struct event *first(struct line *line)
{
	return line->count ? &line->events[line->first] : NULL;
}

static struct event take(struct line *line)
{
	struct event event = line->events[line->first];

	line->first = (line->first + 1) % line->room;
	line->count--;
	return event;
}

/* All other events: a heap */
static struct event *heap;
static long n_events, room;

static void push(struct event event)
{
	long i = n_events++;

	event.order = order++;
	if (n_events > room) {
		room = 2 * n_events;
		heap = realloc(heap, room * sizeof(*heap));
		if (!heap)
			abort();
	}
	for (; i && before(&event, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = event;
}

static struct event pop(void)
{
	struct event least = heap[0], last = heap[--n_events];
	long i = 0, child;

	while ((child = 2 * i + 1) < n_events) {
		if (child + 1 < n_events && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return least;
}

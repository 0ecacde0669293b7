/* What happens when, and chance, for bare_packets.c */

#include <stdlib.h>

enum what { START, STOP, ARRIVE, LEAVE, ACK, DELAYED_ACK, TIMEOUT, BURST, NOTE };

static struct event {
	double at_s;
	enum what what;
	long order;
	int who, count, timer;
	long packet[2];
} *heap;

static long n_events, room, order;
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
	return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

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
	struct event first = heap[0], last = heap[--n_events];
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
	return first;
}

/* Chance, and a heap of events, for simulators that define `struct event` and before()
 *
 * An event has its `order`, so that events of one instant happen as they were pushed.
 */

#include <stdlib.h>

static struct event *heap;
static long n_events, room, order;
static unsigned long long state;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) / 9007199254740992.0;
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

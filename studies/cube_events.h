/* What happens when, and chance, for cube_packets.c; times in ns */

enum what { LEAVE, ARRIVE, START, SCAN, TIMEOUT, DELAYED_ACK, BEGIN, END };

struct event {
	long at_ns, order;
	enum what what;
	int who, timer;
};

static int before(const struct event *a, const struct event *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

#include "event_heap.h"

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

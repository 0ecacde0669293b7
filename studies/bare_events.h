/* What happens when, and chance, for bare_packets.c */

enum what { START, STOP, ARRIVE, LEAVE, ACK, DELAYED_ACK, TIMEOUT, BURST, NOTE };

struct event {
	double at_s;
	enum what what;
	long order;
	int who, count, timer;
	long packet[2];
};

static int before(const struct event *a, const struct event *b)
{
	return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

#include "event_heap.h"

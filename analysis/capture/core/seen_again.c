// SPDX-License-Identifier: MIT
/*
 * Packets that one capture point shows twice, as a bridge or a router captured on all
 * its interfaces does.
 *
 * A packet counts as seen again if another interface has shown one with the same ends
 * and the same fields of IP and TCP within WINDOW_NS, and this interface has not. A
 * flow that moves from one interface to another shows no packet twice, so all its
 * packets count. Two packets that are alike in everything (an IPv6 sender without
 * timestamps repeats a segment at once) cannot be told apart from one packet.
 */
#include "core.h"

#define WINDOW_NS 1000000000
#define WAYS 4			/* sightings in a set */
#define MAX_SETS (1u << 16)

static u64 mix(u64 state, u64 value)
{
	state ^= value;
	state *= 0x9E3779B97F4A7C15u;
	return state ^ state >> 32;
}

/* Of the fields that no bridge or router changes. */
u64 fingerprint(const struct analyser *c, const struct packet *p)
{
	u64 state = (u64)c->settings.seed, part[4];

	memcpy(part, p->addresses, 32);
	for (int i = 0; i < 4; i++)
		state = mix(state, part[i]);
	state = mix(state, (u64)p->ports[0] << 48 | (u64)p->ports[1] << 32 |
			   (u64)p->flags << 16 | p->window);
	state = mix(state, (u64)p->seq << 32 | p->ack);
	state = mix(state, (u64)p->id << 48 ^ (u64)p->payload);
	if (p->has_stamp)
		state = mix(state, (u64)p->stamp << 32 | p->echo);
	if (p->sacks)
		state = mix(state, (u64)p->sack[0][0] << 32 | p->sack[0][1]);
	return state;
}

static bool allocate(struct analyser *c)
{
	u64 sets = MAX_SETS;

	while (sets > 64 && (i64)(sets * WAYS * sizeof(struct sighting)) >
			    c->settings.budget / 32)
		sets /= 2;
	c->sightings = arena_alloc(&c->memory, sets * WAYS * sizeof(struct sighting));
	c->sighting_sets = c->sightings ? sets : 0;
	return c->sightings;
}

/* Whether another interface (`source`) of the same capture point has shown a packet. */
bool seen_again(struct analyser *c, const struct packet *p, u32 point, u32 source)
{
	u64 print = fingerprint(c, p), bit = 1ull << (mix(0, source) >> 58);
	struct sighting *set, *oldest;

	print = mix(print, point);
	if (p->has_dss && p->dss.has_ack)
		print = mix(print, p->dss.ack);
	if (p->has_dss && p->dss.has_map)
		print = mix(print, p->dss.dsn);
	if (!c->sightings && !allocate(c))
		return false;
	set = &c->sightings[(print & (c->sighting_sets - 1)) * WAYS];
	oldest = set;
	for (int i = 0; i < WAYS; i++) {
		struct sighting *s = &set[i];

		if (s->fingerprint == print && s->sources && !(s->sources & bit) &&
		    p->time_ns - s->time_ns <= WINDOW_NS &&
		    s->time_ns - p->time_ns <= WINDOW_NS) {
			s->sources |= bit;
			return true;
		}
		if (s->time_ns < oldest->time_ns)
			oldest = s;
	}
	*oldest = (struct sighting){ print, bit, p->time_ns };
	return false;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of the scheduler "daps" (daps.c). It also compiles as an ordinary
 * program.
 *
 * Times are in half units, so that half of a round-trip time is a whole number.
 */
#ifndef _MPTCP_DAPS_H
#define _MPTCP_DAPS_H

#include <linux/minmax.h>
#include <linux/types.h>

#define DAPS_MOST	4096U	/* units of a run */

/* A round-trip time in whole units, at least one. */
static inline u32 daps_units(u32 rtt_us, u32 unit_us)
{
	u32 units = rtt_us / unit_us + (rtt_us % unit_us >= unit_us / 2 + unit_us % 2);

	return clamp(units, 1U, DAPS_MOST);
}

/* The length of a run: the least common multiple of both, or the longer one if that is
 * more than DAPS_MOST.
 */
static inline u32 daps_length(u32 length, u32 rtt)
{
	u32 a = length, b = rtt, rest;
	u64 lcm;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	lcm = (u64)length / a * rtt;
	return lcm > DAPS_MOST ? max(length, rtt) : lcm;
}

/* When the segment number @index of a run arrives, from 0, of a path that sends @cwnd
 * segments per round-trip time @rtt.
 */
static inline u32 daps_arrival(u32 index, u32 cwnd, u32 rtt)
{
	u64 time = (2ULL * (index / (cwnd ?: 1)) + 1) * rtt;

	return min_t(u64, time, ~0U);
}

/* The segments of a path that arrive before @time, or also at that time if @at. */
static inline u32 daps_before(u32 time, bool at, u32 cwnd, u32 rtt, u32 planned)
{
	u64 rounds;

	if (!at)
		time -= min(time, 1U);
	if (time < rtt)
		return 0;
	rounds = (time / rtt - 1) / 2 + 1;
	return min_t(u64, rounds * cwnd, planned);
}

#endif /* _MPTCP_DAPS_H */

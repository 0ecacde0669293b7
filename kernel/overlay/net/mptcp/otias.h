/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of the scheduler "otias" (otias.c). It also compiles as an ordinary
 * program.
 */
#ifndef _MPTCP_OTIAS_H
#define _MPTCP_OTIAS_H

#include <linux/types.h>

/* When a segment arrives that is queued now, in twice the unit of @srtt.
 *
 * @cwnd, @inflight, @queued: in segments
 */
static inline u64 otias_arrival(u32 cwnd, u32 inflight, u32 queued, u32 srtt)
{
	s64 wait = (s64)queued - ((s64)cwnd - inflight);
	u64 rounds = wait > 0 ? (u64)wait / (cwnd ?: 1) : 0;

	return (2 * rounds + 1) * srtt;
}

#endif /* _MPTCP_OTIAS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of ECF (ecf.c), which is also compiled as a program. */
#ifndef _MPTCP_ECF_H
#define _MPTCP_ECF_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ECF_UNIT	1000U	/* of beta */

/* A subflow: window in bytes, round-trip time and its deviation in microseconds. */
struct ecf_path {
	u64 window;
	u32 rtt, deviation;
};

/* The time that @bytes take, in microseconds: whole windows as a fraction, less than a
 * window as one round trip. More than 2^20 round trips count as 2^20.
 */
static inline u64 ecf_time(u64 bytes, const struct ecf_path *path)
{
	u64 window = max(path->window, 1ULL);

	bytes = min(max(bytes, window), window << 20);
	return mul_u64_u64_div_u64(bytes, path->rtt, window);
}

/* Whether to wait for @f rather than to send on @s, and whether the connection waits from
 * now on (@waiting). @bytes are what no subflow has yet.
 */
static inline bool ecf_decide(u64 bytes, const struct ecf_path *f,
			      const struct ecf_path *s, u32 beta, bool *waiting)
{
	u64 delta = max(f->deviation, s->deviation);
	u64 weight = ECF_UNIT + (*waiting ? beta : 0);

	if (ECF_UNIT * (f->rtt + ecf_time(bytes, f)) >= weight * (s->rtt + delta)) {
		*waiting = false;
		return false;
	}
	if (ecf_time(bytes, s) < 2ULL * f->rtt + delta)
		return false;
	*waiting = true;
	return true;
}

#endif /* _MPTCP_ECF_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of the scheduler "stms" (stms.c). It also compiles as an ordinary
 * program.
 */
#ifndef _MPTCP_STMS_H
#define _MPTCP_STMS_H

#include <linux/types.h>
#include <linux/math64.h>

#define STMS_MOST	(1 << 30)	/* bytes */

/* The bytes that a fast path carries while a segment is on its way on the slow one and no
 * segment of the fast one would be: w_f / RTT_f (RTT_s - RTT_f) / 2.
 *
 * @window:	of the fast path, in bytes
 * @fast, @slow: round-trip times, in any common unit
 */
static inline u32 stms_gap(u64 window, u32 fast, u32 slow)
{
	u64 gap;

	if (!fast || slow <= fast)
		return 0;
	if (window > STMS_MOST)
		window = STMS_MOST;
	gap = mul_u64_u64_div_u64(window, slow - fast, 2 * (u64)fast);
	return gap < STMS_MOST ? gap : STMS_MOST;
}

/* The next correction of the gap. @late: how many bytes too late a segment came; @gain:
 * in thousandths
 */
static inline s32 stms_correct(s32 correction, s64 late, u32 gain)
{
	s64 next;

	if (late > STMS_MOST)
		late = STMS_MOST;
	if (late < -STMS_MOST)
		late = -STMS_MOST;
	next = correction + div_s64(late * gain, 1000);
	if (next > STMS_MOST)
		return STMS_MOST;
	return next < -STMS_MOST ? -STMS_MOST : next;
}

/* The bytes that the slow path leaves out. */
static inline u32 stms_ahead(u32 gap, s32 correction)
{
	s64 ahead = (s64)gap + correction;

	if (ahead < 0)
		return 0;
	return ahead < STMS_MOST ? ahead : STMS_MOST;
}

#endif /* _MPTCP_STMS_H */

// SPDX-License-Identifier: GPL-2.0
/* LIA, the Linked Increases Algorithm
 *
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2, "MPTCP".
 *	C. Raiciu, M. Handley, D. Wischik: Coupled Congestion Control for
 *	Multipath Transport Protocols. RFC 6356, 2011.
 *
 *	each ACK:  w_r += the least, over the sets S of subflows that include r, of
 *			  max_S(w_s / rtt_s^2) / (sum_S(w_s / rtt_s))^2
 *	each loss: w_r -= w_r / 2
 *
 * With up to two subflows that is RFC 6356. With more, the RFC takes only the set
 * of all subflows, and the controller "max" does; its growth is never the smaller,
 * and can exceed a TCP's on a bottleneck that some of the subflows share.
 *
 * How this differs from the paper's text:
 *  - the increase is computed for every ACK, not when the window reaches one more
 *    packet;
 *  - windows are counted in segments, and all subflows are taken to have segments
 *    of one size;
 *  - a path whose round-trip time was never measured does not count.
 * With a single subflow, or none of MPTCP, it is Reno to the byte.
 */

#include "coupled.h"
#include "lia.h"

/* The decrease is left to TCP: no less than two segments. */
static const struct coupled_law lia_law = {
	.increase	= lia_increase,
	.alpha		= lia_alpha,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(lia, "lia");

// SPDX-License-Identifier: GPL-2.0
/* Max, which is RFC 6356 over all subflows at once
 *
 *	C. Raiciu, M. Handley, D. Wischik: Coupled Congestion Control for
 *	Multipath Transport Protocols. RFC 6356, 2011.
 *	Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design
 *	and Implementation. IEEE/ACM ToN, 2016, section II-B, "Max MPTCP".
 *
 *	each ACK:  w_r += min(max_p(w_p / rtt_p^2) / (sum_p(w_p / rtt_p))^2, 1 / w_r)
 *	each loss: w_r -= w_r / 2
 *
 * With up to two subflows "lia" is the same; with more, lia also looks at each
 * subset of the subflows (lia.c).
 *
 * How this differs from the RFC's text:
 *  - windows are counted in segments, and all subflows are taken to have
 *    segments of one size;
 *  - alpha is computed anew for every ACK instead of once a round trip, with
 *    more fraction bits than the RFC's alpha_scale;
 *  - a path whose round-trip time was never measured does not count.
 * With a single subflow, or none of MPTCP, it is Reno to the byte.
 */

#include "coupled.h"
#include "max.h"

/* The RFC leaves the decrease to TCP: no less than two segments. */
static const struct coupled_law max_law = {
	.increase	= max_increase,
	.alpha		= max_alpha,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(max, "max");

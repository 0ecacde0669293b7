// SPDX-License-Identifier: GPL-2.0
/* LIA as RFC 6356 has it, over all subflows at once
 *
 *	C. Raiciu, M. Handley, D. Wischik: Coupled Congestion Control for
 *	Multipath Transport Protocols. RFC 6356, 2011.
 *	Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design
 *	and Implementation. IEEE/ACM ToN, 2016, section II-B, "Max MPTCP".
 *
 *	each ACK:  w_r += min(max_p(w_p / rtt_p^2) / (sum_p(w_p / rtt_p))^2, 1 / w_r)
 *	each loss: w_r -= w_r / 2
 *
 * With up to two subflows the controller "lia" is the same. With more, "lia" also
 * considers every subset of the subflows (lia.c).
 *
 * The code differs from the RFC's text as follows.
 *  - Windows are counted in segments, and all subflows are assumed to have segments
 *    of one size.
 *  - alpha is computed for every ACK instead of once per round trip, with more
 *    fraction bits than the RFC's alpha_scale.
 *  - A path whose round-trip time was never measured does not count.
 * With a single subflow, or without MPTCP, the code is Reno's.
 */

#include "coupled_core.h"
#include "lia_rfc6356.h"

/* The RFC leaves the decrease to TCP: ssthresh is at least two segments. */
static const struct coupled_law lia_rfc6356_law = {
	.increase	= lia_rfc6356_increase,
	.alpha		= lia_rfc6356_alpha,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(lia_rfc6356, "lia_rfc6356");

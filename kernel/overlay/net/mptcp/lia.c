// SPDX-License-Identifier: GPL-2.0
/* LIA, the Linked Increases Algorithm
 *
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2, "MPTCP".
 *	C. Raiciu, M. Handley, D. Wischik: Coupled Congestion Control for
 *	Multipath Transport Protocols. RFC 6356, 2011.
 *
 *	each ACK:  w_r += the minimum, over all sets S of subflows that include r, of
 *			  max_S(w_s / rtt_s^2) / (sum_S(w_s / rtt_s))^2
 *	each loss: w_r -= w_r / 2
 *
 * With up to two subflows that is RFC 6356. With more, the RFC considers only the set
 * of all subflows, as the controller "lia_rfc6356" does. The RFC's growth is never
 * smaller, and can exceed a TCP's on a bottleneck that some of the subflows share.
 *
 * The code differs from the paper's text as follows.
 *  - The increase is computed for every ACK, not when the window reaches one more
 *    packet.
 *  - Windows are counted in segments, and all subflows are assumed to have segments
 *    of one size.
 *  - A path whose round-trip time was never measured does not count.
 * With a single subflow, or without MPTCP, the code is Reno's.
 *
 * With sysctl net.mptcp.lia_rule the growth is that of MPTCP for Linux 0.91.
 */

#include "coupled_core.h"
#include "lab.h"
#include "lia.h"

static u32 lia_parameter(const struct net *net)
{
	return lab_get(net, LAB_LIA_RULE);
}

/* The decrease is left to TCP: ssthresh is at least two segments. */
static const struct coupled_law lia_law = {
	.increase	= lia_increase,
	.alpha		= lia_alpha,
	.parameter	= lia_parameter,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(lia, "lia");

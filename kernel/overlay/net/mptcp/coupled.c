// SPDX-License-Identifier: GPL-2.0
/* COUPLED, registered as "coupled"
 *
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2.2:
 *
 *	each ACK:  w_r += 1 / w_total
 *	each loss: w_r -= w_total / 2, but not below one packet
 *
 * With sysctl net.mptcp.coupled_balia_forms it is the algorithm that this paper calls
 * Coupled:
 *
 *	Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design
 *	and Implementation. IEEE/ACM ToN 24(1), 2016, section II-B:
 *
 *	each ACK:  w_r += (w_r / rtt_r^2) / (sum_p(w_p / rtt_p))^2
 *	each loss: w_r -= w_r / 2
 *
 * In both papers the smallest ssthresh is one segment while there are several
 * subflows.
 *
 * The code differs from the papers in two ways. The window that remains after a loss
 * is rounded down. A path whose round-trip time was never measured does not count.
 * With a single subflow, or without MPTCP, the code is Reno's.
 *
 * The identifiers begin with fully_coupled_, because coupled_ is the prefix of the
 * core that all coupled controllers share (coupled_core.h).
 */

#include "coupled.h"
#include "coupled_core.h"
#include "lab.h"

static u32 fully_coupled_parameter(const struct net *net)
{
	return lab_get(net, LAB_BALIA_FORMS);
}

static const struct coupled_law fully_coupled_law = {
	.increase	= fully_coupled_increase,
	.keep		= fully_coupled_keep,
	.parameter	= fully_coupled_parameter,
	.min_ssthresh	= 1,
};

COUPLED_CONTROLLER(fully_coupled, "coupled");

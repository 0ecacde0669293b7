// SPDX-License-Identifier: GPL-2.0
/* SEMICOUPLED
 *
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2.4:
 *
 *	each ACK:  w_r += a / w_total
 *	each loss: w_r -= w_r / 2
 *
 * With sysctl net.mptcp.coupled_balia_forms it uses the formula of
 *
 *	Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design
 *	and Implementation. IEEE/ACM ToN 24(1), 2016, section II-B:
 *
 *	each ACK:  w_r += a / (rtt_r sum_p(w_p / rtt_p))
 *
 * The two formulas are equal where all round-trip times are. a is 1, or sysctl
 * net.mptcp.semicoupled_a_permille; the second paper has only 1.
 *
 * The code differs in that a path whose round-trip time was never measured does not
 * count. With a single subflow, or without MPTCP, the code is Reno's whatever a is.
 */

#include "coupled_core.h"
#include "lab.h"
#include "semicoupled.h"

static u32 semicoupled_parameter(const struct net *net)
{
	return lab_get(net, LAB_SEMICOUPLED_A) |
	       (lab_get(net, LAB_BALIA_FORMS) ? SEMICOUPLED_BALIA : 0);
}

static const struct coupled_law semicoupled_law = {
	.increase	= semicoupled_increase,
	.alpha		= semicoupled_alpha,
	.parameter	= semicoupled_parameter,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(semicoupled, "semicoupled");

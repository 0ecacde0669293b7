// SPDX-License-Identifier: GPL-2.0
/* EWTCP, Equally-Weighted TCP
 *
 *	M. Honda, Y. Nishida, L. Eggert, P. Sarolahti, H. Tokuda: Multipath
 *	Congestion Control for Shared Bottleneck. PFLDNeT 2009; as
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2.1, give it.
 *
 *	each ACK:  w_r += a / w_r
 *	each loss: w_r -= w_r / 2
 *
 * with a = 1 / sqrt(N) for N subflows, or sysctl net.mptcp.ewtcp_a_permille.
 *
 * The choice of a. These two lines balance at w_r = sqrt(2 a / p): the window goes
 * with sqrt(a), not with a^2 as section 2.1 says. With a = 1 / sqrt(N), N subflows
 * of one bottleneck so take N^(3/4) times a TCP's share; what section 2.1 wants, a
 * single share, and section 2.3 counts with (half of a TCP on either of two
 * paths), needs a = 1 / N^2. Peng et al. (ToN 2016) take a constant a. The default
 * is what is printed.
 *
 * Otherwise it differs in that N counts the subflows with a measured round-trip
 * time. With a single subflow, or none of MPTCP, it is Reno to the byte, whatever
 * a is.
 */

#include "coupled.h"
#include "ewtcp.h"
#include "lab.h"

static u32 ewtcp_parameter(const struct net *net)
{
	return lab_get(net, LAB_EWTCP_A);
}

static const struct coupled_law ewtcp_law = {
	.increase	= ewtcp_increase,
	.alpha		= ewtcp_alpha,
	.parameter	= ewtcp_parameter,
	.min_ssthresh	= 2,
};

COUPLED_CONTROLLER(ewtcp, "ewtcp");

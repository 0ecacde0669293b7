// SPDX-License-Identifier: GPL-2.0
/* EWTCP, Equally-Weighted TCP
 *
 *	M. Honda, Y. Nishida, L. Eggert, P. Sarolahti, H. Tokuda: Multipath
 *	Congestion Control for Shared Bottleneck. PFLDNeT 2009; here as described in
 *	D. Wischik, C. Raiciu, A. Greenhalgh, M. Handley: Design, implementation
 *	and evaluation of congestion control for multipath TCP. NSDI 2011,
 *	section 2.1.
 *
 *	each ACK:  w_r += a / w_r
 *	each loss: w_r -= w_r / 2
 *
 * with a = 1 / sqrt(N) for N subflows, or sysctl net.mptcp.ewtcp_a_permille.
 *
 * The choice of a. Growth and decrease balance at w_r = sqrt(2 a / p), so the window
 * is proportional to sqrt(a), not to a^2 as section 2.1 says. With a = 1 / sqrt(N),
 * N subflows on one bottleneck therefore take N^(3/4) times the share of a TCP.
 * Section 2.1 aims at one share, and section 2.3 calculates with half of a TCP on
 * either of two paths; both need a = 1 / N^2. Peng et al. (ToN 2016) use a constant a.
 * The default here is the value that the paper prints.
 *
 * The code also differs in that N counts only the subflows with a measured round-trip
 * time. With a single subflow, or without MPTCP, the code is Reno's whatever a is.
 */

#include "coupled_core.h"
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

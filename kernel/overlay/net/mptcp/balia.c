// SPDX-License-Identifier: GPL-2.0
/* Balia, the Balanced Linked Adaptation
 *
 *	Q. Peng, A. Walid, J. Hwang, S. H. Low: Multipath TCP: Analysis, Design
 *	and Implementation. IEEE/ACM ToN 24(1), 2016, section I.
 *
 * With x_r = w_r / rtt_r and alpha_r = max_p(x_p) / x_r:
 *
 *	each ACK:  w_r += x_r / (rtt_r (sum_p x_p)^2) * (1 + alpha_r) / 2
 *						      * (4 + alpha_r) / 5
 *	each loss: w_r -= w_r / 2 * min(alpha_r, 3/2)
 *
 * The smallest ssthresh is one segment while there are several subflows (section V).
 *
 * The code differs from the paper's text as follows.
 *  - Windows are counted in segments. The window that remains after a loss is rounded
 *    down.
 *  - A path whose round-trip time was never measured does not count.
 * With a single subflow, or without MPTCP, the code is Reno's.
 *
 * With sysctl net.mptcp.balia_rule the decrease is that of MPTCP for Linux 0.91.
 */

#include "balia.h"
#include "coupled_core.h"
#include "lab.h"

static u32 balia_parameter(const struct net *net)
{
	return lab_get(net, LAB_BALIA_RULE);
}

static const struct coupled_law balia_law = {
	.increase	= balia_increase,
	.keep		= balia_keep,
	.alpha		= balia_alpha,
	.parameter	= balia_parameter,
	.min_ssthresh	= 1,
};

COUPLED_CONTROLLER(balia, "balia");

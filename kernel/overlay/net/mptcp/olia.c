// SPDX-License-Identifier: GPL-2.0
/* OLIA, the Opportunistic Linked Increases Algorithm
 *
 *	R. Khalili, N. Gast, M. Popovic, J.-Y. Le Boudec: MPTCP Is Not
 *	Pareto-Optimal: Performance Issues and a Possible Solution. IEEE/ACM
 *	ToN 21(5), 2013, section IV, equations 3 to 6.
 *
 *	each ACK:  w_r += (w_r / rtt_r^2) / (sum_p(w_p / rtt_p))^2 + alpha_r / w_r
 *	each loss: w_r -= w_r / 2
 *
 * alpha_r shifts window from the paths with the largest window to the presumably best
 * paths, if the latter have smaller windows. The best paths are those with the largest
 * l_r / rtt_r^2, where l_r = max(l_1r, l_2r): the bytes acknowledged between the last
 * two losses, and those since the last loss. The smallest ssthresh is one segment while
 * there are several subflows (section IV-B).
 *
 * The code differs from the paper's text as follows.
 *  - Windows are counted in segments, and l in bytes.
 *  - A loss is a loss event, at which Linux reduces the window: several lost segments
 *    of one flight are one loss, and so is a congestion mark. A loss that turns out to
 *    be spurious still counts.
 *  - A subflow that is not limited by its window does not grow, and a negative alpha_r
 *    does not shrink it.
 *  - A path whose round-trip time was never measured does not count.
 * With a single subflow, or without MPTCP, the code is Reno's.
 */

#include "coupled_core.h"
#include "olia.h"

static const struct coupled_law olia_law = {
	.increase	= olia_increase,
	.alpha		= olia_alpha,
	.min_ssthresh	= 1,
};

COUPLED_CONTROLLER(olia, "olia");

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
 * alpha_r moves window from the paths of the largest window to the presumably best
 * paths, if their windows are smaller; best is the largest l_r / rtt_r^2, with
 * l_r = max(l_1r, l_2r), the bytes acknowledged between the last two losses, and
 * since the last. The least ssthresh is one segment while there are several
 * subflows (section IV-B).
 *
 * How this differs from the paper's text:
 *  - windows are counted in segments, l in bytes;
 *  - "loss" is a loss event, at which Linux reduces the window: several segments
 *    of one flight are one loss, as is a congestion mark; one that turns out
 *    spurious still counts;
 *  - a subflow that is not limited by its window neither grows nor, by a negative
 *    alpha_r, shrinks;
 *  - a path whose round-trip time was never measured does not count.
 * With a single subflow, or none of MPTCP, it is Reno to the byte.
 */

#include "coupled.h"
#include "olia.h"

static const struct coupled_law olia_law = {
	.increase	= olia_increase,
	.alpha		= olia_alpha,
	.min_ssthresh	= 1,
};

COUPLED_CONTROLLER(olia, "olia");

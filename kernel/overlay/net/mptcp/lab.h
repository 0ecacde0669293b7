/* SPDX-License-Identifier: GPL-2.0 */
/* The sysctls net.mptcp.* of what is laid over Linux, per network namespace; lab.c
 * says what each means.
 */
#ifndef _MPTCP_LAB_H
#define _MPTCP_LAB_H

#include <net/net_namespace.h>

enum lab_parameter {
	LAB_MIN_SSTHRESH,
	LAB_EWTCP_A,
	LAB_SEMICOUPLED_A,
	LAB_BALIA_FORMS,
	LAB_WVEGAS_ALPHA,
	LAB_WVEGAS_GAMMA,
	LAB_LOWRTT_REINJECT,
	LAB_LOWRTT_PENALISE,
	LAB_LOWRTT_SPARE,
	LAB_LOWRTT_RULE,
	LAB_ROUNDROBIN_SEGMENTS,
	LAB_NDIFFPORTS,
	LAB_PARAMETERS
};

u32 lab_get(const struct net *net, enum lab_parameter parameter);

#endif /* _MPTCP_LAB_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The sysctls net.mptcp.* that are added to Linux, per network namespace;
 * lab_parameters.h says what each means.
 */
#ifndef _MPTCP_LAB_H
#define _MPTCP_LAB_H

#include <net/net_namespace.h>

#define LAB_PARAMETER(_id, ...)	LAB_##_id,
enum lab_parameter {
#include "lab_parameters.h"
	LAB_PARAMETERS
};
#undef LAB_PARAMETER

u32 lab_get(const struct net *net, enum lab_parameter parameter);

#endif /* _MPTCP_LAB_H */

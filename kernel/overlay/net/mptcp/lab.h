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

/* @name: of the sysctl, below net.mptcp */
struct lab_range {
	const char *name;
	unsigned int initial, min, max;
};

/* The linker makes these of the section of that name, if any file has it. */
extern const struct lab_range *const __start_lab_own[] __weak;
extern const struct lab_range *const __stop_lab_own[] __weak;

u32 lab_get(const struct net *net, enum lab_parameter parameter);
u32 lab_get_own(const struct net *net, const struct lab_range *const *own);

/* A parameter of a controller or scheduler that lies outside of the kernel's tree: the
 * sysctl net.mptcp.FILE_NAME, where FILE.c is the name of the file. mpbench reads these
 * lines, so the numbers are written out.
 */
#define OWN_PARAMETER(_name, _initial, _min, _max)				\
	static const struct lab_range lab_range_##_name = {			\
		KBUILD_BASENAME "_" #_name, _initial, _min, _max		\
	};									\
	static const struct lab_range *const lab_own_##_name			\
		__used __section("lab_own") = &lab_range_##_name

/* The value of such a parameter for a socket. */
#define own_parameter(_sk, _name)						\
	lab_get_own(sock_net((const struct sock *)(_sk)), &lab_own_##_name)

#endif /* _MPTCP_LAB_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Several subflows over one address pair; see ndiffports.c. */
#ifndef _MPTCP_NDIFFPORTS_H
#define _MPTCP_NDIFFPORTS_H

#include "lab.h"
#include "protocol.h"

/* The number of subflows over the addresses of the first one, which is included; with
 * 0 or 1 no further subflow is opened.
 */
static inline u32 mptcp_ndiffports_wanted(const struct mptcp_sock *msk)
{
	return lab_get(sock_net((const struct sock *)msk), LAB_NDIFFPORTS);
}

void mptcp_ndiffports_open(struct mptcp_sock *msk);

#endif /* _MPTCP_NDIFFPORTS_H */

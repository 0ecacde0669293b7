// SPDX-License-Identifier: GPL-2.0
/* Several subflows over one address pair, for the kernel's path manager
 *
 * With sysctl net.mptcp.ndiffports = n, the side that opened a connection opens further
 * subflows over the addresses of the first subflow, each from its own port, until the
 * connection has n subflows. MPTCP v0.9x had a path manager of this name (thesis,
 * UCLouvain, 2017, 2.1.1). The limit of further subflows (ip mptcp limits) applies on
 * both sides. The subflows are opened once, when the connection is established. A
 * subflow that ends is not replaced.
 */

#include "ndiffports.h"

/* Called with the path manager's lock held, like its own loop over endpoints. */
void mptcp_ndiffports_open(struct mptcp_sock *msk)
{
	u8 limit = mptcp_pm_get_limit_extra_subflows(msk);
	struct sock *sk = (struct sock *)msk;
	struct mptcp_pm_local local = {};
	struct mptcp_addr_info remote = {};
	int wanted;

	if (!mptcp_ndiffports_wanted(msk) || msk->pm.server_side ||
	    READ_ONCE(msk->pm.remote_deny_join_id0))
		return;

	wanted = min_t(int, limit, mptcp_ndiffports_wanted(msk) - 1) -
		 msk->pm.extra_subflows;
	mptcp_local_address((struct sock_common *)sk, &local.addr);
	mptcp_remote_address((struct sock_common *)sk, &remote);
	local.addr.port = 0;

	while (wanted-- > 0) {
		msk->pm.extra_subflows++;
		spin_unlock_bh(&msk->pm.lock);
		__mptcp_subflow_connect(sk, &local, &remote);
		spin_lock_bh(&msk->pm.lock);
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Events of MPTCP with their times: see events.c. mib.h includes this file. */
#ifndef _MPTCP_EVENTS_H
#define _MPTCP_EVENTS_H

#include <net/lab_events.h>
#include <uapi/linux/mptcp.h>

struct mptcp_addr_info;
struct mptcp_sock;

/* Counters that data packets increase are no events: there can be one per packet. */
static inline bool mptcp_events_has(int field)
{
	switch (field) {
	case MPTCP_MIB_RETRANSSEGS:
	case MPTCP_MIB_OFOQUEUETAIL:
	case MPTCP_MIB_OFOQUEUE:
	case MPTCP_MIB_OFOMERGE:
	case MPTCP_MIB_NODSSWINDOW:
	case MPTCP_MIB_DUPDATA:
	case MPTCP_MIB_SNDWNDSHARED:
	case MPTCP_MIB_RCVWNDSHARED:
	case MPTCP_MIB_RCVWNDCONFLICTUPDATE:
	case MPTCP_MIB_RCVWNDCONFLICT:
	case MPTCP_MIB_CURRESTAB:
	case MPTCP_MIB_WINPROBE:
	case MPTCP_MIB_BACKLOGDROP:
	case MPTCP_MIB_RCVPRUNED:
	case MPTCP_MIB_OFOPRUNED:
		return false;
	default:
		return true;
	}
}

#ifdef CONFIG_UML

void __mptcp_events_count(const struct net *net, const struct sock *sk, int field,
			  int number);
void mptcp_events_request(const struct request_sock *req, int field);
void mptcp_events_address(const struct sock *sk, int field,
			  const struct mptcp_addr_info *address);
void mptcp_events_reinjected(const struct sock *ssk, int bytes);
void mptcp_events_pm(enum mptcp_event_type type, const struct mptcp_sock *msk,
		     const struct sock *ssk);
void mptcp_events_removed(const struct mptcp_sock *msk, int id);

/* @sk: a subflow, a connection, or NULL where none is at hand */
static inline void mptcp_events_count(const struct net *net, const struct sock *sk,
				      int field, int number)
{
	if (lab_events_running && mptcp_events_has(field))
		__mptcp_events_count(net, sk, field, number);
}

#else

static inline void mptcp_events_count(const struct net *net, const struct sock *sk,
				      int field, int number)
{
}

static inline void mptcp_events_request(const struct request_sock *req, int field)
{
}

static inline void mptcp_events_address(const struct sock *sk, int field,
					const struct mptcp_addr_info *address)
{
}

static inline void mptcp_events_reinjected(const struct sock *ssk, int bytes)
{
}

static inline void mptcp_events_pm(enum mptcp_event_type type,
				   const struct mptcp_sock *msk,
				   const struct sock *ssk)
{
}

static inline void mptcp_events_removed(const struct mptcp_sock *msk, int id)
{
}

#endif
#endif /* _MPTCP_EVENTS_H */

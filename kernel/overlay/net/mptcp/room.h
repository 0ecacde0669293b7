/* SPDX-License-Identifier: GPL-2.0 */
/* The room in a subflow's congestion window, for schedulers that mind it. */
#ifndef _MPTCP_ROOM_H
#define _MPTCP_ROOM_H

#include "protocol.h"

/* Bytes of new data that fit into the congestion window at @mss a segment.
 * packets_out - sacked_out counts what is in flight and what is lost but not
 * sent again.
 */
static inline u32 mptcp_room_at(const struct sock *ssk, u32 mss)
{
	const struct tcp_sock *tp = tcp_sk(ssk);
	s64 segments, queued;

	segments = (s64)tcp_snd_cwnd(tp) - READ_ONCE(tp->packets_out) +
		   READ_ONCE(tp->sacked_out);
	queued = (u32)(READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt));

	return clamp_t(s64, segments * mss - queued, 0, INT_MAX);
}

/* Called with the subflow's lock held, unlike get_send. */
static inline u32 mptcp_room(struct sock *ssk)
{
	return mptcp_room_at(ssk, tcp_current_mss(ssk));
}

/* Options make segments shorter than mss_cache: with the least that is possible,
 * get_send never finds room where quota finds none.
 */
static inline bool mptcp_has_room(const struct sock *ssk)
{
	u32 mss = READ_ONCE(tcp_sk(ssk)->mss_cache);

	return mptcp_room_at(ssk, max(mss, MAX_TCP_OPTION_SPACE + 1U) -
				  MAX_TCP_OPTION_SPACE) &&
	       sk_stream_memory_free(ssk);
}

static inline bool mptcp_is_backup(const struct mptcp_subflow_context *subflow)
{
	return subflow->backup || subflow->request_bkup;
}

#endif /* _MPTCP_ROOM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The free space in a subflow's congestion window, for schedulers that respect it. */
#ifndef _MPTCP_CWND_SPACE_H
#define _MPTCP_CWND_SPACE_H

#include "protocol.h"

/* The bytes of new data that fit into the congestion window with @mss bytes per
 * segment. packets_out - sacked_out counts the segments in flight, and those that
 * are lost but not yet sent again.
 */
static inline u32 mptcp_cwnd_space_at(const struct sock *ssk, u32 mss)
{
	const struct tcp_sock *tp = tcp_sk(ssk);
	s64 segments, queued;

	segments = (s64)tcp_snd_cwnd(tp) - READ_ONCE(tp->packets_out) +
		   READ_ONCE(tp->sacked_out);
	queued = (u32)(READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt));

	return clamp_t(s64, segments * mss - queued, 0, INT_MAX);
}

/* The same with the current segment size. Needs the subflow's lock, which get_send
 * does not hold.
 */
static inline u32 mptcp_cwnd_space(struct sock *ssk)
{
	return mptcp_cwnd_space_at(ssk, tcp_current_mss(ssk));
}

/* Options make segments shorter than mss_cache. The shortest possible segment is
 * assumed here, so that get_send never finds space where quota finds none.
 */
static inline bool mptcp_has_cwnd_space(const struct sock *ssk)
{
	u32 mss = READ_ONCE(tcp_sk(ssk)->mss_cache);

	mss = max(mss, MAX_TCP_OPTION_SPACE + 1U) - MAX_TCP_OPTION_SPACE;
	return mptcp_cwnd_space_at(ssk, mss) && sk_stream_memory_free(ssk);
}

static inline bool mptcp_is_backup(const struct mptcp_subflow_context *subflow)
{
	return subflow->backup || subflow->request_bkup;
}

/* Whether an active subflow, with @space in its window or without, keeps backup subflows
 * unused. One whose window is full of what is lost takes no data. After two timeouts in a
 * row it does not work; after one already if nothing of the connection is under way:
 * then the connection's timer does not run, which alone finds a subflow stale.
 */
static inline bool
mptcp_spares_backups(const struct mptcp_sock *msk,
		     const struct mptcp_subflow_context *subflow, bool space)
{
	bool idle = READ_ONCE(msk->snd_una) == READ_ONCE(msk->snd_nxt);
	u8 timeouts = READ_ONCE(inet_csk(subflow->tcp_sock)->icsk_backoff);

	if (mptcp_is_backup(subflow))
		return false;
	return space || timeouts < (idle ? 1 : 2);
}

#endif /* _MPTCP_CWND_SPACE_H */

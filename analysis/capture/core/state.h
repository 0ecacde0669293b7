/* SPDX-License-Identifier: MIT */
/*
 * The state of what a capture shows: connections, their subflows, and either
 * direction of each.
 */
#ifndef ANALYSER_STATE_H
#define ANALYSER_STATE_H

#include "packet.h"
#include "ranges.h"

struct sent {			/* a segment that no ACK covers yet */
	i64 end, time_ns;	/* when it was sent last */
	bool again, sacked;
};

#define FEW_SENT 2		/* segments in flight that need no further memory */

struct mapping {
	i64 from, dsn, length;
};

/* Mappings of which payload is missing, in the order of the subflow's numbers; no two
 * cover the same. */
struct mappings {
	struct mapping *list;
	u32 head, count, capacity;
};

struct unmapped {		/* payload whose mapping has not come yet */
	i64 from, to, time_ns;
	i64 high;		/* the connection's highest data number at that time */
	bool counted;		/* as data of TCP */
};

struct data;

struct direction {
	struct direction_row row;
	struct subflow *subflow;
	struct direction *other;
	struct data *data;	/* NULL for plain TCP */
	u32 isn, last_ack;
	bool seen, isn_known;
	i8 window_shift;	/* -1: not known */
	i64 next, acked;	/* relative: SYN is 0, the first byte 1 */
	i64 data_end, complete_ns;	/* the last byte, and when it was acknowledged */
	i64 new_from_ns, new_to_ns;	/* first and last packet with new data */
	i64 sacked_high, recover, last_ack_ns, last_sent_ns, last_window;
	i64 advanced_ns;	/* since when a timer waits for `acked` to grow */
	u32 duplicates;
	int recovery;		/* 0 none, 1 fast, 2 timeout */
	struct ranges holes;
	struct sent *sent, few_sent[FEW_SENT];	/* `sent` begins as the second */
	u32 sent_head, sent_count, sent_capacity;
	i64 ssn_base;		/* relative number of subflow sequence number 0 */
	bool ssn_base_known;
	struct mapping newest;	/* the last one that came */
	bool mapped;		/* there is one */
	struct mappings mappings;	/* older ones that are not whole */
	i64 dropped_to;		/* where the last mapping that was dropped ends */
	struct unmapped *unmapped;
	u32 unmapped_count, unmapped_capacity;
	struct samples rtt, delay;
	struct series_row *bin;	/* the interval that goes on; NULL before the first */
	i64 bin_from, bin_to;
	struct direction *twin;	/* the same direction at the other capture point */
	struct direction *counts_like;	/* whose numbers `pair_next` are; itself or twin */
	i64 pair_next;
	u32 pending;		/* its packets that wait in `pairs` */
	u32 pending_root;	/* of those with payload, pending.c */
	u32 longest;		/* payload */
};

struct data {
	struct data_row row;
	struct connection *connection;
	struct ranges ranges;
	u64 base;		/* DSN of relative number 0 */
	bool seen, base64, keyed;	/* `keyed`: number 0 follows from the key */
	bool mapping_unseen;	/* of some payload no mapping came */
	i64 start;		/* relative number of the first byte */
	i64 reinjected_to;	/* where the last reinjection ended */
	i64 next, acked, fin;	/* `fin`: DATA_FIN's number, or -1 */
	i64 busy_ns;		/* when data were sent last, new or again */
};

struct connection {
	struct connection *older, *newer;	/* in the order of retirement */
	struct subflow *first_subflow, *last_subflow;
	struct data *data[2];
	u32 index;
	bool dss_seen;
	i64 listed;		/* events */
	struct connection_row row;
};

/* What look-ups and retirement read of each of very many subflows comes first, so that
 * it lies in few cache lines. */
struct subflow {
	struct subflow *next_of_hash;
	u64 hash;
	struct connection *connection;
	struct subflow *sibling;
	u8 addresses[2][16];
	u16 ports[2];
	u16 point;
	u8 version;
	bool touched;		/* since retirement looked at it last */
	bool ended;		/* it had a FIN or RST */
	bool named;		/* its SYN's token has been taken */
	bool answer_cut;	/* its SYN-ACK is cut within its options */
	u32 index;
	struct direction *opener;	/* whose SYN opened it */
	struct connection own;	/* the connection that it began */
	struct subflow_row row;
	struct direction directions[2];	/* by the order of the key's ends */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The rows that come out, field by field; docs/captures.md defines each.
 *
 * The same lists make the C structs and the text from which Python makes its
 * types, so the two cannot differ. All fields have 8 bytes: no padding. Times are
 * ns since 1970 (-1: never), lengths bytes.
 */
#ifndef ANALYSER_ROWS_H
#define ANALYSER_ROWS_H

#include "bytes.h"

/* A connection, of one or more subflows; plain TCP has one. */
#define CONNECTION_FIELDS(F) \
	F(i64, connection) F(i64, point) F(i64, kind) F(i64, version) \
	F(i64, subflows) F(i64, first_ns) F(i64, last_ns) F(i64, syn_ns) \
	F(i64, established_ns) F(i64, token_a) F(i64, token_b) \
	F(u64, key_a) F(u64, key_b) F(i64, keys_known) F(i64, checksum) \
	F(i64, fallback) F(i64, fallback_ns) F(i64, unknown) F(i64, events_dropped) \
	F(i64, contradiction) F(i64, contradiction_file) F(i64, contradiction_frame) \
	F(i64, contradiction_ns)

/* The data that one end of a connection sent: direction 0 is the initiator's. */
#define DATA_FIELDS(F) \
	F(i64, connection) F(i64, direction) F(i64, bytes) F(i64, packets) \
	F(i64, first_ns) F(i64, last_ns) F(i64, acked_bytes) F(i64, complete_ns) \
	F(i64, missing_bytes) F(i64, reinjections) F(i64, reinjected_packets) \
	F(i64, reinjected_bytes) F(i64, resent_packets) F(i64, resent_bytes) \
	F(i64, first_reinjection_ns) \
	F(i64, last_reinjection_ns) F(i64, ooo_packets) F(i64, ooo_bytes) \
	F(i64, ooo_depth_bytes) F(i64, in_flight_max_bytes) F(i64, data_fin_ns) \
	F(i64, data_fin_acked_ns) F(i64, idle_periods) F(i64, idle_ns) \
	F(i64, idle_max_ns) F(i64, unmapped_packets) F(i64, unmapped_bytes) \
	F(i64, implausible) F(i64, forgotten_ranges) F(i64, first_dsn_known) \
	F(u64, first_dsn) F(i64, wraps)

#define SUBFLOW_FIELDS(F) \
	F(i64, subflow) F(i64, connection) F(i64, number) F(i64, point) \
	F(i64, source) F(i64, ip_version) F(u64, a_high) F(u64, a_low) \
	F(u64, b_high) F(u64, b_low) F(i64, a_port) F(i64, b_port) \
	F(i64, direction_of_a) F(i64, how) F(i64, first_ns) F(i64, last_ns) \
	F(i64, syn_ns) F(i64, syn_ack_ns) F(i64, established_ns) \
	F(i64, fourth_ack_ns) F(i64, backup) F(i64, address_id_a) \
	F(i64, address_id_b) F(i64, elsewhere_packets)

/* What one end sent on a subflow; `direction` as of the connection. */
#define DIRECTION_FIELDS(F) \
	F(i64, subflow) F(i64, direction) F(i64, packets) F(i64, frame_bytes) \
	F(i64, ip_bytes) F(i64, payload_packets) F(i64, payload_bytes) \
	F(i64, first_ns) F(i64, last_ns) F(i64, first_payload_ns) \
	F(i64, last_payload_ns) F(i64, sequence_bytes) F(i64, acked_bytes) \
	F(i64, data_bytes) F(i64, syns) F(i64, fins) F(i64, resets) \
	F(i64, syn_retransmissions) F(i64, fin_retransmissions) \
	F(i64, retransmissions) F(i64, retransmitted_bytes) \
	F(i64, fast_retransmissions) F(i64, timeout_retransmissions) \
	F(i64, probe_retransmissions) F(i64, timeouts) F(i64, unneeded) \
	F(i64, upstream_losses) F(i64, ooo_packets) F(i64, ooo_bytes) \
	F(i64, gaps) F(i64, missing_bytes) F(i64, keep_alives) \
	F(i64, duplicate_acks) F(i64, zero_windows) F(i64, acked_unseen) \
	F(i64, sack_acks) F(i64, ce_packets) F(i64, in_flight_max_bytes) \
	F(i64, in_flight_sum_bytes) F(i64, rtt_samples) F(i64, rtt_sum_ns) \
	F(i64, rtt_min_ns) F(i64, rtt_max_ns) F(i64, rtt_p50_ns) \
	F(i64, rtt_p95_ns) F(i64, rtt_p99_ns) F(i64, idle_periods) \
	F(i64, idle_ns) F(i64, idle_max_ns) F(i64, reinjected_packets) \
	F(i64, reinjected_bytes) F(i64, dss) F(i64, mappings) F(i64, data_acks) \
	F(i64, data_fins) F(i64, add_addrs) F(i64, add_addr_echoes) \
	F(i64, remove_addrs) F(i64, mp_prios) F(i64, fastcloses) F(i64, mp_fails) \
	F(i64, mp_resets) F(i64, capables) F(i64, joins) F(i64, cut_options) \
	F(i64, matched) F(i64, unmatched) F(i64, undecided) F(i64, matched_bytes) \
	F(i64, unmatched_bytes) F(i64, resegmented) F(i64, delay_sum_ns) \
	F(i64, delay_min_ns) F(i64, delay_max_ns) F(i64, delay_p50_ns) \
	F(i64, delay_p95_ns) F(i64, delay_p99_ns) F(i64, origin) \
	F(i64, dropped_mappings)

/* One end of a subflow in one interval; several rows of an interval add up. */
#define SERIES_FIELDS(F) \
	F(i64, interval) F(i64, subflow) F(i64, direction) F(i64, packets) \
	F(i64, frame_bytes) F(i64, ip_bytes) F(i64, payload_packets) \
	F(i64, payload_bytes) F(i64, data_bytes) F(i64, retransmissions) \
	F(i64, retransmitted_bytes) F(i64, fast_retransmissions) \
	F(i64, timeout_retransmissions) F(i64, probe_retransmissions) \
	F(i64, reinjected_packets) F(i64, reinjected_bytes) F(i64, ooo_packets) \
	F(i64, data_ooo_packets) F(i64, rtt_samples) F(i64, rtt_sum_ns) \
	F(i64, rtt_min_ns) F(i64, rtt_max_ns) F(i64, in_flight_max_bytes) \
	F(i64, data_in_flight_max_bytes) F(i64, matched) F(i64, matched_bytes) \
	F(i64, delay_sum_ns) F(i64, delay_min_ns) F(i64, delay_max_ns) \
	F(i64, unmatched) F(i64, unmatched_bytes) F(i64, idle_ns)

/* Something that happened; the settings' mask says which kinds are listed. */
#define EVENT_FIELDS(F) \
	F(i64, kind) F(i64, time_ns) F(i64, connection) F(i64, subflow) \
	F(i64, direction) F(i64, position) F(i64, length) F(i64, other) F(u64, value)

/* A file of the capture, or one pipe. */
#define INPUT_FIELDS(F) \
	F(i64, input) F(i64, point) F(i64, format) F(i64, link) F(i64, bytes) \
	F(i64, packets) F(i64, tcp_packets) F(i64, not_ip_packets) \
	F(i64, udp_packets) F(i64, other_packets) F(i64, tunnelled_packets) \
	F(i64, encrypted_packets) F(i64, reassembled) F(i64, joined_fragments) \
	F(i64, dropped_fragments) \
	F(i64, fragments) F(i64, malformed) F(i64, snapped) F(i64, untimed) F(i64, overlong) \
	F(i64, unknown_link_packets) F(i64, elsewhere) F(i64, untracked) \
	F(i64, backwards) F(i64, backwards_max_ns) F(i64, first_ns) F(i64, last_ns) \
	F(i64, fault) F(i64, fault_offset) F(i64, fault_value)

#define FIELD(type, name) type name;
struct connection_row { CONNECTION_FIELDS(FIELD) };
struct data_row { DATA_FIELDS(FIELD) };
struct subflow_row { SUBFLOW_FIELDS(FIELD) };
struct direction_row { DIRECTION_FIELDS(FIELD) };
struct series_row { SERIES_FIELDS(FIELD) };
struct event_row { EVENT_FIELDS(FIELD) };
struct input_row { INPUT_FIELDS(FIELD) };
#undef FIELD

enum kind { KIND_TCP, KIND_MPTCP, KIND_FALLBACK };

enum fallback {
	FALLBACK_NONE,
	FALLBACK_HANDSHAKE,	/* the other end did not answer MP_CAPABLE */
	FALLBACK_NO_DSS,	/* data without a mapping from the start */
	FALLBACK_INFINITE,	/* infinite mapping */
	FALLBACK_FAIL,		/* MP_FAIL on the only subflow */
};

/* What an option says against one that came before. */
enum contradiction {
	NO_CONTRADICTION,
	ECHOED_KEY,		/* an end echoes another key than its peer has sent */
	CHANGED_KEY,		/* an end sends another key than before */
	CLOSING_KEY,		/* MP_FASTCLOSE with another key than its receiver's */
};

enum how { HOW_PLAIN, HOW_CAPABLE, HOW_JOIN, HOW_UNSEEN };

enum unknown {
	UNKNOWN_HANDSHAKE = 1,	/* the capture begins after it */
	UNKNOWN_KEY_A = 2,
	UNKNOWN_KEY_B = 4,
	UNKNOWN_FIRST = 8,	/* joins with a token that no handshake explains */
	UNKNOWN_OPTIONS = 16,	/* packets are cut within their TCP options */
	UNKNOWN_MAPPING = 32,	/* data whose mapping was not seen */
	UNKNOWN_MEMORY = 64,	/* the memory allowed was used up */
	UNKNOWN_DROPPED = 128,	/* more payload and mappings waited for each other than
				 * are kept */
};

enum event_kind {
	EVENT_DATA = 1,		/* new data: position, length */
	EVENT_RETRANSMISSION = 2,	/* value: 0 fast, 1 timeout, 2 probe */
	EVENT_REINJECTION = 4,	/* other: the subflow that had it first, or -1 */
	EVENT_RTT = 8,		/* length: ns */
	EVENT_DELAY = 16,	/* length: ns */
	EVENT_SIGNAL = 32,	/* other: MPTCP subtype; value: address id, or cause */
	EVENT_DATA_ACK = 64,	/* position */
	EVENT_LOSS = 128,	/* length: packets seen at one point and not at the other */
	EVENT_SEGMENT = 256,	/* position, length; value: 1 if sent again, 2 if late */
	EVENT_ACK = 512,	/* position; value: the window, in bytes */
	EVENT_SACK = 1024,	/* position, length */
	EVENT_FLIGHT = 2048,	/* length: bytes in flight when a segment is sent */
};

#endif

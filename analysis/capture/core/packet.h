/* SPDX-License-Identifier: MIT */
/*
 * A packet of TCP, as its headers say it, and what it was counted as.
 */
#ifndef ANALYSER_PACKET_H
#define ANALYSER_PACKET_H

#include "rows.h"

struct direction;

enum mp_subtype {
	MP_CAPABLE, MP_JOIN, MP_DSS, MP_ADD_ADDR, MP_REMOVE_ADDR, MP_PRIO, MP_FAIL,
	MP_FASTCLOSE, MP_TCPRST,
};

struct dss {
	bool fin, has_ack, ack64, has_map, dsn64;
	u64 ack, dsn;
	u32 ssn;
	u16 length;
};

struct option {
	u8 subtype, version, flags, id;
	bool backup, echo;
	u8 keys;		/* how many of `key` are there */
	u64 key[2];
	u32 token;
	bool has_token, has_length;
	u16 length;
	u64 value;
};

#define OPTIONS 8

/* What a packet has been counted as. It counts once, though its payload can be several
 * stretches of data. */
struct once {
	bool fresh, again, reinjected, late;
};

struct packet {
	i64 time_ns;
	struct direction *direction;	/* of its sender */
	struct series_row *bin;	/* of the sender's at this time; NULL without series */
	u32 frame_bytes, ip_bytes, source;
	i64 number;		/* of its frame in its input, from 1 */
	u32 input;
	i64 high;		/* the highest data number before it; -1: what the
				 * connection's data say */
	struct once *once;
	u8 version, flags;
	bool ce, has_stamp, options_cut, has_dss, in_tunnel;
	bool overlong;		/* IP says more than was on the wire */
	bool encrypted;		/* what carries it says so */
	bool swapped;		/* as of its file */
	u8 layers;		/* that have been passed */
	struct span rest;	/* of its frame, with further packets */
	i8 window_shift;	/* of a SYN's window scale option; -1 without one */
	u8 addresses[2][16];
	u16 ports[2], id, window;
	u32 seq, ack, stamp, echo;
	i64 payload;
	u8 sacks, options;
	u32 sack[4][2];
	struct dss dss;
	struct option option[OPTIONS];
};

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };

#endif

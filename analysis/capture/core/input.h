/* SPDX-License-Identifier: MIT */
/*
 * Capture files in pieces, and the frames in them: input.c, pcap.c, pcapng.c,
 * reader.c.
 */
#ifndef ANALYSER_INPUT_H
#define ANALYSER_INPUT_H

#include "arena.h"

#ifndef BUFFER_BYTES
#define BUFFER_BYTES (2 << 20)		/* bytes of an input that wait to be read */
#endif
#ifndef LONGEST
#define LONGEST (1 << 20)	/* a packet, or a block that holds one */
#endif
#define INTERFACES 1024		/* of one section of a pcapng file */

enum fault {
	FAULT_NONE, FAULT_EMPTY, FAULT_NOT_CAPTURE, FAULT_VERSION, FAULT_LINK,
	FAULT_TRUNCATED, FAULT_LENGTH, FAULT_BLOCK, FAULT_INTERFACE,
};

struct interface {
	i32 link;
	u32 per_second_shift;	/* binary resolution: 2^-n s; 0 for decimal */
	u64 per_second;
	i64 offset_s;
};

struct frame {
	i64 time_ns, number;
	const u8 *at;
	u32 captured, length, source;
	i32 link;
	bool swapped;		/* the file's byte order is not this machine's */
};

struct input {
	struct input_row row;
	u8 *buffer;
	size_t start, end;	/* of what is to be read within the buffer */
	u64 to_skip;
	i64 offset;		/* in the file, of buffer[start] */
	i64 frames;		/* so far, also those that are left out */
	bool ended, over, waiting, swapped, nano;
	bool several;		/* its packets come from several interfaces */
	int format;		/* 0 not known yet, 1 pcap, 2 pcapng */
	i32 link;
	u32 interfaces, base;
	struct interface *interface;
	struct frame frame;	/* valid while `waiting` */
};
enum step { STEP_FRAME, STEP_MORE, STEP_OVER };
enum step read_frame(struct input *in, struct arena *m);
enum step read_pcap_head(struct input *in, u32 magic);
enum step read_record(struct input *in);
enum step read_block(struct input *in, struct arena *m);
enum step damaged(struct input *in, enum fault fault, i64 value);
enum step need(struct input *in, size_t count);
void advance(struct input *in, size_t count);
bool link_known(i32 link);
bool link_of_several(i32 link);

#endif

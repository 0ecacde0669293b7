// SPDX-License-Identifier: MIT
/*
 * Blocks of a packet socket's ring (packet(7), TPACKET_V3) to records of pcap.
 *
 * Block: version, offset of private data, then status, packets, offset of the first,
 * length; each 4 bytes. Packet: offset of the next, s, ns, captured, length, status,
 * each 4 bytes, and 2 bytes that say where its link layer begins.
 */
#include "core.h"

#define BLOCK_HEAD 48
#define PACKET_HEAD 32
#define RECORD 16

/*
 * Writes the records of one block to `out`, which needs no more room than the block.
 * Returns how many bytes they take, or -1 if the block is not one.
 */
i64 capture_unroll(const u8 *block, size_t length, u8 *out, size_t room)
{
	size_t at, done = 0;
	u32 packets;

	if (length < BLOCK_HEAD)
		return -1;
	packets = file32(block + 12, false);
	at = file32(block + 16, false);
	for (; packets; packets--) {
		const u8 *p = block + at;
		u32 next, captured, begin;

		if (at > length || length - at < PACKET_HEAD)
			return -1;
		next = file32(p, false);
		captured = file32(p + 12, false);
		begin = file16(p + 24, false);
		if (length - at < begin || length - at - begin < captured ||
		    room - done < RECORD + (size_t)captured)
			return -1;
		memcpy(out + done, p + 4, 8);
		memcpy(out + done + 8, p + 12, 8);
		memcpy(out + done + RECORD, p + begin, captured);
		done += RECORD + captured;
		if (!next && packets > 1)
			return -1;
		at += next;
	}
	return (i64)done;
}

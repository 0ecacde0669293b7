/* SPDX-License-Identifier: MIT */
/* Parts of an endpoint over picoquic */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include <picoquic.h>

#define MOST_PATHS 8
#define MOST_POLLED 20100
#define WINDOW (6 << 20)
#define SENT_AT_ONCE 65535
#define HELD (64 << 10)	/* bytes taken from a relayed connection and not yet sent */

enum { REVERSE = 1, BY_SIZE = 2 };

/* The client's order to the server, at the beginning of the stream of bulk data. */
struct __attribute__((packed)) ask {
	uint8_t kind, count;
	uint64_t left;			/* nanoseconds, or bytes if BY_SIZE */
	uint32_t from[MOST_PATHS];	/* the client's addresses, as in packets */
};

/* The address of a tool's connection, at the beginning of the stream of a relayed one */
struct __attribute__((packed)) origin {
	uint32_t address;
	uint16_t port;
};

struct options {
	const char *out, *control;
	struct sockaddr_in place;	/* --listen, --connect */
	struct sockaddr_in relay;	/* --relay; no family without it */
	struct ask ask;
	int64_t gather_us;		/* how long a wait lasts at least */
};

struct conn {
	struct conn *next;
	picoquic_cnx_t *quic;
	bool done, failed;
	uint64_t again_us;		/* when paths are asked for again; 0 for never */

	/* bulk data */
	struct ask ask;
	size_t asked;			/* bytes of it that were sent or read */
	uint64_t until_ns, due_ns, bytes;
	FILE *file;
	uint64_t ids[MOST_PATHS], lost[MOST_PATHS], sent[MOST_PATHS];
	uint64_t seen_lost[MOST_PATHS], seen_sent[MOST_PATHS];

	/* a relayed connection of TCP; -1 if there is none (any more) */
	int fd;
	struct origin from;
	bool asks;			/* whether this is the end of the client */
	bool read_end, sent_end, got_end, write_end;
	uint8_t out[HELD];
	size_t out_from, out_to;
	uint8_t *in;
	size_t in_from, in_to, in_size;
};

/* Datagrams of one length to one place, which the kernel takes apart */
struct burst {
	uint8_t data[SENT_AT_ONCE];
	struct sockaddr_storage to;
	char space[CMSG_SPACE(sizeof(uint16_t))];
	struct iovec part;
	struct msghdr message;
	int fd;
};

/* A datagram that has arrived at the socket with this number */
struct packet {
	int number;
	uint8_t *data;
	size_t length;
	struct sockaddr_in *from;
};

extern struct options options;

void die(const char *format, ...);
struct conn *begin(int fd);

/* False if the kernel has no io_uring */
bool ring_begin(const struct pollfd *polled, int count);
/* Where the next burst is to be written, and what sends it with the next wait */
struct burst *ring_burst(void);
void ring_send(struct burst *made);
/* Send, and wait for a packet, up to `wait_us` but not less than `shortest_us` unless that
 * is more, or all buffers are full. Whether a packet is there */
bool ring_wait(int64_t wait_us, int64_t shortest_us);
/* The next packet that is there, until the next call */
bool ring_next(struct packet *packet);

bool read_options(int count, char **words);
void make_certificate(char *certificate, char *key, size_t size);

void relay_listen(void);
int relay_take(struct conn *conn, const uint8_t *bytes, size_t count, bool end);
int relay_give(struct conn *conn, uint8_t *context, size_t most);
int relay_polled(struct conn *conns, struct pollfd *polled, int count);
void relay_move(struct pollfd *polled, int first, int count);
void relay_forget(struct conn *conn);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The capture analyser: bytes of capture files in, rows out (rows.dir).
 *
 * It opens no file, and it does not depend on Python: its caller puts bytes into an
 * input's buffer. It keeps state for connections and none for single packets. All
 * memory comes from one budget, and what does not fit in it is counted.
 */
#ifndef ANALYSER_CORE_H
#define ANALYSER_CORE_H

#include "dissect.h"
#include "state.h"

#define INPUTS 64
#define NONE UINT32_MAX

struct settings {
	i64 interval_ns;	/* of the series; 0 for none */
	i64 idle_ns;		/* silence that counts as idle */
	i64 pair_ns;		/* a packet not seen at the other point by then is lost */
	i64 budget;		/* bytes of memory */
	i64 linger_ns;		/* a closed connection is kept for so long */
	i64 events;		/* mask of enum event_kind */
	i64 seed;		/* of the hash tables */
};

struct token {
	u32 token;
	u8 side;
	bool used;
	u16 point;
	struct connection *connection;
};

/* A packet that one capture point has shown and the other has not, pairs.c. */
struct seen {
	u64 fingerprint;	/* of a packet without payload */
	struct direction *direction;
	i64 time_ns;
	u32 next, newer, older;
	/* With payload: [from, to) of its bytes, a node of a tree, pending.c. */
	u32 left, right, priority, stamp;
	u16 id;
	bool has_stamp, is_data;
	i64 from, to, max_to;
};

struct pairs {
	struct seen *slots;
	u32 *buckets;
	u32 capacity, used, free, oldest, newest;
	u64 random;		/* of the priorities */
};

/* Packets of capture points with several interfaces, seen_again.c. */
struct sighting {
	u64 fingerprint, sources;
	i64 time_ns;
};

enum { OUT_CONNECTIONS, OUT_DATA, OUT_SUBFLOWS, OUT_DIRECTIONS, OUT_SERIES, OUT_EVENTS,
       OUT_INPUTS, OUTS };

struct analyser {
	struct settings settings;
	struct arena memory;
	struct input *inputs[INPUTS];
	u32 input_count, points, inputs_at[2];
	struct subflow **buckets;
	u64 bucket_count;
	struct subflow *last[2];	/* of each point */
	struct connection *oldest, *newest;	/* that have not retired */
	struct connection *ahead;		/* retirement looks at it soon */
	u64 connection_count, subflow_count;	/* that have not retired */
	u64 taken, look_again;	/* packets */
	struct subflow *spare_subflows;
	u32 spare_count;
	u32 subflow_total, connection_total;
	u64 retired_early;
	struct sighting *sightings;
	u64 sighting_sets;
	struct token *tokens;
	u64 token_count, token_capacity;
	struct pairs pairs;
	struct fragments fragments;
	struct table out[OUTS];
	i64 zero_ns, now_ns;	/* the first packet's time; the latest */
	size_t full_rows;	/* of series or events, to be taken out */
	size_t full_connections;
	bool begun, ending, finished;
};

/* digest.c */
void mptcp_digest(u64 key, int version, u32 *token, u64 *first_dsn);

/* connections.c */
void begin_connection(struct analyser *c, struct subflow *s, u32 point);
struct subflow *alloc_subflow(struct analyser *c);
void fetch_bucket(const struct analyser *c, const struct subflow *s);
void unhash_subflow(struct analyser *c, const struct subflow *s);
void free_connection(struct analyser *c, struct connection *conn);

/* flows.c */
struct direction *find_direction(struct analyser *c, struct packet *p, u32 point);

/* retire.c */
void retire_closed(struct analyser *c);
bool short_of_memory(const struct analyser *c);
void make_space(struct analyser *c);
bool rows_are_full(const struct analyser *c);
bool retire_rest(struct analyser *c);

/* seen_again.c */
bool seen_again(struct analyser *c, const struct packet *p, u32 point, u32 source);
u64 fingerprint(const struct analyser *c, const struct packet *p);

/* tcp.c */
void track_tcp(struct analyser *c, struct packet *p);

#define JUMP (1ll << 30)	/* no window is larger; a number beyond it is noise */

/* A sequence number, relative to the SYN's and followed past wrap-around. */
static inline i64 rel_seq(const struct direction *dir, u32 seq)
{
	return dir->next + (i32)(seq - (dir->isn + (u32)dir->next));
}

/* acks.c */
void free_sent(struct arena *m, const struct direction *dir);
void remember_sent(struct analyser *c, struct direction *dir, i64 end, i64 time_ns);
void mark_resent(struct direction *dir, i64 from, i64 to, i64 time_ns);
void take_ack(struct analyser *c, struct direction *dir, const struct packet *p);

static inline struct sent *sent_at(const struct direction *dir, u32 index)
{
	return &dir->sent[(dir->sent_head + index) & (dir->sent_capacity - 1)];
}

/* recovery.c */
void count_retransmission(struct analyser *c, const struct packet *p, i64 from, i64 to,
			  i64 bytes);

/* mptcp.c */
void track_options(struct analyser *c, struct packet *p);

/* tokens.c */
struct token *find_token(struct analyser *c, u32 token, u32 point);
void add_token(struct analyser *c, struct connection *conn, int side, u32 token);
void drop_tokens(struct analyser *c, const struct connection *conn);

/* mappings.c */
void track_data(struct analyser *c, const struct packet *p, i64 from, i64 to);
void forget_whole(struct direction *dir, i64 from, i64 to);
void take_mapping(struct analyser *c, const struct packet *p, const struct dss *dss,
		  i64 from);
void map_endlessly(struct analyser *c, struct direction *dir);
void shift_mappings(struct direction *dir, const struct data *d, i64 by);
void forget_mappings(struct direction *dir);
void free_mappings(struct arena *m, struct direction *dir);

/* unmapped.c */
void map_held(struct analyser *c, const struct packet *p, const struct mapping *map);
void hold_unmapped(struct analyser *c, const struct packet *p, i64 from, i64 to,
		   bool counted);
void give_up_unmapped(struct analyser *c, struct direction *dir);

/* data.c */
bool rel_dsn(struct data *d, u64 dsn, bool wide, i64 *number);
void tell_data(struct analyser *c, const struct direction *dir, i64 time_ns, i64 from,
	       i64 bytes);
void count_bytes(const struct packet *p, i64 bytes);
void count_new_data(struct analyser *c, const struct packet *p, i64 from, i64 bytes);
void add_data(struct analyser *c, const struct packet *p, struct data *d, i64 from,
	      i64 to);
void take_data_fin(struct data *d, i64 number, i64 time_ns);
void take_data_ack(struct analyser *c, const struct packet *p, u64 ack, bool wide);

/* late.c */
void count_from(struct connection *conn, struct data *d, u64 first);
void merge_connection(struct analyser *c, struct connection *from, struct connection *to,
		      bool turned);

/* series.c */
struct series_row *next_bin(struct analyser *c, struct direction *dir, i64 time_ns);
void flush_bin(struct analyser *c, struct direction *dir);
struct event_row *new_event(struct analyser *c, enum event_kind kind,
			    const struct direction *dir, i64 time_ns);

/* The interval of a time; NULL if no series is wanted. */
static inline struct series_row *bin(struct analyser *c, struct direction *dir, i64 time_ns)
{
	if (dir->bin && time_ns >= dir->bin_from && time_ns < dir->bin_to)
		return dir->bin;
	return c->settings.interval_ns ? next_bin(c, dir, time_ns) : NULL;
}

/* A row to fill in; NULL if such events are not wanted, or are too many to list. */
static inline struct event_row *event(struct analyser *c, enum event_kind kind,
				      const struct direction *dir, i64 time_ns)
{
	return c->settings.events & kind ? new_event(c, kind, dir, time_ns) : NULL;
}

/* pairs.c */
void pair(struct analyser *c, const struct packet *p, u32 point);
void pairs_end(struct analyser *c);
void pairs_forget(struct analyser *c);
void link_twins(struct subflow *s, struct subflow *other);
void unlink_twins(struct subflow *s);

/* pending.c */
void pending_add(struct pairs *q, u32 name);
void pending_remove(struct pairs *q, u32 name);
u32 pending_find(const struct pairs *q, const struct direction *dir,
		 const struct seen *packet);

static inline struct seen *seen_at(const struct pairs *q, u32 name)
{
	return &q->slots[name - 1];
}

/* finish.c */
void tell_connection(struct analyser *c, struct connection *conn);

/* api.c */
#pragma GCC visibility push(default)
struct analyser *analyser_new(const struct settings *settings);
int analyser_add(struct analyser *c, int point);
u8 *analyser_buffer(struct analyser *c, int input, size_t *size);
void analyser_fed(struct analyser *c, int input, size_t count);
void analyser_end(struct analyser *c, int input);
int analyser_run(struct analyser *c);
const void *analyser_rows(struct analyser *c, int out, size_t *count);
void analyser_clear(struct analyser *c, int out);
const char *analyser_fields(int out);
i64 analyser_memory(const struct analyser *c);
int analyser_short_of_memory(const struct analyser *c);
i64 analyser_retired_early(const struct analyser *c);
i64 analyser_zero(const struct analyser *c);
void analyser_free(struct analyser *c);
#pragma GCC visibility pop

#endif

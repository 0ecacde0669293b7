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

#include "rows.h"

#define INPUTS 64
#ifndef BUFFER_BYTES
#define BUFFER_BYTES (2 << 20)		/* bytes of an input that wait to be read */
#endif
#ifndef LONGEST
#define LONGEST (1 << 20)	/* a packet, or a block that holds one */
#endif
#define INTERFACES 1024		/* of one section of a pcapng file */
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

/* arena.c */
struct arena {
	i64 left, lowest;
	bool short_of;
};
void *arena_alloc(struct arena *m, size_t size);	/* zeroed; NULL if there is none */
void *arena_grow(struct arena *m, void *old, size_t before, size_t after);
void arena_free(struct arena *m, void *old, size_t size);

/* Rows on their way out. */
struct table {
	void *rows;
	size_t size, count, capacity;
};
void *new_row(struct arena *m, struct table *t);
void add_row(struct arena *m, struct table *t, const void *row);

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

struct analyser;
struct datagram;

/* inputs: input.c, pcap.c, pcapng.c, reader.c */
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

/* dissect.c: a frame's packets; link.c, wireless.c, ppp.c: past its link layer; tags.c: past
 * what stands between that and IP; ip.c: on to the TCP header; tunnels.c, fragments.c: through tunnels and
 * fragments; options.c: the options of the TCP header. A function past_...() moves the
 * span behind a header and returns the ethertype of what follows, 0 if it is no IP. */
enum dissected {
	IS_TCP, IS_FRAGMENT, IS_MALFORMED, IS_SNAPPED, IS_NOT_IP, IS_UDP, IS_OTHER,
	IS_ENCRYPTED,
	IS_HELD,		/* a fragment that waits for others */
};
enum { IPV4 = 0x0800, IPV6 = 0x86DD, TYPE_ETHERNET = 0x6558, TYPE_MPLS = 0x8847 };
enum dissected dissect(struct analyser *c, const struct frame *f, struct packet *p);
enum dissected dissect_rest(struct analyser *c, struct packet *p);
u16 past_link(struct span *s, i32 link, struct packet *p);
u16 ip_version_type(const struct span *s);
u16 past_raw(struct span *s, struct packet *p);
u16 past_tags(struct span *s, struct packet *p, u16 type);
u16 past_ethernet(struct span *s, struct packet *p);
u16 past_labels(struct span *s, struct packet *p);
u16 past_numbered(struct span *s, struct packet *p, u8 next);
u16 past_llc(struct span *s, struct packet *p);
u16 past_ppp(struct span *s, struct packet *p);
u16 past_ppp_protocol(struct span *s, struct packet *p);
u16 past_pppd(struct span *s, struct packet *p);
u16 past_serial(struct span *s, struct packet *p);
u16 past_hdlc(struct span *s, struct packet *p);
u16 past_frame_relay(struct span *s, struct packet *p);
u16 past_wifi(struct span *s, struct packet *p);
u16 past_wifi_swapped(struct span *s, struct packet *p);
u16 past_msdu(struct span *s, struct packet *p);
u16 past_radiotap(struct span *s, struct packet *p);
u16 past_prism(struct span *s, struct packet *p);
u16 past_gre(struct span *s, struct packet *p);
u16 past_etherip(struct span *s, struct packet *p);
u16 past_l2tp_session(struct span *s, struct packet *p);
u16 past_udp(struct span *s, struct packet *p);
enum dissected read_ip(struct analyser *c, struct span *s, struct packet *p, u16 type,
		       u32 on_link);
void read_options(struct span options, struct packet *p);

#define MOST_LAYERS 24

/* Whether a packet has more headers in one another than are followed; counts them. */
static inline bool is_deep(struct packet *p)
{
	return p->layers++ >= MOST_LAYERS;
}

/* fragments.c */
struct fragment {
	u32 id, from;
	u8 protocol;		/* with which it is known; 0 for IPv6 */
	u8 next;		/* what the payload is, if the fragment is the first */
	bool last;
};
struct fragments {
	struct datagram **list, *done;	/* `done`: whose bytes are being read */
	u32 count;
	u64 begun;
};
enum dissected join_fragment(struct analyser *c, struct span *s, struct packet *p,
			     struct fragment *f);
void end_fragments(struct analyser *c);
void free_fragments(struct analyser *c);

/* digest.c */
void mptcp_digest(u64 key, int version, u32 *token, u64 *first_dsn);

/* ranges.c: stretches of a number space, sorted, each with an owner */
struct range {
	i64 from, to;
	u32 owner, stamp;
	i64 time_ns;
};

struct ranges {
	struct range *list;
	u32 head, count, capacity;
	i64 floor;		/* what lies below is forgotten */
	i64 forgotten;
};

struct overlap {
	i64 fresh, own, others;
	u32 other;
};
void ranges_add(struct arena *m, struct ranges *r, i64 from, i64 to, u32 owner,
		struct overlap *overlap);
void ranges_append(struct arena *m, struct ranges *r, struct range piece);
i64 ranges_cut(struct arena *m, struct ranges *r, i64 from, i64 to,
	       struct range *first);
i64 ranges_gaps(const struct ranges *r, i64 from, i64 to);

#define STRETCHES 16

struct stretches {
	u32 count;
	struct {
		i64 from, to;
	} of[STRETCHES];
};
void ranges_parts(const struct ranges *r, i64 from, i64 to, struct stretches *into);
bool ranges_touch(const struct ranges *r, i64 from, i64 to);
void ranges_free(struct arena *m, struct ranges *r);

/* samples.c: the distribution of a time */
struct samples {
	i64 count, sum, min, max;
	i64 few[8];
	u32 *buckets;
};
void sample(struct arena *m, struct samples *s, i64 ns);
i64 quantile(const struct samples *s, double part);
void samples_free(struct arena *m, struct samples *s);

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
void give_up_unmapped(struct direction *dir);

/* data.c */
bool rel_dsn(struct data *d, u64 dsn, bool wide, i64 *number);
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

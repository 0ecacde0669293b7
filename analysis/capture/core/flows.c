// SPDX-License-Identifier: MIT
/* The hash table of subflows. The key of a subflow is its two ends. */
#include "core.h"

#define FIRST_BUCKETS 1024

/* Multiply and fold; seeded, so that no file can choose its collisions. */
static u64 fold(u64 a, u64 b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (u64)product ^ (u64)(product >> 64);
}

static u64 hash_of(const struct analyser *c, const struct packet *p, int low, u32 point)
{
	const u8 *first = p->addresses[low], *second = p->addresses[!low];
	u64 seed = (u64)c->settings.seed | 1, part[4], ports;

	memcpy(part, first, 16);
	memcpy(part + 2, second, 16);
	ports = (u64)p->ports[low] << 32 | (u64)p->ports[!low] << 16 | point << 8 |
		p->version;
	seed = fold(part[0] ^ seed, part[1] ^ 0x9E3779B97F4A7C15u);
	seed ^= fold(part[2] ^ seed, part[3] ^ 0xC2B2AE3D27D4EB4Fu);
	return fold(seed ^ (u64)c->settings.seed, ports ^ 0x165667B19E3779F9u);
}

/* Which end of the packet comes first in the key: 0 its sender, 1 its receiver. */
static int low_end(const struct packet *p)
{
	u64 sender = be64(p->addresses[0]), receiver = be64(p->addresses[1]);

	if (sender == receiver) {
		sender = be64(p->addresses[0] + 8);
		receiver = be64(p->addresses[1] + 8);
	}
	return sender != receiver ? sender > receiver : p->ports[0] > p->ports[1];
}

static bool same_address(const u8 *first, const u8 *second)
{
	u64 a[2], b[2];

	memcpy(a, first, 16);
	memcpy(b, second, 16);
	return !((a[0] ^ b[0]) | (a[1] ^ b[1]));
}

static bool same_ends(const struct subflow *s, const struct packet *p, int low,
		      u32 point)
{
	return s->ports[0] == p->ports[low] && s->ports[1] == p->ports[!low] &&
	       s->version == p->version && s->point == point &&
	       same_address(s->addresses[0], p->addresses[low]) &&
	       same_address(s->addresses[1], p->addresses[!low]);
}

static bool widen(struct analyser *c)
{
	u64 count = c->bucket_count ? 4 * c->bucket_count : FIRST_BUCKETS;
	struct subflow **buckets = arena_alloc(&c->memory, count * sizeof(*buckets));

	if (!buckets)
		return c->bucket_count;
	for (u64 i = 0; i < c->bucket_count; i++) {
		struct subflow *s = c->buckets[i], *next;

		for (; s; s = next) {
			next = s->next_of_hash;
			s->next_of_hash = buckets[s->hash & (count - 1)];
			buckets[s->hash & (count - 1)] = s;
		}
	}
	arena_free(&c->memory, c->buckets, c->bucket_count * sizeof(*buckets));
	c->buckets = buckets;
	c->bucket_count = count;
	return true;
}

static void init_direction(struct direction *dir, struct subflow *s, int end)
{
	dir->subflow = s;
	dir->other = &s->directions[!end];
	dir->row.first_ns = dir->row.first_payload_ns = -1;
	dir->row.last_ns = dir->row.last_payload_ns = -1;
	dir->last_ack_ns = dir->new_from_ns = dir->new_to_ns = -1;
	dir->last_window = -1;
	dir->row.direction = end;
	dir->window_shift = -1;
	dir->counts_like = dir;
}

static struct subflow *new_subflow(struct analyser *c, const struct packet *p, int low,
				   u32 point, u64 hash)
{
	struct subflow *s;

	if (2 * c->subflow_count >= c->bucket_count && !widen(c))
		return NULL;
	s = alloc_subflow(c);
	if (!s)
		return NULL;
	begin_connection(c, s, point);
	c->subflow_count++;
	s->index = c->subflow_total++;
	s->own.row.first_ns = s->own.row.last_ns = p->time_ns;
	for (int i = 0; i < 2; i++) {
		memcpy(s->addresses[i], p->addresses[i ? !low : low], 16);
		s->ports[i] = p->ports[i ? !low : low];
		init_direction(&s->directions[i], s, i);
	}
	s->version = p->version;
	s->point = (u16)point;
	s->hash = hash;
	s->row.point = point;
	s->row.source = p->source;
	s->row.first_ns = s->row.last_ns = p->time_ns;
	s->row.syn_ns = s->row.syn_ack_ns = s->row.established_ns = -1;
	s->row.fourth_ack_ns = s->row.address_id_a = s->row.address_id_b = -1;
	s->row.how = HOW_UNSEEN;
	s->next_of_hash = c->buckets[hash & (c->bucket_count - 1)];
	c->buckets[hash & (c->bucket_count - 1)] = s;
	return s;
}

/* A SYN that begins another connection between the same two ends. */
static bool begins_anew(const struct direction *dir, const struct packet *p)
{
	if ((p->flags & (TCP_SYN | TCP_ACK | TCP_RST)) != TCP_SYN || !dir->seen)
		return false;
	return dir->row.syns ? p->seq != dir->isn : dir->row.payload_bytes > 0;
}

static struct subflow *in_table(const struct analyser *c, const struct packet *p, int low,
				u32 point, u64 hash)
{
	struct subflow *s = c->bucket_count ?
			    c->buckets[hash & (c->bucket_count - 1)] : NULL;

	while (s && (s->hash != hash || !same_ends(s, p, low, point)))
		s = s->next_of_hash;
	return s;
}

/* Add a subflow of one capture point. Link it to the same subflow of the other capture
 * point, if that has been seen. */
static struct subflow *add_subflow(struct analyser *c, const struct packet *p, int low,
				   u32 point, u64 hash)
{
	struct subflow *s;

	retire_closed(c);
	s = new_subflow(c, p, low, point, hash);
	if (s && c->points == 3)
		link_twins(s, in_table(c, p, low, !point, hash_of(c, p, low, !point)));
	return s;
}

static struct subflow *look_up(struct analyser *c, const struct packet *p, int low,
			       u32 point)
{
	u64 hash = hash_of(c, p, low, point);
	struct subflow *s = in_table(c, p, low, point, hash);

	if (!s && !c->bucket_count && !widen(c))
		return NULL;
	return s ? s : add_subflow(c, p, low, point, hash);
}

/* The direction of a packet, from its sender; NULL if the memory is used up. */
struct direction *find_direction(struct analyser *c, struct packet *p, u32 point)
{
	struct subflow *s = c->last[point & 1];
	struct direction *dir;
	int low = 0;

	/* Most packets follow one of the same subflow, from either end. */
	if (s)
		low = s->ports[0] != p->ports[0] || s->ports[1] != p->ports[1] ||
		      !same_address(s->addresses[0], p->addresses[0]);
	if (!s || !same_ends(s, p, low, point)) {
		low = low_end(p);
		s = look_up(c, p, low, point);
	}
	/* The sender is end `low` of the key: 0 if it comes first. */
	dir = s ? &s->directions[low] : NULL;
	if (dir && begins_anew(dir, p)) {
		unhash_subflow(c, s);
		s = add_subflow(c, p, low, point, s->hash);
		dir = s ? &s->directions[low] : NULL;
	}
	if (s)
		s->touched = true;
	c->last[point & 1] = s;
	return dir;
}

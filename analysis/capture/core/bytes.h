/* SPDX-License-Identifier: MIT */
/* Reading numbers from bytes, never beyond their end. */
#ifndef ANALYSER_BYTES_H
#define ANALYSER_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int32_t i32;
typedef int64_t i64;

/* What is left to read. A reader calls has() before it takes bytes. */
struct span {
	const u8 *at;
	size_t left;
};

static inline bool has(const struct span *s, size_t count)
{
	return s->left >= count;
}

static inline void skip(struct span *s, size_t count)
{
	s->at += count;
	s->left -= count;
}

/* Shortens the span; never makes it longer. */
static inline void limit(struct span *s, size_t count)
{
	if (s->left > count)
		s->left = count;
}

static inline u16 be16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 be32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, 4);
	return __builtin_bswap32(v);
}

static inline u64 be64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, 8);
	return __builtin_bswap64(v);
}

/* In the byte order of the file: swapped or this machine's, which is little. */
static inline u16 file16(const u8 *p, bool swapped)
{
	u16 v;

	memcpy(&v, p, 2);
	return swapped ? __builtin_bswap16(v) : v;
}

static inline u32 file32(const u8 *p, bool swapped)
{
	u32 v;

	memcpy(&v, p, 4);
	return swapped ? __builtin_bswap32(v) : v;
}

static inline i64 min(i64 a, i64 b)
{
	return a < b ? a : b;
}

static inline i64 max(i64 a, i64 b)
{
	return a > b ? a : b;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "be16() and its like expect a little-endian machine"
#endif

#endif

// SPDX-License-Identifier: MIT
/*
 * Token and initial data sequence number of a key: the first 32 and the last 64
 * bits of its SHA-256 (RFC 8684, 3.2), in version 0 of its SHA-1 (RFC 6824, 3.2).
 * One block of FIPS 180-4 holds an 8-byte key.
 */
#include "core.h"

static inline u32 right(u32 v, int n)
{
	return v >> n | v << (32 - n);
}

/* Fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const u32 constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void block_of(u64 key, u32 *w)
{
	memset(w, 0, 16 * sizeof(*w));
	w[0] = (u32)(key >> 32);
	w[1] = (u32)key;
	w[2] = 0x80000000;
	w[15] = 64;
}

static void sha256(u64 key, u32 h[8])
{
	static const u32 first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	u32 w[64], v[8];
	int i;

	block_of(key, w);
	for (i = 16; i < 64; i++) {
		u32 a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[i - 7] +
		       (right(b, 17) ^ right(b, 19) ^ b >> 10);
	}
	memcpy(v, first, sizeof(v));
	for (i = 0; i < 64; i++) {
		u32 e = v[4], a = v[0];
		/* T1 and T2 of FIPS 180-4, 6.2.2 */
		u32 t1 = v[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
			  ((e & v[5]) ^ (~e & v[6])) + constant[i] + w[i];
		u32 t2 = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
			  ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		h[i] = first[i] + v[i];
}

static void sha1(u64 key, u32 h[5])
{
	static const u32 first[5] = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
	};
	static const u32 add[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	u32 w[80], v[5];
	int i;

	block_of(key, w);
	for (i = 16; i < 80; i++)
		w[i] = right(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 31);
	memcpy(v, first, sizeof(v));
	for (i = 0; i < 80; i++) {
		u32 mix = v[1] ^ v[2] ^ v[3], next;

		if (i < 20)
			mix = (v[1] & v[2]) | (~v[1] & v[3]);
		else if (i >= 40 && i < 60)
			mix = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
		next = right(v[0], 27) + mix + v[4] + add[i / 20] + w[i];
		memmove(v + 1, v, 4 * sizeof(*v));
		v[0] = next;
		v[2] = right(v[2], 2);
	}
	for (i = 0; i < 5; i++)
		h[i] = first[i] + v[i];
}

void mptcp_digest(u64 key, int version, u32 *token, u64 *first_dsn)
{
	u32 h[8];

	if (version == 0) {
		sha1(key, h);
		*first_dsn = (u64)h[3] << 32 | h[4];
	} else {
		sha256(key, h);
		*first_dsn = (u64)h[6] << 32 | h[7];
	}
	*token = h[0];
}

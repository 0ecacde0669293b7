// SPDX-License-Identifier: GPL-2.0
/* The host's randomness, or a reproducible replacement
 *
 * Host randomness enters a guest only through os_getrandom(). If MPBENCH_SEED is set
 * to a decimal 64-bit number in the environment of the guest's host process,
 * os_getrandom() returns the bytes of splitmix64 (Steele, Lea, Flood: Fast splittable
 * pseudorandom number generators, OOPSLA 2014). The same guest with the same seed then
 * behaves the same. Without MPBENCH_SEED it asks the host. The seed is not on the
 * kernel's command line, because the kernel mixes that into its random pool.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <os.h>

#define SEED_VARIABLE	"MPBENCH_SEED"
#define GOLDEN_GAMMA	0x9e3779b97f4a7c15ULL

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* The step is atomic, because an interrupt may draw while another draw is going on. */
static uint64_t next(uint64_t *state)
{
	return mix(__atomic_add_fetch(state, GOLDEN_GAMMA, __ATOMIC_RELAXED));
}

static uint64_t parse(const char *text)
{
	char *end;
	unsigned long long seed;

	errno = 0;
	seed = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno) {
		os_warn("%s: '%s' is not a decimal number below 2^64\n",
			SEED_VARIABLE, text);
		exit(2);
	}
	return seed;
}

ssize_t os_getrandom(void *buf, size_t len, unsigned int flags)
{
	static enum { UNKNOWN, HOST, SEEDED } source;
	static uint64_t state;
	unsigned char *out = buf;
	size_t done, step;

	if (source == UNKNOWN) {
		const char *text = getenv(SEED_VARIABLE);

		/* mixed, so that seeds a multiple of the gamma apart do not overlap */
		if (text)
			state = mix(parse(text));
		source = text ? SEEDED : HOST;
	}
	if (source == HOST)
		return getrandom(buf, len, flags);

	for (done = 0; done < len; done += step) {
		uint64_t word = next(&state);

		step = len - done < sizeof(word) ? len - done : sizeof(word);
		memcpy(out + done, &word, step);
	}
	return len;
}

// SPDX-License-Identifier: MIT
/*
 * The analyser under libFuzzer, or on files: see fuzz.py.
 *
 * The first byte of an input says how it is fed: as one capture file or as two of two
 * capture points, twice as one point, and in pieces of what size. The memory may be
 * small, so that running out of it is tried too.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core.h"

static void feed(struct analyser *c, const u8 *data, size_t size, size_t piece, int inputs)
{
	size_t done[2] = { 0, 0 };
	int what;

	while ((what = analyser_run(c)) != -1) {
		size_t space = 0, count;
		u8 *at;

		if (what < 0) {
			for (int out = 0; out < OUTS; out++)
				if (out != OUT_INPUTS)
					analyser_clear(c, out);
			continue;
		}
		at = analyser_buffer(c, what, &space);
		count = size - done[what % inputs];
		if (count > piece)
			count = piece;
		if (count > space)
			count = space;
		if (!count) {
			analyser_end(c, what);
			continue;
		}
		memcpy(at, data + done[what % inputs], count);
		done[what % inputs] += count;
		analyser_fed(c, what, count);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct settings settings = {
		.interval_ns = 1000000, .idle_ns = 1000000, .pair_ns = 1000000000,
		.events = 4095, .seed = 1, .linger_ns = 1000000,
	};
	struct analyser *c;
	size_t count;
	int inputs;

	if (!size)
		return 0;
	inputs = 1 + (data[0] & 1);
	settings.budget = data[0] & 2 ? 400000 : 64 << 20;
	c = analyser_new(&settings);
	for (int i = 0; i < inputs; i++)
		analyser_add(c, data[0] & 8 ? 0 : i);
	feed(c, data + 1, size - 1, data[0] & 4 ? 61 : 100000, inputs);
	for (int out = 0; out < OUTS; out++)
		analyser_rows(c, out, &count);
	analyser_free(c);
	return 0;
}

#ifdef STANDALONE
/* Each argument names a file with one input. */
int main(int argc, char **argv)
{
	static u8 data[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size = file ? fread(data, 1, sizeof(data), file) : 0;
		u8 *copy = malloc(size + 1);	/* so that its end is guarded */

		if (file)
			fclose(file);
		memcpy(copy, data, size);
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	return 0;
}
#endif

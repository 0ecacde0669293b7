// SPDX-License-Identifier: MIT
/*
 * The analyser under libFuzzer, or on files: see fuzz.py.
 *
 * The first byte of an input says how it is fed: as one capture or as two at two
 * points, and in pieces of what size. The budget is small, so that running out of
 * memory is met too.
 */
#include <stdlib.h>

#include "core.h"

static void feed(struct analyser *c, const u8 *data, size_t size, size_t piece, int inputs)
{
	size_t done[2] = { 0, 0 };
	int what;

	while ((what = analyser_run(c)) != -1) {
		size_t room = 0, count;
		u8 *at;

		if (what < 0) {
			analyser_clear(c, OUT_SERIES);
			analyser_clear(c, OUT_EVENTS);
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
		.events = 255, .seed = 1,
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
		analyser_add(c, i);
	feed(c, data + 1, size - 1, data[0] & 4 ? 61 : 100000, inputs);
	for (int out = 0; out < OUTS; out++)
		analyser_rows(c, out, &count);
	analyser_free(c);
	return 0;
}

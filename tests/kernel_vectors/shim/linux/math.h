/* The kernel's integer square root, rounded down. */
#pragma once
#include <linux/types.h>

static inline u32 int_sqrt64(u64 value)
{
	u64 low = 0, high = 1ULL << 32;

	while (high - low > 1) {
		u64 middle = (low + high) / 2;

		if (middle * middle <= value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

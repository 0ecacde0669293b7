/* The kernel's 64-bit helpers; stops the program where the kernel's would wrap. */
#pragma once
#include <stdlib.h>
#include <linux/types.h>

static inline u64 fits(unsigned __int128 value)
{
	if (value >> 64)
		abort();
	return value;
}

/* a divisor of more than 32 bits would be cut in the kernel */
static inline u64 div_u64(u64 dividend, u64 divisor)
{
	if (divisor >> 32)
		abort();
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return fits((unsigned __int128)a * b / divisor);
}

static inline u64 mul_u64_u64_div_u64_roundup(u64 a, u64 b, u64 divisor)
{
	return fits(((unsigned __int128)a * b + divisor - 1) / divisor);
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return fits((unsigned __int128)a * b >> shift);
}

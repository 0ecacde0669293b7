/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of a stub process in time travel, which the vDSO reads. */
#ifndef __STUB_CLOCK_H
#define __STUB_CLOCK_H

/* What a reading of the clock costs, in nanoseconds: as in timer_read(). */
#define STUB_CLOCK_STEP		256

/* A loop that only reads the clock enters the kernel this often. */
#define STUB_CLOCK_MAX_READS	1000

/* Stands in the vDSO where the address of the clock will. */
#define STUB_CLOCK_MAGIC	0x636f6c636b627573UL

struct stub_clock {
	unsigned long long monotonic;
	unsigned long long realtime;
	unsigned int reads;
	unsigned int valid;
};

#endif

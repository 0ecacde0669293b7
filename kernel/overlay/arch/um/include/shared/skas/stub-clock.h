/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of a stub process in time travel mode, which the vDSO reads */
#ifndef __STUB_CLOCK_H
#define __STUB_CLOCK_H

/* The virtual time that a reading of the clock takes, in nanoseconds; as in timer_read() */
#define STUB_CLOCK_STEP		256

/* After this many readings a loop that only reads the clock enters the kernel. */
#define STUB_CLOCK_MAX_READS	1000

/* A placeholder in the vDSO, which init_vdso() replaces with the address of the clock */
#define STUB_CLOCK_MAGIC	0x636f6c636b627573UL

struct stub_clock {
	unsigned long long monotonic;
	unsigned long long realtime;
	unsigned int reads;
	unsigned int valid;
};

void time_travel_show_clock(struct stub_clock *clock);
void time_travel_charge_clock(struct stub_clock *clock);

#endif

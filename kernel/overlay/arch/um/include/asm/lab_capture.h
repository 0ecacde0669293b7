/* SPDX-License-Identifier: GPL-2.0 */
/* Captures of packets that are at no network interface; see arch/um/kernel/capture.c */
#ifndef __UM_LAB_CAPTURE_H
#define __UM_LAB_CAPTURE_H

#include <linux/ktime.h>
#include <linux/types.h>

struct capture;
struct sk_buff;

/* Begin a capture to a file of the host, until the order `end` of /proc/lab_capture.
 * @name: as reading /proc/lab_capture shows it
 * @ended: is called with @tap when the capture ends; it can still hand over packets,
 *	and none after it. It may not sleep or take RTNL.
 *
 * Returns an error pointer if the file cannot be written.
 */
struct capture *capture_tap(const char *name, bool full, const char *path,
			    void (*ended)(void *tap), void *tap);

/* Hand over a packet, with softirqs off. @when: of the clock of real time, at or after
 * that of the packet before
 */
void capture_tapped(struct capture *capture, const struct sk_buff *skb, ktime_t when);

/* End the packets of all taps with this @ended; their files stay open until `end`. */
void capture_taps_forget(void (*ended)(void *tap));

#endif /* __UM_LAB_CAPTURE_H */

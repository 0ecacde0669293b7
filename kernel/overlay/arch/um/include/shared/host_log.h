/* SPDX-License-Identifier: GPL-2.0 */
/* Files in the folder of the guest's host process, written by the kernel itself;
 * host_log.c says why.
 */
#ifndef __HOST_LOG_H
#define __HOST_LOG_H

/* The most that may be asked for at once */
#define HOST_LOG_ROOM	(1 << 17)

struct host_log;

/* A new file in place of what is there; @path is relative. An error pointer if the
 * host refuses. May sleep.
 */
struct host_log *host_log_open(const char *path);

/* Room for @length bytes more, of which host_log_keep() then says how many count.
 * In any context but an NMI, one caller of a log at a time.
 */
void *host_log_room(struct host_log *log, unsigned int length);
void host_log_keep(struct host_log *log, unsigned int length);

/* Write what is left, and free it. The first error of all that was written. */
int host_log_close(struct host_log *log);

#endif /* __HOST_LOG_H */

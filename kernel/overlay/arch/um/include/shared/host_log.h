/* SPDX-License-Identifier: GPL-2.0 */
/* Files in the working directory of the guest's host process, written by the kernel
 * itself; host_log.c says why.
 */
#ifndef __HOST_LOG_H
#define __HOST_LOG_H

/* The most bytes that one call of host_log_reserve() can ask for */
#define HOST_LOG_RESERVE_MAX	(1 << 17)

struct host_log;

/* Create the file, or empty the one that exists; @path is relative. Returns an error
 * pointer if the host refuses. It may sleep.
 */
struct host_log *host_log_open(const char *path);

/* Reserve @length bytes in the buffer; host_log_commit() then says how many of them
 * belong to the file. Any context but an NMI may call both, one caller per log at a
 * time.
 */
void *host_log_reserve(struct host_log *log, unsigned int length);
void host_log_commit(struct host_log *log, unsigned int length);

/* Write the rest of the buffer, close the file and free the log. Returns the first error
 * of all writes.
 */
int host_log_close(struct host_log *log);

#endif /* __HOST_LOG_H */

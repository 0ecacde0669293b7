// SPDX-License-Identifier: GPL-2.0
/* Files of the host that the kernel itself writes
 *
 * An observer must not change the run. A process of the guest that writes a file wakes
 * at its own times, draws from the random pool when it starts, and fills a page cache
 * that is written back later. A write from here is one system call of the host, during
 * which the guest's time stands still.
 */

#include <linux/err.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <init.h>
#include <os.h>
#include <host_log.h>

#define HOST_LOG_BYTES	(2 * HOST_LOG_RESERVE_MAX)

struct host_log {
	struct list_head list;
	int file;
	int error;
	unsigned int filled;
	char buffer[HOST_LOG_BYTES];
};

static LIST_HEAD(host_logs);
static DEFINE_MUTEX(host_logs_mutex);

static void host_log_flush(struct host_log *log)
{
	unsigned int done = 0;
	int wrote;

	while (done < log->filled && !log->error) {
		wrote = os_write_file(log->file, log->buffer + done,
				      log->filled - done);
		if (wrote > 0)
			done += wrote;
		else if (wrote != -EINTR)
			log->error = wrote ? wrote : -ENOSPC;
	}
	log->filled = 0;
}

struct host_log *host_log_open(const char *path)
{
	struct host_log *log = vmalloc(sizeof(*log));

	if (!log)
		return ERR_PTR(-ENOMEM);
	log->error = 0;
	log->filled = 0;
	log->file = os_open_file(path, of_cloexec(of_trunc(of_create(of_write(OPENFLAGS())))),
				 0644);
	if (log->file < 0) {
		int error = log->file;

		vfree(log);
		return ERR_PTR(error);
	}
	mutex_lock(&host_logs_mutex);
	list_add_tail(&log->list, &host_logs);
	mutex_unlock(&host_logs_mutex);
	return log;
}

void *host_log_reserve(struct host_log *log, unsigned int length)
{
	if (log->filled + length > HOST_LOG_BYTES)
		host_log_flush(log);
	return log->buffer + log->filled;
}

void host_log_commit(struct host_log *log, unsigned int length)
{
	log->filled += length;
}

int host_log_close(struct host_log *log)
{
	int error;

	mutex_lock(&host_logs_mutex);
	list_del(&log->list);
	mutex_unlock(&host_logs_mutex);
	host_log_flush(log);
	os_close_file(log->file);
	error = log->error;
	vfree(log);
	return error;
}

/* A guest whose virtual time runs out still writes what it has buffered. */
static void host_log_exit(void)
{
	struct host_log *log;

	list_for_each_entry(log, &host_logs, list)
		host_log_flush(log);
}
__uml_exitcall(host_log_exit);

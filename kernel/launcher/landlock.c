// SPDX-License-Identifier: GPL-2.0
/*
 * The barrier of Landlock: a rule for each file or folder, and nothing else opens
 *
 * In the run's folder, files and folders can be made, but no links and no devices (in
 * a build symbolic links, which the same rules bind, and pipes). By
 * version of Landlock it also refuses TCP, ioctl on devices, signals to processes
 * outside, and abstract Unix sockets. The numbers are those of linux/landlock.h, whose
 * older versions lack the newer ones.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define TELL_VERSION 1
#define PATH_BENEATH 1

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_DIR (1ULL << 7)
#define MAKE_REG (1ULL << 8)
#define MAKE_FIFO (1ULL << 10)
#define MAKE_SYM (1ULL << 12)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)

#define READ_RIGHTS (EXECUTE | READ_FILE | READ_DIR)
#define WRITE_RIGHTS (READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | \
		      REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER)
/* A build executes programs that it made, and talks to its jobs through a pipe. */
#define BUILD_RIGHTS (WRITE_RIGHTS | EXECUTE | MAKE_FIFO | MAKE_SYM)
/* The rights above that a rule on a file may have. */
#define FILE_RIGHTS (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE)

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* What a version of Landlock can refuse: on files, on sockets, and by scope. */
struct refusals landlock_refusals(int version)
{
	int file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;

	return (struct refusals) {
		.files = (1ULL << file_rights) - 1,
		.net = version >= 4 ? 3 : 0,
		.scoped = version >= 6 ? 3 : 0,
	};
}

/* Allow these rights below a path. A path that the host does not have needs no rule. */
static void allow(int ruleset, const char *path, uint64_t rights)
{
	struct path_beneath rule = { .allowed = rights };
	struct stat about;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return;
	check(fd, "open", path);
	check(fstat(fd, &about), "stat", path);
	if (!S_ISDIR(about.st_mode))
		rule.allowed &= FILE_RIGHTS;
	rule.parent = fd;
	check(syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0),
	      "landlock_add_rule", path);
	close(fd);
}

void restrict_files(const struct options *options, const char *run, const char *memory)
{
	int version = check(syscall(SYS_landlock_create_ruleset, NULL, 0, TELL_VERSION),
			    "Landlock", NULL);
	struct refusals refused = landlock_refusals(version);
	size_t i, size = version < 4 ? 8 : version < 6 ? 16 : 24;
	int ruleset = check(syscall(SYS_landlock_create_ruleset, &refused, size, 0),
			    "landlock_create_ruleset", NULL);
	uint64_t own = options->builds ? BUILD_RIGHTS : WRITE_RIGHTS;

	for (i = 0; i < options->list_count; i++)
		allow(ruleset, options->lists[i], READ_DIR);
	for (i = 0; i < options->read_count; i++)
		allow(ruleset, options->reads[i], READ_RIGHTS);
	allow(ruleset, options->command[0], READ_RIGHTS);
	allow(ruleset, CPUINFO, READ_RIGHTS);
	if (options->builds)
		allow(ruleset, "/dev/null", READ_FILE | WRITE_FILE);
	allow(ruleset, run, own & refused.files);
	allow(ruleset, memory, own & refused.files);
	check(syscall(SYS_landlock_restrict_self, ruleset, 0), "landlock_restrict_self",
	      NULL);
	close(ruleset);
}

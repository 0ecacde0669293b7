/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the launcher share; launcher.c says what the launcher does. */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANNOT_CONFINE 125
#define CANNOT_EXECUTE 127

#define CPUINFO "/proc/cpuinfo"
#define MEMORY "/memory"

/* What the words before "--" ask for. The texts point into the argument vector. */
struct options {
	uint64_t parent;
	uint64_t file_bytes;
	uint64_t memory_bytes;
	uint64_t address_bytes;
	uint64_t cpu_s;
	uint64_t cpu;
	bool pinned;
	bool namespaces;
	bool landlock;
	bool builds;
	const char *memory_folder;
	const char *below_work;
	const char **reads;
	const char **lists;
	const char **belows;
	size_t read_count;
	size_t list_count;
	size_t below_count;
	char **command;
};

/* Print one line on the guest's console and end this process. With an error number,
 * the line ends in its text.
 */
__attribute__((noreturn, format(printf, 2, 3)))
void cannot_confine(int error, const char *format, ...);

/* End this process with cannot_confine() and errno if the result is negative. */
int check(int result, const char *what, const char *path);

/* namespaces.c */
void enter_namespaces(void);
void build_root(const struct options *options, const char *run, const char *image);

/* landlock.c */
struct refusals {
	uint64_t files;
	uint64_t net;
	uint64_t scoped;
};

struct refusals landlock_refusals(int version);
void restrict_files(const struct options *options, const char *run,
		    const char *memory);

/* filter.c */
void filter_calls(bool builds);

#endif

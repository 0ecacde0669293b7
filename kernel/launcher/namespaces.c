// SPDX-License-Identifier: GPL-2.0
/*
 * The barrier of namespaces: a root, processes and a network of the guest's own
 *
 *   /usr, /bin, ...   the folders that a guest reads: the host's, read-only
 *   RUN               the run's folder, at its path on the host: the host's, writable
 *   /memory           a memory file system, for the file that is the guest's memory
 *   /proc/cpuinfo     the host's
 *   /proc/self        where a guest's kernel and its first process look: cwd and exe
 *   /dev/null         the host's, in a build
 *   all else          empty folders
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher.h"

#define HOST "/.host"
#define NOTHING "/dev/null"
/* Where the new root is built; any folder that every host has would do. */
#define STAGE "/dev"

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | \
		    CLONE_NEWIPC | CLONE_NEWUTS)

/* As in linux/mount.h, which older distributions cannot include beside sys/mount.h. */
#define ATTRIBUTE_RDONLY 1
#define ATTRIBUTE_NOSUID 2
#define ATTRIBUTE_NODEV 4
#define RECURSIVE 0x8000
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

struct attributes {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	uint64_t userns;
};

/* Folders that a guest mounts on, or that its programs expect. */
static const char * const points[] = {
	"/proc", "/sys", "/dev", "/run", "/root", "/tmp", MEMORY,
};

static void write_file(const char *path, const char *format, unsigned int id)
{
	char text[64];
	int length = snprintf(text, sizeof(text), format, id, id);
	int fd = check(open(path, O_WRONLY | O_CLOEXEC), "open", path);

	if (write(fd, text, length) != length)
		cannot_confine(errno, "write %s", path);
	close(fd);
}

/* The user stays the same. The next child is process 1. */
void enter_namespaces(void)
{
	unsigned int user = getuid(), group = getgid();

	check(unshare(NAMESPACES), "unshare", NULL);
	write_file("/proc/self/setgroups", "deny", 0);
	write_file("/proc/self/uid_map", "%u %u 1", user);
	write_file("/proc/self/gid_map", "%u %u 1", group);
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		cannot_confine(errno, "mkdir %s", path);
}

/* Make the folders that lead to an absolute path, but not the last part. */
static void make_parents(const char *path)
{
	char part[PATH_MAX];
	const char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		make_folder(part);
	}
}

static void make_folders(const char *path)
{
	make_parents(path);
	make_folder(path);
}

static void bind_mount(const char *source, const char *target, unsigned long flags)
{
	check(mount(source, target, NULL, MS_BIND | flags, NULL), "mount", target);
}

/* Show a file or folder of the host, if the host has it. */
static void show(const char *path)
{
	char source[PATH_MAX];
	struct stat about;

	snprintf(source, sizeof(source), HOST "%s", path);
	if (stat(source, &about))
		return;
	if (S_ISDIR(about.st_mode)) {
		make_folders(path);
	} else {
		make_parents(path);
		close(check(open(path, O_CREAT | O_RDONLY | O_CLOEXEC, 0644), "make", path));
	}
	bind_mount(source, path, MS_REC);
}

/* Make the same symbolic link as the host has at this path, if it has one. */
static void copy_link(const char *path)
{
	char source[PATH_MAX], target[PATH_MAX];
	ssize_t length;

	snprintf(source, sizeof(source), HOST "%s", path);
	length = readlink(source, target, sizeof(target) - 1);
	if (length < 0)
		return;
	target[length] = 0;
	make_parents(path);
	if (symlink(target, path) && errno != EEXIST)
		cannot_confine(errno, "link %s", path);
}

static void set_attributes(const char *path, uint64_t set, uint64_t clear)
{
	struct attributes attributes = { .set = set, .clear = clear };

	check(syscall(SYS_mount_setattr, AT_FDCWD, path, RECURSIVE, &attributes,
		      sizeof(attributes)),
	      "mount_setattr", path);
}

/*
 * Mount the memory file system. A guest touches each page of its memory for the first
 * time at some moment, and 4 KiB at a time these faults take a quarter of a short run.
 * So the host brings in 2 MiB at once, where its kernel has huge pages.
 */
static void mount_memory(uint64_t bytes)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV;
	char text[64];

	snprintf(text, sizeof(text), "mode=700,size=%llu,huge=within_size",
		 (unsigned long long)bytes);
	if (!mount("memory", MEMORY, "tmpfs", flags, text))
		return;
	if (errno == EINVAL)
		*strrchr(text, ',') = '\0';
	check(mount("memory", MEMORY, "tmpfs", flags, text), "mount", MEMORY);
}

/* Add NAME=PATH, or :PATH, to the options of a mount; the path is one of the host's. */
static char *add_path(char *text, const char *end, const char *before, const char *path)
{
	if (strpbrk(path, ",:\\"))
		cannot_confine(0, "a folder with , : or \\ in its name: %s", path);
	text += snprintf(text, end - text, "%s" HOST "%s", before, path);
	if (text >= end)
		cannot_confine(ENAMETOOLONG, "%s", path);
	return text;
}

/*
 * Show the run's folder with the files of others below it. Only the run's folder is
 * written to: a file of the others is copied there before its first change, and a
 * removed one is noted there.
 */
static void mount_over(const struct options *options, const char *run)
{
	char text[4096];	/* a page, which is all that mount() takes */
	const char *end = text + sizeof(text);
	char *next = text;
	size_t i;

	for (i = 0; i < options->below_count; i++)
		next = add_path(next, end, i ? ":" : "lowerdir=", options->belows[i]);
	next = add_path(next, end, ",upperdir=", run);
	next = add_path(next, end, ",workdir=", options->below_work);
	if (snprintf(next, end - next, ",userxattr") >= end - next)
		cannot_confine(ENAMETOOLONG, "%s", run);
	check(mount("overlay", run, "overlay", MS_NOSUID | MS_NODEV, text), "mount", run);
}

/* Change to a root that holds what a guest needs, and forget the host's root. */
void build_root(const struct options *options, const char *run, const char *image)
{
	const uint64_t safe = ATTRIBUTE_NOSUID | ATTRIBUTE_NODEV;
	char text[PATH_MAX + sizeof(HOST)];
	size_t i;

	check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount", "/");
	check(mount("root", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m"),
	      "mount", STAGE);
	check(chdir(STAGE), "chdir", STAGE);
	make_folder(HOST + 1);
	check(syscall(SYS_pivot_root, ".", HOST + 1), "pivot_root", NULL);
	check(chdir("/"), "chdir", "/");
	for (i = 0; i < sizeof(points) / sizeof(*points); i++)
		make_folder(points[i]);
	make_folders(run);
	/* Links come first: a folder may be mounted below one. */
	for (i = 0; i < options->read_count; i++)
		copy_link(options->reads[i]);
	for (i = 0; i < options->read_count; i++)
		if (readlink(options->reads[i], text, sizeof(text)) < 0)
			show(options->reads[i]);
	show(image);
	show(CPUINFO);
	if (options->builds)
		show(NOTHING);
	make_folder("/proc/self");
	check(symlink(run, "/proc/self/cwd"), "link", "/proc/self/cwd");
	check(symlink(image, "/proc/self/exe"), "link", "/proc/self/exe");
	if (options->below_count) {
		mount_over(options, run);
	} else {
		snprintf(text, sizeof(text), HOST "%s", run);
		bind_mount(text, run, 0);
	}
	check(umount2(HOST, MNT_DETACH), "umount", HOST);
	check(rmdir(HOST), "rmdir", HOST);
	set_attributes("/", ATTRIBUTE_RDONLY | safe, 0);
	set_attributes(run, safe, ATTRIBUTE_RDONLY);
	if (options->builds)
		set_attributes(NOTHING, 0, ATTRIBUTE_NODEV);
	mount_memory(options->memory_bytes);
	check(chdir(run), "chdir", run);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's first process
 *
 * It shows a root read-only under a tmpfs, gives the run one writable folder, runs
 * one command there, and powers off. It reads the command from files in that folder,
 * and not from the kernel's command line: the kernel mixes its command line into the
 * random pool, so it must be the same for every run.
 *
 * The run's folder is the working directory of the guest's host process.
 *   boot/root         the root: "host" for the host's, or "image" and two folders of
 *                     the host, one per line: the one that holds root.erofs, and the
 *                     one with the code of the run, which the guest sees in /run/code
 *   boot/argv         one argument per line
 *   boot/environment  one NAME=VALUE per line
 *   boot/limit        bound on virtual time in whole seconds; with 0 there is no
 *                     bound, and no line for every second that passes
 * Its last line on the console is "mpbench: exit N" when the command has ended,
 * or "mpbench: limit" when virtual time has run out.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN "/run/mpbench"
#define EARLY "/early"
#define CODE "/run/code"
#define CLOSED "/root/sys/module/hostfs/parameters/closed"
#define TOOLS "/run/tools"
#define MAX_WORDS 256

static void say(const char *format, ...)
{
	char line[512];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (length > (int)sizeof(line) - 1)
		length = sizeof(line) - 1;
	if (write(1, line, length) < 0)
		return;
}

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(0);
}

static void die(const char *what)
{
	say("mpbench: cannot boot: %s: %s\n", what, strerror(errno));
	power_off();
}

static void mount_new(const char *source, const char *target, const char *type,
		      unsigned long flags, const char *options)
{
	mkdir(target, 0755);
	if (mount(source, target, type, flags, options))
		die(target);
}

/* The lines of a file in the run's folder, as a vector that ends in NULL. Without the
 * file the vector is empty.
 */
static char **lines(const char *path)
{
	char **words = calloc(MAX_WORDS + 1, sizeof(*words));
	char *text, *save, *word;
	struct stat about;
	int n = 0, fd = open(path, O_RDONLY);

	if (!words)
		die(path);
	if (fd < 0)
		return words;
	if (fstat(fd, &about))
		die(path);
	text = calloc(1, about.st_size + 1);
	if (!text || read(fd, text, about.st_size) != about.st_size)
		die(path);
	close(fd);
	for (word = strtok_r(text, "\n", &save); word && n < MAX_WORDS;
	     word = strtok_r(NULL, "\n", &save))
		words[n++] = word;
	return words;
}

/* Print the processes that exist when virtual time runs out, and their states. */
static void show_processes(void)
{
	char path[64], line[256], *end;
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	int fd, length;

	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/stat", entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		length = read(fd, line, sizeof(line) - 1);
		close(fd);
		if (length <= 0)
			continue;
		line[length] = 0;
		end = strchr(line, ')');
		if (end && end[1] && end[2])
			say("mpbench: process %.*s\n", (int)(end + 3 - line), line);
	}
}

/* Have the kernel refuse to mount anything more of the host, for good. */
static void close_hostfs(void)
{
	int fd = open(CLOSED, O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1)
		die(CLOSED);
	close(fd);
}

/* Mount a folder of the host.
 *
 * Without MS_NOATIME the kernel updates a file's access time if the old one is out of
 * date, which differs between machines and days. An update reads the clock, and that
 * takes virtual time.
 */
static void mount_host(const char *folder, const char *target, unsigned long flags)
{
	mount_new(folder, target, "hostfs", MS_NOATIME | flags, folder);
}

/* Mount what boot/root names. Returns the folder of the host with the run's code, or
 * NULL if the root has it.
 */
static const char *mount_lower(void)
{
	char **words = lines(EARLY "/boot/root");

	if (words[0] && !strcmp(words[0], "host") && !words[1]) {
		mount_host("/", "/lower", MS_RDONLY);
		return NULL;
	}
	if (!words[0] || strcmp(words[0], "image") || !words[1] || !words[2] || words[3]) {
		errno = EINVAL;
		die("boot/root");
	}
	mount_host(words[1], "/image", MS_RDONLY);
	mount_new("/image/root.erofs", "/lower", "erofs", MS_RDONLY | MS_NOATIME,
		  "directio");
	return words[2];
}

static void build_root(void)
{
	const char *code;

	mount_new("tmpfs", "/t", "tmpfs", 0, "size=50%,mode=755");
	mkdir("/t/up", 0755);
	mkdir("/t/work", 0755);
	mount_host("/proc/self/cwd", EARLY, 0);
	code = mount_lower();
	mount_new("overlay", "/root", "overlay", MS_NOATIME,
		  "lowerdir=/lower,upperdir=/t/up,workdir=/t/work");
	if (chdir("/root"))
		die("/root");
	mount_new("proc", "/root/proc", "proc", 0, NULL);
	mount_new("sysfs", "/root/sys", "sysfs", 0, NULL);
	mount_new("dev", "/root/dev", "devtmpfs", 0, NULL);
	mount_new("devpts", "/root/dev/pts", "devpts", 0, "ptmxmode=666");
	mount_new("shm", "/root/dev/shm", "tmpfs", 0, NULL);
	mount_new("run", "/root/run", "tmpfs", 0, "mode=755");
	mount_new("/tools", "/root" TOOLS, NULL, MS_BIND, NULL);
	if (code)
		mount_host(code, "/root" CODE, MS_RDONLY);
	mount_new(EARLY, "/root" RUN, NULL, MS_MOVE, NULL);
	close_hostfs();
	if (chroot("/root") || chdir(RUN))
		die("chroot");
	symlink("/proc/self/fd", "/dev/fd");
}

int main(void)
{
	struct timespec tick = { .tv_sec = 1 };
	char **argv, **environment, **limit;
	long seconds, bound;
	sigset_t set;
	int status;
	pid_t command, pid;

	build_root();
	argv = lines("boot/argv");
	environment = lines("boot/environment");
	limit = lines("boot/limit");
	bound = limit[0] ? atol(limit[0]) : -1;
	if (!argv[0] || bound < 0) {
		errno = EINVAL;
		die("boot/argv or boot/limit");
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	command = fork();
	if (command == 0) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		setsid();
		execve(argv[0], argv, environment);
		say("mpbench: cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	for (seconds = 0; !bound || seconds < bound;) {
		if (sigtimedwait(&set, NULL, bound ? &tick : NULL) < 0 && bound)
			say("mpbench: t %ld\n", ++seconds);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == command) {
				say("mpbench: exit %d\n",
				    WIFEXITED(status) ? WEXITSTATUS(status) :
				    128 + WTERMSIG(status));
				power_off();
			}
	}
	show_processes();
	say("mpbench: limit\n");
	power_off();
	return 0;
}

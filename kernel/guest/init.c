// SPDX-License-Identifier: MIT
/*
 * The guest's first process.
 *
 * Shows the host's files read-only under a tmpfs, gives the run one writable
 * folder, runs one command there, and powers off. It takes its orders from
 * files in that folder, never from the kernel's command line, which is mixed
 * into the random pool and so must be the same for every run.
 *
 * The run's folder is the working directory of the guest's host process.
 *   boot/argv         one argument a line
 *   boot/environment  NAME=VALUE a line
 *   boot/limit        bound on virtual time, whole seconds; 0 for none, and for
 *                     no word on the time that passes
 * Its last line on the console is "mpbench: exit N" when the command ended,
 * or "mpbench: limit" when virtual time ran out.
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

static void off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(0);
}

static void die(const char *what)
{
	say("mpbench: cannot boot: %s: %s\n", what, strerror(errno));
	off();
}

static void put(const char *source, const char *target, const char *type,
		unsigned long flags, const char *options)
{
	mkdir(target, 0755);
	if (mount(source, target, type, flags, options))
		die(target);
}

/* The lines of a file of the run's folder, as a vector that ends in NULL. */
static char **lines(const char *path)
{
	static char *none[] = { NULL };
	char **words, *text, *save, *word;
	struct stat about;
	int n = 0, fd = open(path, O_RDONLY);

	if (fd < 0)
		return none;
	if (fstat(fd, &about) || !(text = calloc(1, about.st_size + 1)) ||
	    read(fd, text, about.st_size) != about.st_size ||
	    !(words = calloc(MAX_WORDS + 1, sizeof(*words))))
		die(path);
	close(fd);
	for (word = strtok_r(text, "\n", &save); word && n < MAX_WORDS;
	     word = strtok_r(NULL, "\n", &save))
		words[n++] = word;
	return words;
}

/* Who was still there when virtual time ran out, and what they waited for. */
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

static void build_root(void)
{
	put("tmpfs", "/t", "tmpfs", 0, "size=50%,mode=755");
	mkdir("/t/up", 0755);
	mkdir("/t/work", 0755);
	/* When a file was last read differs from machine to machine and day to
	 * day; noting it reads the clock, and that takes virtual time.
	 */
	put("/", "/host", "hostfs", MS_RDONLY | MS_NOATIME, "/");
	put("overlay", "/root", "overlay", MS_NOATIME,
	    "lowerdir=/host,upperdir=/t/up,workdir=/t/work");
	if (chdir("/root"))
		die("/root");
	put("proc", "/root/proc", "proc", 0, NULL);
	put("sysfs", "/root/sys", "sysfs", 0, NULL);
	put("dev", "/root/dev", "devtmpfs", 0, NULL);
	put("devpts", "/root/dev/pts", "devpts", 0, "ptmxmode=666");
	put("shm", "/root/dev/shm", "tmpfs", 0, NULL);
	put("run", "/root/run", "tmpfs", 0, "mode=755");
	put("/tools", "/root" TOOLS, NULL, MS_BIND, NULL);
	put("run", "/root" RUN, "hostfs", MS_NOATIME, "/proc/self/cwd");
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
				off();
			}
	}
	show_processes();
	say("mpbench: limit\n");
	off();
	return 0;
}

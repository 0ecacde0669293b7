// SPDX-License-Identifier: GPL-2.0
/*
 * The first process of a machine that QEMU emulates, with a kernel of Debian's
 *
 * It loads modules, shows the root image under a tmpfs, runs one command, sends what
 * the command left through the second serial line, and powers off. All files come from
 * the first file system, which the boot loader filled:
 *
 *   modules/list, *.ko  the modules, in the order in which they are loaded
 *   image/root.erofs    the root image
 *   tools/, code/       /run/tools and /run/code of the command
 *   run/                /run/mpbench, its working folder, with the orders in run/boot:
 *                       argv, environment and limit, as init.c describes them
 *
 * On the second line it sends
 *
 *   mpbench-files 1
 *   NAME SIZE, and as many bytes, for each file below run/artefacts
 *   end COUNT
 *
 * with a line break after the first line, after SIZE and after COUNT. The first line
 * is the console. It says what init.c says there.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define LINE "/dev/ttyS1"
#define LOOP "/dev/loop0"
#define ROOT "/root"
#define WORK "/run/mpbench"
#define MOST_WORDS 256

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vdprintf(STDOUT_FILENO, format, list);
	va_end(list);
}

static void __attribute__((noreturn)) stop(void)
{
	tcdrain(STDOUT_FILENO);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) fail(const char *what)
{
	tell("mpbench: cannot boot: %s: %s\n", what, strerror(errno));
	stop();
}

static void put(const char *type, const char *source, const char *target,
		unsigned long flags, const char *options)
{
	if (mkdir(target, 0755) && errno != EEXIST)
		fail(target);
	if (mount(source, target, type, flags, options))
		fail(target);
}

/* The words of a file with one word per line, and how many there are. */
static char **words_of(const char *path, int *count)
{
	char **words = calloc(MOST_WORDS + 1, sizeof(*words));
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t length;

	if (!words || !file)
		fail(path);
	for (*count = 0; *count < MOST_WORDS; (*count)++) {
		length = getline(&words[*count], &room, file);
		if (length <= 0)
			break;
		if (words[*count][length - 1] == '\n')
			words[*count][length - 1] = 0;
		room = 0;
	}
	words[*count] = NULL;
	fclose(file);
	return words;
}

static void load_modules(void)
{
	char path[256];
	int i, fd, count;
	char **names = words_of("/modules/list", &count);

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/modules/%s", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			fail(path);
		close(fd);
	}
}

/* Make the root image a block device. */
static void attach_image(void)
{
	int image = open("/image/root.erofs", O_RDONLY | O_CLOEXEC), loop, control;

	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (image < 0 || control < 0)
		fail("root image");
	/* It may be there already. */
	ioctl(control, LOOP_CTL_ADD, 0);
	loop = open(LOOP, O_RDWR | O_CLOEXEC);
	if (loop < 0 || ioctl(loop, LOOP_SET_FD, image))
		fail(LOOP);
	close(control);
	close(image);
}

static void build_root(void)
{
	attach_image();
	put("tmpfs", "upper", "/upper", 0, "size=50%,mode=755");
	mkdir("/upper/files", 0755);
	mkdir("/upper/work", 0755);
	put("erofs", LOOP, "/image/files", MS_RDONLY | MS_NOATIME, NULL);
	put("overlay", "root", ROOT, MS_NOATIME,
	    "lowerdir=/image/files,upperdir=/upper/files,workdir=/upper/work");
	put("proc", "proc", ROOT "/proc", 0, NULL);
	put("sysfs", "sysfs", ROOT "/sys", 0, NULL);
	put("devtmpfs", "dev", ROOT "/dev", 0, NULL);
	put("devpts", "devpts", ROOT "/dev/pts", 0, "ptmxmode=666");
	put("tmpfs", "shm", ROOT "/dev/shm", 0, NULL);
	put("tmpfs", "run", ROOT "/run", 0, "mode=755");
	put(NULL, "/tools", ROOT "/run/tools", MS_BIND, NULL);
	put(NULL, "/code", ROOT "/run/code", MS_BIND, NULL);
	put(NULL, "/run", ROOT WORK, MS_BIND, NULL);
	if (chroot(ROOT) || chdir(WORK))
		fail("chroot");
	if (symlink("/proc/self/fd", "/dev/fd") && errno != EEXIST)
		fail("/dev/fd");
}

/* Send one file as it is now. It does not grow any more. */
static void send_file(FILE *out, const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	static char piece[1 << 16];
	struct stat about;
	size_t got;
	off_t left;

	if (!file || fstat(fileno(file), &about))
		fail(path);
	fprintf(out, "%s %lld\n", name, (long long)about.st_size);
	for (left = about.st_size; left > 0; left -= got) {
		got = sizeof(piece);
		if ((off_t)got > left)
			got = left;
		got = fread(piece, 1, got, file);
		if (!got || fwrite(piece, 1, got, out) != got)
			fail(path);
	}
	fclose(file);
}

static FILE *open_line(void)
{
	int fd = open(LINE, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	struct termios raw;

	if (fd < 0 || tcgetattr(fd, &raw))
		fail(LINE);
	cfmakeraw(&raw);
	if (tcsetattr(fd, TCSANOW, &raw))
		fail(LINE);
	return fdopen(fd, "w");
}

static void send_files(const char *folder)
{
	char path[512];
	struct dirent *entry;
	struct stat about;
	FILE *out = open_line();
	DIR *files = opendir(folder);
	int count = 0;

	if (!out)
		fail(LINE);
	fputs("mpbench-files 1\n", out);
	while (files && (entry = readdir(files))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (lstat(path, &about) || !S_ISREG(about.st_mode))
			continue;
		send_file(out, path, entry->d_name);
		count++;
	}
	fprintf(out, "end %d\n", count);
	if (fflush(out))
		fail(LINE);
	tcdrain(fileno(out));
	fclose(out);
}

/* The exit status of the command; -1 if it has not ended within so many seconds. */
static int run_command(char **argv, char **environment, long bound)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t ended;
	long seconds;
	int status;
	pid_t command, pid;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	command = fork();
	if (!command) {
		sigprocmask(SIG_UNBLOCK, &ended, NULL);
		setsid();
		execve(argv[0], argv, environment);
		tell("mpbench: cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	for (seconds = 0; seconds < bound;) {
		if (sigtimedwait(&ended, NULL, &second) < 0)
			tell("mpbench: t %ld\n", ++seconds);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == command)
				return WIFEXITED(status) ? WEXITSTATUS(status) :
							   128 + WTERMSIG(status);
	}
	return -1;
}

int main(void)
{
	char **argv, **environment, **limit;
	int count, status;

	put("devtmpfs", "dev", "/dev", 0, NULL);
	load_modules();
	build_root();
	argv = words_of("boot/argv", &count);
	if (!count)
		fail("boot/argv");
	limit = words_of("boot/limit", &count);
	environment = words_of("boot/environment", &count);
	status = run_command(argv, environment, limit[0] ? atol(limit[0]) : 0);
	send_files("artefacts");
	if (status < 0)
		tell("mpbench: limit\n");
	else
		tell("mpbench: exit %d\n", status);
	stop();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The launcher: it confines a guest's host process, starts it and waits for it
 *
 *   launcher OPTION... -- COMMAND...
 *
 * A guest that controls its own kernel controls the host process that this kernel
 * is. So the launcher gives the host process no more than a guest needs. It sets up
 * two barriers that do not depend on each other, if it is asked for them:
 *
 * namespaces (namespaces.c)
 *   The process sees a root of its own. The root holds the folders that a guest
 *   reads (mounted read-only), the run's folder (writable) and a memory file system
 *   of bounded size for the guest's memory. There is no network, and no process but
 *   the guest's own can be named, so none can be signalled or traced.
 * landlock (landlock.c)
 *   The kernel refuses to open a file outside these folders, and to write outside
 *   the run's folder.
 *
 * The following holds in every case. The process can make no system call but those
 * that a guest needs (filter.c). It has no capabilities and can gain none, a bound on
 * the size of its files, no core dump and no file of the launcher's. It ends with the
 * launcher, and the launcher ends with its parent.
 *
 * Options are words NAME=VALUE:
 *   parent         process id of the caller
 *   cpu            the CPU to pin to
 *   file           bound on the size of a file, bytes
 *   memory         size of the file that is the guest's memory, bytes
 *   address        bound on each process's address space, bytes
 *   seconds        bound on each process's CPU time, s
 *   memory-folder  where the guest's memory goes without namespaces
 *   barrier        a barrier to set up, any number of times
 *   read           a file or folder that a guest may read, any number of times
 *   list           a folder whose names a guest may list, any number of times
 *   calls          build: also the system calls of make and what it starts
 *   below          a folder whose files the run's folder shows where it has none of its
 *                  own, with namespaces; what is written goes into the run's folder.
 *                  Any number of times: the first that has a file shows it
 *   below-work     an empty folder beside the run's, which such a run needs
 *
 * The working directory is the run's folder. The launcher ends as the command ends:
 * with its exit status, or by the same signal. SIGTERM kills the command.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher.h"

#define MEMORY_NAME "/mpbench-memory-XXXXXX"

/* Between the launcher and the process that becomes the command. */
struct pipes {
	int alive[2];	/* can be read once the launcher has ended */
	int status[2];	/* carries the command's wait status out of its namespace */
};

static void say(const char *format, va_list list, const char *reason)
{
	char line[PATH_MAX + 512] = "mpbench: ";
	size_t used = strlen(line), room = sizeof(line) - 1;

	used += vsnprintf(line + used, room - used, format, list);
	if (used < room && reason)
		used += snprintf(line + used, room - used, ": %s", reason);
	if (used >= room)
		used = room - 1;
	line[used++] = '\n';
	if (write(STDOUT_FILENO, line, used) < 0)
		return;
}

void cannot_confine(int error, const char *format, ...)
{
	char longer[512];
	va_list list;

	snprintf(longer, sizeof(longer), "cannot be confined: %s", format);
	va_start(list, format);
	say(longer, list, error ? strerror(error) : NULL);
	va_end(list);
	_exit(CANNOT_CONFINE);
}

__attribute__((noreturn, format(printf, 1, 2)))
static void cannot_execute(const char *format, ...)
{
	const char *reason = strerror(errno);
	va_list list;

	va_start(list, format);
	say(format, list, reason);
	va_end(list);
	_exit(CANNOT_EXECUTE);
}

int check(int result, const char *what, const char *path)
{
	if (result < 0)
		cannot_confine(errno, "%s%s%s", what, path ? " " : "", path ?: "");
	return result;
}

static uint64_t parse_number(const char *word, const char *value)
{
	char *end;
	uint64_t result;

	errno = 0;
	result = strtoull(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9')
		cannot_confine(0, "not a number: %s", word);
	return result;
}

static void add_barrier(struct options *options, const char *name)
{
	if (!strcmp(name, "namespaces"))
		options->namespaces = true;
	else if (!strcmp(name, "landlock"))
		options->landlock = true;
	else
		cannot_confine(0, "no barrier of the launcher: %s", name);
}

/* The value of a word NAME=VALUE; NULL if the word has another name. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(word, name, length) || word[length] != '=')
		return NULL;
	return word + length + 1;
}

/* Whether a word is NAME=NUMBER, which then is kept */
static bool is_number(const char *word, const char *name, uint64_t *number)
{
	const char *value = value_of(word, name);

	if (value)
		*number = parse_number(word, value);
	return value;
}

/* Whether a word is NAME=TEXT, which then is kept */
static bool is_text(const char *word, const char *name, const char **text)
{
	const char *value = value_of(word, name);

	if (value)
		*text = value;
	return value;
}

static void read_option(struct options *options, const char *word)
{
	const char *value;

	if (is_number(word, "parent", &options->parent) ||
	    is_number(word, "file", &options->file_bytes) ||
	    is_number(word, "memory", &options->memory_bytes) ||
	    is_number(word, "address", &options->address_bytes) ||
	    is_number(word, "seconds", &options->cpu_s) ||
	    is_text(word, "memory-folder", &options->memory_folder) ||
	    is_text(word, "below-work", &options->below_work))
		return;
	if (is_number(word, "cpu", &options->cpu)) {
		options->pinned = true;
	} else if (is_text(word, "barrier", &value)) {
		add_barrier(options, value);
	} else if (is_text(word, "calls", &value)) {
		if (strcmp(value, "build"))
			cannot_confine(0, "no set of system calls: %s", value);
		options->builds = true;
	} else if (is_text(word, "below", &value)) {
		options->belows[options->below_count++] = value;
	} else if (is_text(word, "read", &value)) {
		options->reads[options->read_count++] = value;
	} else if (is_text(word, "list", &value)) {
		options->lists[options->list_count++] = value;
	} else {
		cannot_confine(0, "no option of the launcher: %s", word);
	}
}

static struct options read_options(int argc, char **argv)
{
	struct options options = {
		.reads = calloc(argc, sizeof(char *)),
		.lists = calloc(argc, sizeof(char *)),
		.belows = calloc(argc, sizeof(char *)),
		.memory_folder = "/tmp",
	};
	int i;

	if (!options.reads || !options.lists || !options.belows)
		cannot_confine(ENOMEM, "options");
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		read_option(&options, argv[i]);
	if (i + 1 >= argc)
		cannot_confine(0, "no command after --");
	options.command = argv + i + 1;
	if (!options.below_count != !options.below_work ||
	    (options.below_count && !options.namespaces))
		cannot_confine(0, "below needs below-work, and namespaces");
	return options;
}

/* Have the kernel kill this process when its parent ends. The parent may have ended
 * before that took effect: this process then has another parent.
 */
static void die_with_parent(uint64_t parent)
{
	check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl", NULL);
	if ((uint64_t)getppid() != parent)
		_exit(CANNOT_CONFINE);
}

/* The user's own limit stays where it is smaller. A limit below the size of the
 * guest's memory would kill the guest at some later moment, so nothing starts.
 */
static void limit_files(const struct options *options)
{
	struct rlimit none = { 0, 0 }, limit;

	check(setrlimit(RLIMIT_CORE, &none), "core dumps", NULL);
	check(getrlimit(RLIMIT_FSIZE, &limit), "size of files", NULL);
	if (limit.rlim_max < options->memory_bytes)
		cannot_confine(0, "files may have %llu MiB here (ulimit -f), and the guest's memory is a file of %llu MiB",
			       (unsigned long long)limit.rlim_max >> 20,
			       (unsigned long long)options->memory_bytes >> 20);
	if (limit.rlim_max > options->file_bytes)
		limit.rlim_max = options->file_bytes;
	limit.rlim_cur = limit.rlim_max;
	check(setrlimit(RLIMIT_FSIZE, &limit), "size of files", NULL);
}

/* Lower a limit of this process, and of all that it starts. 0 leaves it as it is. */
static void lower(int resource, uint64_t most, const char *what)
{
	struct rlimit limit;

	if (!most)
		return;
	check(getrlimit(resource, &limit), what, NULL);
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	check(setrlimit(resource, &limit), what, NULL);
}

static void pin(const struct options *options)
{
	cpu_set_t *set;
	size_t size;

	if (!options->pinned)
		return;
	set = CPU_ALLOC(options->cpu + 1);
	size = CPU_ALLOC_SIZE(options->cpu + 1);
	if (!set)
		cannot_confine(ENOMEM, "CPU");
	CPU_ZERO_S(size, set);
	CPU_SET_S(options->cpu, size, set);
	check(sched_setaffinity(0, size, set), "CPU", NULL);
	CPU_FREE(set);
}

/* Make a folder for the file that is the guest's memory, and write its name to path.
 *
 * The folder is locked for as long as the returned descriptor is open. So a later
 * command can tell a folder that a killed launcher left from one that is in use
 * (mpbench/store/scratch.py). That command may remove a new folder before it is
 * locked, and then the next name is tried.
 */
static int make_memory_folder(const char *parent, char *path)
{
	struct stat about;
	int fd;

	for (;;) {
		snprintf(path, PATH_MAX, "%s%s", parent, MEMORY_NAME);
		if (!mkdtemp(path))
			cannot_confine(errno, "no folder in %s", parent);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		check(fd, "folder", path);
		check(flock(fd, LOCK_EX), "lock", path);
		check(fstat(fd, &about), "folder", path);
		if (about.st_nlink)
			return fd;
		close(fd);
	}
}

/* What cannot be removed here is removed by the next command of mpbench. */
static void remove_memory_folder(const char *path, int fd)
{
	DIR *folder = fdopendir(fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	rmdir(path);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };
	int i;

	for (i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
		continue;
	check(syscall(SYS_capset, &header, none), "capset", NULL);
}

/* Process 1 of a namespace ignores what would end any other process, so that a guest's
 * kernel that panics could not abort. So the parent stays process 1, and the child
 * returns. When process 1 ends, the host's kernel ends all others.
 */
static void stay_first(int told)
{
	int status = 0, ended, child = check(fork(), "fork", NULL);

	if (child == 0)
		return;
	do {
		ended = waitpid(-1, &status, 0);
	} while (ended != child && (ended >= 0 || errno == EINTR));
	if (write(told, &status, sizeof(status)) != sizeof(status))
		_exit(CANNOT_CONFINE);
	_exit(0);
}

/* Turn into the command, confined. */
__attribute__((noreturn))
static void become(const struct options *options, struct pipes *pipes,
		   const char *memory, const sigset_t *blocked)
{
	char run[PATH_MAX], image[PATH_MAX], byte;

	check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl", NULL);
	close(pipes->alive[1]);
	check(fcntl(pipes->alive[0], F_SETFL, O_NONBLOCK), "pipe", NULL);
	if (read(pipes->alive[0], &byte, 1) >= 0 || errno != EAGAIN)
		_exit(CANNOT_CONFINE);
	if (!getcwd(run, sizeof(run)))
		cannot_confine(errno, "working directory");
	if (!realpath(options->command[0], image))
		cannot_execute("cannot run %s", options->command[0]);
	if (options->namespaces)
		build_root(options, run, image);
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges", NULL);
	drop_capabilities();
	if (options->namespaces)
		stay_first(pipes->status[1]);
	if (options->landlock)
		restrict_files(options, run, memory);
	/* Outside of the user's session, it cannot type into the user's terminal. */
	check(setsid(), "setsid", NULL);
	/* A guest's kernel needs its addresses where they are. It would set this by
	 * itself, and start itself once more.
	 */
	personality(ADDR_NO_RANDOMIZE);
	check(setenv("TMPDIR", memory, 1), "environment", NULL);
	signal(SIGPIPE, SIG_DFL);
	/* A file that reaches its bound is an error to the guest, not its end. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, blocked, NULL);
	/* Linux 5.9 has this call. All files here are closed at execve() anyway. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	lower(RLIMIT_CPU, options->cpu_s, "CPU time");
	lower(RLIMIT_AS, options->address_bytes, "address space");
	filter_calls(options->builds);
	execv(options->command[0], options->command);
	cannot_execute("cannot run %s", options->command[0]);
}

/* Wait for the child, and kill it at SIGTERM, with the processes of its group. Until
 * the child has a group of its own there are none. Returns its wait status.
 */
static int wait_for(pid_t child, const sigset_t *awaited)
{
	int status;
	pid_t ended;

	for (;;) {
		if (sigwaitinfo(awaited, NULL) == SIGTERM) {
			kill(-child, SIGKILL);
			kill(child, SIGKILL);
		}
		ended = waitpid(child, &status, WNOHANG);
		if (ended == child)
			return status;
		if (ended < 0)
			cannot_confine(errno, "wait");
	}
}

/* Returns the wait status of the command, run in a confined child. */
static int launch(const struct options *options)
{
	char memory[PATH_MAX] = MEMORY;
	int status, told, lock = -1;
	struct pipes pipes;
	sigset_t awaited;
	pid_t child;

	pin(options);
	limit_files(options);
	if (options->namespaces)
		enter_namespaces();
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	if (!options->namespaces)
		lock = make_memory_folder(options->memory_folder, memory);
	check(pipe2(pipes.alive, O_CLOEXEC), "pipe", NULL);
	check(pipe2(pipes.status, O_CLOEXEC), "pipe", NULL);
	child = check(fork(), "fork", NULL);
	if (child == 0)
		become(options, &pipes, memory, &awaited);
	close(pipes.alive[0]);
	close(pipes.status[1]);
	status = wait_for(child, &awaited);
	if (!options->namespaces)
		remove_memory_folder(memory, lock);
	if (read(pipes.status[0], &told, sizeof(told)) == sizeof(told))
		status = told;
	return status;
}

/* End this process as the one ended that had this wait status. */
__attribute__((noreturn))
static void end_like(int status)
{
	sigset_t set;

	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, WTERMSIG(status));
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		kill(getpid(), WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	struct options options = read_options(argc, argv);

	die_with_parent(options.parent);
	end_like(launch(&options));
}

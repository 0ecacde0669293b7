// SPDX-License-Identifier: GPL-2.0
/*
 * The filter of system calls: those that a guest's host process needs, and no others
 *
 * A guest's kernel computes, waits, reads and writes files, and starts one process per
 * program of the guest. It needs no socket but the pair through which it passes file
 * descriptors to such a process. It need not change the mode, the owner or the dates
 * of a file, make links or devices, mount, trace, or set another process's limits.
 * Where the host has no namespaces, this filter is all that keeps a guest from these.
 *
 * A refused call fails with EPERM. A call that is newer than the list fails with
 * ENOSYS, so that a new C library uses the older call instead. Nothing is killed: the
 * guest's own kernel traps the system calls of the guest's programs by a second
 * filter, and a trap wins over an error number, but not over a kill.
 *
 * The filter is a binary tree over the numbers of the calls. The host's kernel finds
 * out once which calls are always allowed, and does not run the filter for them.
 */
#define _GNU_SOURCE
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher.h"

#define NUMBERS 512		/* above all calls that are listed here */
#define FIRST_NEW 424		/* older numbers belong to calls before Linux 5.1 */
#define LONGEST 1024

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define NEW_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
			CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

enum verdict {
	REFUSED,
	UNKNOWN,
	ALLOWED,
	CHECK_CLONE,
	CHECK_FCNTL,
	CHECK_IOCTL,
	CHECK_KILL,
	CHECK_OPEN,
	CHECK_OPENAT,
	CHECK_PRLIMIT,
	CHECK_SOCKETPAIR,
};

static const short allowed[] = {
	/* processes */
	SYS_arch_prctl, SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_fork,
	SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getpgrp, SYS_getpid, SYS_getppid,
	SYS_getresgid, SYS_getresuid, SYS_getrlimit, SYS_getrusage, SYS_getsid,
	SYS_gettid, SYS_getuid, SYS_personality, SYS_prctl, SYS_rseq, SYS_seccomp,
	SYS_set_robust_list, SYS_set_tid_address, SYS_setsid, SYS_tgkill, SYS_vfork,
	SYS_wait4, SYS_waitid,
	/* signals */
	SYS_pause, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigpending,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
	SYS_sigaltstack, SYS_signalfd4,
	/* memory */
	SYS_brk, SYS_madvise, SYS_memfd_create, SYS_mmap, SYS_mprotect, SYS_mremap,
	SYS_msync, SYS_munmap,
	/* time */
	SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_getitimer,
	SYS_gettimeofday, SYS_nanosleep, SYS_setitimer, SYS_time, SYS_timer_create,
	SYS_timer_delete, SYS_timer_getoverrun, SYS_timer_gettime, SYS_timer_settime,
	SYS_times,
	/* waiting */
	SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
	SYS_epoll_wait, SYS_eventfd2, SYS_futex, SYS_poll, SYS_ppoll, SYS_pselect6,
	SYS_sched_yield, SYS_select,
	/* descriptors */
	SYS_close, SYS_close_range, SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2,
	SYS_recvmsg, SYS_sendmsg, SYS_shutdown,
	/* files */
	SYS_access, SYS_creat, SYS_faccessat, SYS_fadvise64, SYS_fdatasync, SYS_fstat,
	SYS_fstatfs, SYS_fsync, SYS_ftruncate, SYS_getcwd, SYS_getdents64, SYS_lseek,
	SYS_lstat, SYS_mkdir, SYS_mkdirat, SYS_newfstatat, SYS_pread64, SYS_preadv,
	SYS_pwrite64, SYS_pwritev, SYS_read, SYS_readlink, SYS_readlinkat, SYS_readv,
	SYS_rename, SYS_renameat, SYS_renameat2, SYS_rmdir, SYS_stat, SYS_statfs,
	SYS_statx, SYS_umask, SYS_unlink, SYS_unlinkat, SYS_write, SYS_writev,
	/* the machine */
	SYS_getcpu, SYS_getrandom, SYS_sched_getaffinity, SYS_sysinfo, SYS_uname,
};

/* What a build needs beside: it changes folders, and sets modes, dates and links of the
 * files that it makes. The other barriers hold it to its own folder in that.
 */
static const short allowed_in_builds[] = {
	SYS_alarm, SYS_chdir, SYS_chmod, SYS_fchdir, SYS_fchmod, SYS_fchmodat,
	SYS_getgroups, SYS_getpgid, SYS_link, SYS_linkat, SYS_mknodat, SYS_setpgid,
	SYS_setresgid, SYS_setresuid, SYS_symlink, SYS_symlinkat, SYS_truncate,
	SYS_utimensat,
};

/* For descriptors, and for the terminal of `mpbench shell`. None of them types into a
 * terminal.
 */
static const unsigned int ioctls[] = {
	FIOASYNC, FIOCLEX, FIONBIO, FIONCLEX, FIONREAD, TCGETS, TCSETS, TCSETSF,
	TCSETSW, TIOCGWINSZ,
};

static unsigned char verdicts[NUMBERS];
static struct sock_filter program[LONGEST];
static unsigned short length;

static void emit(unsigned short code, unsigned int k, unsigned char yes,
		 unsigned char no)
{
	if (length == LONGEST)
		cannot_confine(0, "the filter of system calls is too long");
	program[length++] = (struct sock_filter) BPF_JUMP(code, k, yes, no);
}

static void load(size_t offset)
{
	emit(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* Pointers are not looked at: their targets could change after the check. So the
 * lower half of an argument, which comes first in memory, is enough.
 */
static void load_argument(int i)
{
	load(offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
}

static void answer(unsigned int action)
{
	emit(BPF_RET | BPF_K, action, 0, 0);
}

static void refuse(void)
{
	answer(SECCOMP_RET_ERRNO | EPERM);
}

static void allow(void)
{
	answer(SECCOMP_RET_ALLOW);
}

/* Landlock before version 3 lets a file that is opened for reading be truncated. */
static void check_open(int argument)
{
	load_argument(argument);
	emit(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE, 0, 0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_RDONLY, 0, 1);
	refuse();
	allow();
}

/* A datagram socket of a pair could still send to any Unix socket that has a path. */
static void check_socketpair(void)
{
	load_argument(0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
	refuse();
	load_argument(1);
	emit(BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 1, 0);
	refuse();
	allow();
}

/* A descriptor could send its signals to many processes, which a negative id stands for. */
static void check_fcntl(void)
{
	load_argument(1);
	emit(BPF_JMP | BPF_JEQ | BPF_K, F_SETOWN_EX, 0, 1);
	refuse();
	emit(BPF_JMP | BPF_JEQ | BPF_K, F_SETOWN, 1, 0);
	allow();
	load_argument(2);
	emit(BPF_JMP | BPF_JGE | BPF_K, 1U << 31, 0, 1);
	refuse();
	allow();
}

static void check_ioctl(void)
{
	size_t i;

	load_argument(1);
	for (i = 0; i < sizeof(ioctls) / sizeof(*ioctls); i++) {
		emit(BPF_JMP | BPF_JEQ | BPF_K, ioctls[i], 0, 1);
		allow();
	}
	refuse();
}

/* Decide on a call whose number needs no further comparison. */
static void decide(enum verdict verdict)
{
	switch (verdict) {
	case REFUSED:
		refuse();
		break;
	case UNKNOWN:
		answer(SECCOMP_RET_ERRNO | ENOSYS);
		break;
	case ALLOWED:
		allow();
		break;
	case CHECK_CLONE:
		load_argument(0);
		emit(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
		refuse();
		allow();
		break;
	case CHECK_FCNTL:
		check_fcntl();
		break;
	case CHECK_IOCTL:
		check_ioctl();
		break;
	case CHECK_KILL:
		/* A negative process id stands for many processes. */
		load_argument(0);
		emit(BPF_JMP | BPF_JGE | BPF_K, 1U << 31, 0, 1);
		refuse();
		allow();
		break;
	case CHECK_OPEN:
		check_open(1);
		break;
	case CHECK_OPENAT:
		check_open(2);
		break;
	case CHECK_PRLIMIT:
		/* 0 stands for the caller. */
		load_argument(0);
		emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		refuse();
		allow();
		break;
	case CHECK_SOCKETPAIR:
		check_socketpair();
		break;
	}
}

/* Where the verdict changes between low and high, nearest to the middle; 0 if it is
 * the same for all numbers from low to below high.
 */
static int boundary(int low, int high)
{
	int i, nearest = 0, middle = (low + high) / 2;

	for (i = low + 1; i < high; i++) {
		if (verdicts[i] == verdicts[i - 1])
			continue;
		if (!nearest || (i <= middle) || i - middle < middle - nearest)
			nearest = i;
	}
	return nearest;
}

/* Decide on all numbers from low to below high. */
static void emit_tree(int low, int high)
{
	int split = boundary(low, high), from, distance;

	if (!split) {
		decide(verdicts[low]);
		return;
	}
	/* A jump of the tree can be longer than a condition's 255 instructions. */
	emit(BPF_JMP | BPF_JGE | BPF_K, split, 0, 1);
	from = length;
	emit(BPF_JMP | BPF_JA, 0, 0, 0);
	emit_tree(low, split);
	distance = length - from - 1;
	program[from].k = distance;
	emit_tree(split, high);
}

static void fill_verdicts(bool builds)
{
	size_t i;

	memset(verdicts + FIRST_NEW, UNKNOWN, NUMBERS - FIRST_NEW);
	for (i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		verdicts[allowed[i]] = ALLOWED;
	for (i = 0; builds && i < sizeof(allowed_in_builds) / sizeof(short); i++)
		verdicts[allowed_in_builds[i]] = ALLOWED;
	verdicts[SYS_clone] = CHECK_CLONE;
	verdicts[SYS_fcntl] = CHECK_FCNTL;
	verdicts[SYS_ioctl] = CHECK_IOCTL;
	verdicts[SYS_kill] = CHECK_KILL;
	verdicts[SYS_open] = CHECK_OPEN;
	verdicts[SYS_openat] = CHECK_OPENAT;
	verdicts[SYS_prlimit64] = CHECK_PRLIMIT;
	verdicts[SYS_socketpair] = CHECK_SOCKETPAIR;
}

/* Refuse this process, and all that it starts, the calls that a guest does not need;
 * with `builds`, those that neither a guest nor a build needs.
 */
void filter_calls(bool builds)
{
	struct sock_fprog prog = { .filter = program };

	fill_verdicts(builds);
	load(offsetof(struct seccomp_data, arch));
	emit(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	answer(SECCOMP_RET_ERRNO | ENOSYS);
	load(offsetof(struct seccomp_data, nr));
	emit(BPF_JMP | BPF_JGE | BPF_K, NUMBERS, 0, 1);
	answer(SECCOMP_RET_ERRNO | ENOSYS);
	emit_tree(0, NUMBERS);
	prog.len = length;
	/* Without this flag, a kernel before 5.16 slows the process down. */
	check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		      SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog),
	      "seccomp", NULL);
}

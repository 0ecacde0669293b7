// SPDX-License-Identifier: GPL-2.0
/*
 * mpbench-read [--all] [--ahead] [--end=BYTES] BYTES COMMAND...: run a command whose
 * large reads wait for BYTES (0: for any data) or a quarter of the receive window, and
 * whose select() does not spin; read-library.c says how. What iperf3 reads is not copied.
 * With --all, it reads at once what it would read one after the other, and with --ahead
 * it so writes. A command that ends after reading some bytes has to say so (--end). The program preloads libmpbench-read.so, which lies beside this program,
 * after the libraries that are preloaded already (such as mptcpize's).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char * const options[][2] = {
	{ "--all", "MPBENCH_READ_ALL" },
	{ "--ahead", "MPBENCH_WRITE_AHEAD" },
	{}
};

/* Whether a word is an option, which then is set */
static int option(const char *word)
{
	static const char end[] = "--end=";
	size_t at;

	if (!strncmp(word, end, strlen(end)))
		return !setenv("MPBENCH_READ_END", word + strlen(end), 1);
	for (at = 0; options[at][0]; at++)
		if (!strcmp(word, options[at][0]))
			return !setenv(options[at][1], "1", 1);
	return 0;
}

int main(int argc, char **argv)
{
	char self[4096], preload[8192];
	const char *before = getenv("LD_PRELOAD");
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	for (; argc > 1 && option(argv[1]); argc--, argv++)
		;
	if (argc < 3 || argv[1][0] < '0' || argv[1][0] > '9' || length < 0) {
		fprintf(stderr, "usage: mpbench-read [--all] [--ahead] [--end=BYTES] BYTES COMMAND...\n");
		return 2;
	}
	self[length] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	snprintf(preload, sizeof(preload), "%s%s%s/libmpbench-read.so",
		 before ? before : "", before ? ":" : "", self);
	setenv("LD_PRELOAD", preload, 1);
	setenv("MPBENCH_READ_BYTES", argv[1], 1);
	slash = strrchr(argv[2], '/');
	if (!strcmp(slash ? slash + 1 : argv[2], "iperf3"))
		setenv("MPBENCH_READ_DISCARD", "1", 1);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}

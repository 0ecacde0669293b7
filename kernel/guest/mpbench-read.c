// SPDX-License-Identifier: GPL-2.0
/*
 * mpbench-read BYTES COMMAND...: run a command whose large reads wait for
 * BYTES (0: for any data) or a quarter of the receive window, and whose
 * select() does not spin; read-library.c says how. It preloads libmpbench-read.so, which lies beside this program,
 * after the libraries that are preloaded already (such as mptcpize's).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char self[4096], preload[8192];
	const char *before = getenv("LD_PRELOAD");
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (argc < 3 || argv[1][0] < '0' || argv[1][0] > '9' || length < 0) {
		fprintf(stderr, "usage: mpbench-read BYTES COMMAND...\n");
		return 2;
	}
	self[length] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	snprintf(preload, sizeof(preload), "%s%s%s/libmpbench-read.so",
		 before ? before : "", before ? ":" : "", self);
	setenv("LD_PRELOAD", preload, 1);
	setenv("MPBENCH_READ_BYTES", argv[1], 1);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}

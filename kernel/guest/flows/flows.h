/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of mpbench-flows share. */
#ifndef MPBENCH_FLOWS_H
#define MPBENCH_FLOWS_H

#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define FORMAT 1
#define MOST_ENTRIES 1000
#define MOST_HOSTS 1024
#define MOST_LISTENERS 65536
#define OTHER_FILES 64

enum role { CLIENT, SERVER, LISTENER, TIMER };

struct entry {
	int protocol, reverse, read_bytes;
	char controller[16];
	int64_t interval_ns;
};

struct host {
	char name[64];
	int namespace;
};

struct listener {
	int entry, fd;
	struct in_addr address;
	uint16_t port;
};

struct flow {
	int entry, user, from, to, fd[2], subflows, ended;
	struct sockaddr_in source, target;
	uint64_t bytes, sent, received, interval_bytes;
	int64_t start, end, interval;
	int64_t began, connected, first, completed, closed;
	char error[24];
	struct flow *next;
};

extern struct entry entries[MOST_ENTRIES];
extern struct host hosts[MOST_HOSTS];
extern struct listener *listeners;
extern struct flow *flows;
extern int n_hosts, n_listeners, n_flows, n_open;
extern int *by_start, *by_end;
extern char digest[80];
extern int64_t zero_ns;
extern int poll_fd;
extern FILE *intervals;

/* common.c */
void die(const char *format, ...);
int64_t now(void);
void *new_array(size_t count, size_t size);

/* sockets.c */
int host_number(const char *name);
struct sockaddr_in address_of(const char *text, int port);
void set_options(const struct entry *entry, int fd);
int new_socket(const struct entry *entry, int host);
void watch(int fd, uint32_t events, enum role role, int number, int command);
void add_listener(int entry, const char *name, const char *text, int port);

/* list.c */
void read_list(const char *name);
void sort_flows(void);

/* connect.c */
void forget(struct flow *flow);
void open_flow(int number);
void accept_all(const struct listener *listener);

/* transfer.c */
void fail(struct flow *flow, int error);
void client_ready(struct flow *flow, uint32_t events);
void server_ready(struct flow *flow);
void give_up(struct flow *flow);

/* table.c */
void print_flows(void);

#endif

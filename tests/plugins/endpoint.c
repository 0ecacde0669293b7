/* An endpoint for tests: one TCP connection per path takes the place of QUIC. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 8

static char data[1 << 14];
static const char *out = ".", *control = "", *seconds = "1";
static char *place, *from;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The port behind the place's address, which then stands alone. */
static int port(void)
{
	char *colon = strchr(place, ':');

	*colon = 0;
	return atoi(colon + 1);
}

static struct sockaddr_in end(const char *address, int number)
{
	struct sockaddr_in found = { .sin_family = AF_INET, .sin_port = htons(number) };

	inet_pton(AF_INET, address, &found.sin_addr);
	return found;
}

static FILE *made(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", out, name);
	return fopen(path, "w");
}

static int serve(void)
{
	struct pollfd fds[MOST + 1] = { { socket(AF_INET, SOCK_STREAM, 0), POLLIN } };
	int number = port(), count = 1, left = 0;
	struct sockaddr_in here = end(place, number);
	long long bytes = 0, due_ns = 0;
	FILE *file = made("received.csv");

	fprintf(file, "time_ns,bytes\n");
	if (bind(fds[0].fd, (void *)&here, sizeof(here)) || listen(fds[0].fd, MOST))
		return 1;
	puts("ready");
	fflush(stdout);
	while (poll(fds, count, -1) > 0) {
		if (fds[0].revents && count <= MOST) {
			fds[count].fd = accept(fds[0].fd, NULL, NULL);
			fds[count++].events = POLLIN;
			left++;
		}
		for (int i = 1; i < count; i++) {
			ssize_t got = fds[i].revents ? read(fds[i].fd, data, sizeof(data)) : -1;

			if (got > 0)
				bytes += got;
			if (got || fds[i].fd < 0)
				continue;
			if (!--left) {
				fprintf(file, "%lld,%lld\n", now_ns(), bytes);
				fflush(file);
				bytes = 0;
			}
			close(fds[i].fd);
			fds[i].fd = -1;
		}
		if (bytes && now_ns() >= due_ns) {
			fprintf(file, "%lld,%lld\n", now_ns(), bytes);
			bytes = 0;
			due_ns = now_ns() + 10000000;
		}
	}
	return 1;
}

static void note(FILE *file, struct pollfd *fds, int count)
{
	for (int i = 0; i < count; i++) {
		struct tcp_info info = { 0 };
		socklen_t size = sizeof(info);

		getsockopt(fds[i].fd, IPPROTO_TCP, TCP_INFO, &info, &size);
		fprintf(file, "%lld,%d,%u,%u,%u,%u\n", now_ns(), i + 1, info.tcpi_rtt,
			info.tcpi_snd_cwnd * info.tcpi_snd_mss, info.tcpi_total_retrans,
			info.tcpi_segs_out);
	}
}

static int run(void)
{
	int number = port(), count = 0;
	struct sockaddr_in there = end(place, number);
	long long end_ns = now_ns() + 1e9 * atof(seconds), due_ns = 0;
	FILE *file = made("paths.csv");
	struct pollfd fds[MOST];

	fprintf(file, "time_ns,path,rtt_us,cwnd_bytes,lost,sent\n");
	for (char *one = strtok(from, ","); one && count < MOST; one = strtok(NULL, ",")) {
		struct sockaddr_in here = end(one, 0);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (bind(fd, (void *)&here, sizeof(here)) ||
		    connect(fd, (void *)&there, sizeof(there)))
			return 1;
		fds[count++] = (struct pollfd){ fd, POLLOUT };
		if (!strcmp(control, "first"))
			break;
	}
	while (now_ns() < end_ns) {
		poll(fds, count, 10);
		for (int i = 0; i < count; i++)
			if (fds[i].revents)
				send(fds[i].fd, data, sizeof(data), MSG_DONTWAIT);
		if (now_ns() < due_ns)
			continue;
		note(file, fds, count);
		due_ns = now_ns() + 10000000;
	}
	for (int i = 0; i < count; i++)
		shutdown(fds[i].fd, SHUT_WR);
	for (int i = 0; i < count; i++)
		while (read(fds[i].fd, data, sizeof(data)) > 0)
			;
	return fclose(file);
}

int main(int count, char **words)
{
	for (int i = 2; i + 1 < count; i += 2) {
		if (!strcmp(words[i], "--listen") || !strcmp(words[i], "--connect"))
			place = words[i + 1];
		if (!strcmp(words[i], "--from"))
			from = words[i + 1];
		if (!strcmp(words[i], "--duration"))
			seconds = words[i + 1];
		if (!strcmp(words[i], "--control"))
			control = words[i + 1];
		if (!strcmp(words[i], "--out"))
			out = words[i + 1];
	}
	return !strcmp(words[1], "server") ? serve() : run();
}

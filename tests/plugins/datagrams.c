/* An endpoint for tests, written from docs/quic.md alone: datagrams over several paths.
 *
 * Each path keeps a window of datagrams under way, each of which the other end answers.
 * --control is the window, or the fault that the program shows.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 8
#define BYTES 1400
#define LOST_NS 500000000LL

struct packet {
	long long sent_ns;
	char end, rest[BYTES - 9];
};

static const char *out = ".", *control = "20", *seconds = "1";
static char *place, *from;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static struct sockaddr_in address(const char *text, int port)
{
	struct sockaddr_in found = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, text, &found.sin_addr);
	return found;
}

static int opened(struct sockaddr_in here)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (bind(fd, (void *)&here, sizeof(here)))
		exit(1);
	return fd;
}

static FILE *table(const char *name, const char *head)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", out, name);
	file = fopen(path, "w");
	fprintf(file, "%s\n", head);
	return file;
}

static int serve(struct sockaddr_in here)
{
	FILE *file = table("received.csv", "time_ns,bytes");
	long long bytes = 0, due_ns = 0;
	int fd = opened(here);

	if (!strcmp(control, "silent"))
		pause();
	while (!strcmp(control, "flood"))
		fprintf(file, "no end\n");
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct packet packet;
		struct sockaddr_in peer;
		socklen_t size = sizeof(peer);
		ssize_t got = recvfrom(fd, &packet, sizeof(packet), 0, (void *)&peer, &size);

		bytes += strcmp(control, "liar") ? got : 10 * got;
		if (now_ns() >= due_ns || packet.end) {
			fprintf(file, "%lld,%lld\n", now_ns(), bytes);
			due_ns = now_ns() + 10000000;
			bytes = 0;
		}
		if (packet.end)
			fflush(file);
		sendto(fd, &packet, 9, 0, (void *)&peer, size);
	}
}

static int run(struct sockaddr_in there)
{
	long long end_ns = now_ns() + 1e9 * atof(seconds), due_ns = 0, heard_ns[MOST];
	FILE *file = table("paths.csv", "time_ns,path,rtt_us,cwnd_bytes,lost,sent");
	volatile int count = 0;
	int window = atoi(control) > 0 ? atoi(control) : 20;
	int under[MOST] = { 0 }, sent[MOST] = { 0 }, lost[MOST] = { 0 }, rtt_us[MOST] = { 0 };
	struct pollfd fds[MOST];

	while (!strcmp(control, "spin"))
		now_ns();
	while (!strcmp(control, "busy"))
		count++;
	count = 0;
	for (char *one = strtok(from, ","); one && count < MOST; one = strtok(NULL, ",")) {
		heard_ns[count] = now_ns();
		fds[count++] = (struct pollfd){ opened(address(one, 0)), POLLIN, 0 };
	}
	for (int ending = 0;;) {
		struct packet packet = { 0 };
		long long now = now_ns();

		if (!ending && now >= end_ns)
			ending = packet.end = 1;
		for (int i = 0; i < count && !ending; i++) {
			if (under[i] && now - heard_ns[i] > LOST_NS) {
				lost[i] += under[i];
				under[i] = 0;
				heard_ns[i] = now;
			}
			for (; under[i] < window; under[i]++, sent[i]++) {
				packet.sent_ns = now;
				sendto(fds[i].fd, &packet, sizeof(packet), 0, (void *)&there,
				       sizeof(there));
			}
		}
		if (packet.end)
			sendto(fds[0].fd, &packet, sizeof(packet), 0, (void *)&there, sizeof(there));
		poll(fds, count, 100);
		for (int i = 0; i < count; i++) {
			if (!fds[i].revents || recv(fds[i].fd, &packet, sizeof(packet), 0) < 0)
				continue;
			if (packet.end)
				return fclose(file);
			heard_ns[i] = now_ns();
			rtt_us[i] = (heard_ns[i] - packet.sent_ns) / 1000;
			under[i] -= under[i] > 0;
		}
		if (now < due_ns)
			continue;
		for (int i = 0; i < count; i++)
			fprintf(file, "%lld,%d,%d,%d,%d,%d\n", now, i + 1, rtt_us[i],
				window * BYTES, lost[i], sent[i]);
		due_ns = now + 10000000;
	}
}

int main(int count, char **words)
{
	char *colon;
	int port;

	for (int i = 2; i + 1 < count; i += 2) {
		if (!strcmp(words[i], "--listen") || !strcmp(words[i], "--connect"))
			place = words[i + 1];
		else if (!strcmp(words[i], "--from"))
			from = words[i + 1];
		else if (!strcmp(words[i], "--duration"))
			seconds = words[i + 1];
		else if (!strcmp(words[i], "--control"))
			control = words[i + 1];
		else if (!strcmp(words[i], "--out"))
			out = words[i + 1];
	}
	if (!place || !strcmp(control, "nothing")) {
		fprintf(stderr, "no command '%s' here\n", count > 1 ? words[1] : "");
		return 2;
	}
	colon = strchr(place, ':');
	port = atoi(colon + 1);
	*colon = 0;
	return !strcmp(words[1], "server") ? serve(address(place, port)) : run(address(place, port));
}

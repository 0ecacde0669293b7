// SPDX-License-Identifier: MIT
/* The command line, and the server's certificate */
#define _GNU_SOURCE
#include "endpoint.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

static struct sockaddr_in place_of(const char *option, char *text)
{
	struct sockaddr_in found = { .sin_family = AF_INET };
	char *colon = strrchr(text, ':');

	if (!colon)
		die("%s %s: expected ADDRESS:PORT", option, text);
	*colon = 0;
	found.sin_port = htons(atoi(colon + 1));
	if (inet_pton(AF_INET, text, &found.sin_addr) != 1)
		die("%s %s: no address of IPv4", option, text);
	return found;
}

static void take_addresses(char *text)
{
	for (char *each = strtok(text, ","); each; each = strtok(NULL, ",")) {
		struct in_addr found;

		if (options.ask.count == MOST_PATHS)
			die("--from: more than %d addresses", MOST_PATHS);
		if (inet_pton(AF_INET, each, &found) != 1)
			die("--from %s: no address of IPv4", each);
		options.ask.from[options.ask.count++] = found.s_addr;
	}
}

/* Whether this is the client */
bool read_options(int count, char **words)
{
	bool client = count > 1 && !strcmp(words[1], "client");
	bool bounded = false;

	if (!client && (count < 2 || strcmp(words[1], "server")))
		die("%s: unknown; known are server, client", count > 1 ? words[1] : "no command");
	for (int i = 2; i < count; i++) {
		char *name = words[i], *value;

		if (!strcmp(name, "--reverse")) {
			options.ask.kind |= REVERSE;
			continue;
		}
		if (i + 1 == count)
			die("%s: no value", name);
		value = words[++i];
		if (!strcmp(name, "--listen") || !strcmp(name, "--connect")) {
			options.place = place_of(name, value);
		} else if (!strcmp(name, "--relay")) {
			options.relay = place_of(name, value);
		} else if (!strcmp(name, "--from")) {
			take_addresses(value);
		} else if (!strcmp(name, "--duration")) {
			options.ask.left = 1e9 * atof(value);
			bounded = true;
		} else if (!strcmp(name, "--size")) {
			options.ask.left = strtoull(value, NULL, 10);
			options.ask.kind |= BY_SIZE;
			bounded = true;
		} else if (!strcmp(name, "--gather")) {
			options.gather_us = strtoll(value, NULL, 10);
		} else if (!strcmp(name, "--control")) {
			options.control = value;
		} else if (!strcmp(name, "--out")) {
			options.out = value;
		} else if (!strcmp(name, "--scheduler")) {
			die("--scheduler %s: picoquic has no choice of schedulers", value);
		} else {
			die("%s: unknown", name);
		}
	}
	if (!options.place.sin_family)
		die("--%s is missing", client ? "connect" : "listen");
	if (client && !options.ask.count)
		die("--from is missing");
	if (client && !bounded && !options.relay.sin_family)
		die("--duration is missing");
	return client;
}

/* A certificate and its key, as files of the folder of results, because picoquic reads
 * files. The caller removes them. */
void make_certificate(char *certificate, char *key, size_t size)
{
	EVP_PKEY *pair = EVP_EC_gen("P-256");
	X509 *made = X509_new();
	X509_NAME *name = X509_get_subject_name(made);
	FILE *file;

	snprintf(certificate, size, "%s/certificate.pem", options.out);
	snprintf(key, size, "%s/key.pem", options.out);
	X509_set_version(made, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
	X509_gmtime_adj(X509_getm_notBefore(made), 0);
	X509_gmtime_adj(X509_getm_notAfter(made), 365 * 86400);
	X509_set_pubkey(made, pair);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"server", -1, -1, 0);
	X509_set_issuer_name(made, name);
	if (!X509_sign(made, pair, EVP_sha256()))
		die("no certificate can be made");
	file = fopen(certificate, "w");
	if (!file || !PEM_write_X509(file, made) || fclose(file))
		die("%s: cannot be written", certificate);
	file = fopen(key, "w");
	if (!file || !PEM_write_PrivateKey(file, pair, NULL, NULL, 0, NULL, NULL) || fclose(file))
		die("%s: cannot be written", key);
	X509_free(made);
	EVP_PKEY_free(pair);
}

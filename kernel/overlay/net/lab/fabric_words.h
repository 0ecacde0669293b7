/* SPDX-License-Identifier: GPL-2.0 */
/* The words of an order to the fabric */
#ifndef __LAB_FABRIC_WORDS_H
#define __LAB_FABRIC_WORDS_H

#include <linux/inet.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "fabric.h"

/* The next word of an order, and as a number from 0 to @most */
static inline char *fabric_word(char **text)
{
	char *word;

	while ((word = strsep(text, " \t")) && !*word)
		;
	return word;
}

static inline bool fabric_number(char **text, u64 most, u64 *value)
{
	char *word = fabric_word(text);

	return word && !kstrtou64(word, 10, value) && *value <= most;
}

static inline bool fabric_address(char *word, __be32 *address)
{
	return word && in4_pton(word, -1, (u8 *)address, -1, NULL);
}

static inline struct fabric_link *fabric_link_of(char **text)
{
	u64 id;

	return fabric_number(text, FABRIC_LINKS, &id) ? fabric_link(id) : NULL;
}

/* fabric_link_orders.c */
int fabric_order_link(char *text);
int fabric_order_red(char *text);
int fabric_order_burst(char *text);
int fabric_order_delay_first(char *text);
int fabric_order_bare_first(char *text);
int fabric_order_bare_over(char *text);
int fabric_order_rate(char *text);
void fabric_rates_forget(void);

#endif /* __LAB_FABRIC_WORDS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Events of connections with their times, in a file of the host: see
 * net/mptcp/events.c. Nothing is written before a run asks for it.
 */
#ifndef _NET_LAB_EVENTS_H
#define _NET_LAB_EVENTS_H

#include <linux/types.h>

struct request_sock;
struct sock;

#if defined(CONFIG_UML) && defined(CONFIG_MPTCP)

extern bool lab_events_running;

void __lab_event(const struct sock *sk, const char *event, int value);
void __lab_event_error(const struct sock *sk, const char *event, int error);
void __lab_event_closed(const struct sock *sk);
void __lab_event_request(const struct request_sock *req, const char *event,
			 int value);

/* One event of a TCP socket, which may be a subflow; its value is a number. */
static inline void lab_event(const struct sock *sk, const char *event, int value)
{
	if (lab_events_running)
		__lab_event(sk, event, value);
}

/* The same with an error number; the value is empty if it is 0. */
static inline void lab_event_error(const struct sock *sk, const char *event,
				   int error)
{
	if (lab_events_running)
		__lab_event_error(sk, event, error);
}

/* The end of a TCP socket, with what it did */
static inline void lab_event_closed(const struct sock *sk)
{
	if (lab_events_running)
		__lab_event_closed(sk);
}

/* One event of a connection that has no socket yet */
static inline void lab_event_request(const struct request_sock *req,
				     const char *event, int value)
{
	if (lab_events_running)
		__lab_event_request(req, event, value);
}

#else

static inline void lab_event(const struct sock *sk, const char *event, int value)
{
}

static inline void lab_event_error(const struct sock *sk, const char *event,
				   int error)
{
}

static inline void lab_event_closed(const struct sock *sk)
{
}

static inline void lab_event_request(const struct request_sock *req,
				     const char *event, int value)
{
}

#endif
#endif /* _NET_LAB_EVENTS_H */

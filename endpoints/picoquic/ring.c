// SPDX-License-Identifier: MIT
/* Datagrams by io_uring: one system call sends what is due, waits, and reads.
 *
 * In a guest, system calls cost more than all that an endpoint computes. Here the kernel
 * puts each packet into a buffer when it arrives, and what is to be sent goes down with
 * the next wait. Where a kernel has no io_uring, endpoint.c polls, reads and sends.
 */
#define _GNU_SOURCE
#include "endpoint.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define REQUESTS 64
#define ANSWERS 256
#define BUFFERS 64	/* a power of two */
#define BUFFER 2048	/* for a datagram, and the sender's address before it */
#define BURSTS 32
#define WAITS_THAT_LAST (1U << 15)	/* IORING_FEAT_MIN_TIMEOUT of newer headers */
#define MUST (IORING_FEAT_SINGLE_MMAP | IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP | \
	      WAITS_THAT_LAST)

/* struct io_uring_getevents_arg, as in newer headers */
struct wait {
	uint64_t mask;
	uint32_t mask_size;
	uint32_t shortest_us;
	uint64_t longest;
};

enum { RECEIVED, SENT, NOTHING };	/* high half of a request's user_data */

static int ring, sockets, fds[MOST_PATHS];
static bool armed[MOST_PATHS];
static struct io_uring_sqe *requests;
static struct io_uring_cqe *answers;
static unsigned *request_tail, *answer_head, *answer_tail;
static unsigned request_mask, answer_mask, queued, bursts;
static struct burst burst[BURSTS];
static struct msghdr form = { .msg_namelen = sizeof(struct sockaddr_in) };
static uint8_t buffers[BUFFERS][BUFFER];
static union {
	struct io_uring_buf_ring ring;
	char page[PAGE];
} spare __attribute__((aligned(PAGE)));
static int lent = -1;		/* the buffer of the packet that ring_next() returned */

static void give_back(int number)
{
	struct io_uring_buf *place = &spare.ring.bufs[spare.ring.tail & (BUFFERS - 1)];

	place->addr = (uintptr_t)buffers[number];
	place->len = BUFFER;
	place->bid = number;
	__atomic_store_n(&spare.ring.tail, spare.ring.tail + 1, __ATOMIC_RELEASE);
}

bool ring_begin(const struct pollfd *polled, int count)
{
	struct io_uring_params about = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL,
		.cq_entries = ANSWERS,
	};
	struct io_uring_buf_reg given = { .ring_addr = (uintptr_t)&spare,
					  .ring_entries = BUFFERS };
	size_t size, other;
	unsigned *order;
	char *both;

	ring = syscall(SYS_io_uring_setup, REQUESTS, &about);
	if (ring < 0)
		return false;
	size = about.sq_off.array + about.sq_entries * sizeof(*order);
	other = about.cq_off.cqes + about.cq_entries * sizeof(*answers);
	if (other > size)
		size = other;
	both = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	requests = mmap(NULL, about.sq_entries * sizeof(*requests), PROT_READ | PROT_WRITE,
			MAP_SHARED, ring, IORING_OFF_SQES);
	if ((about.features & MUST) != MUST || both == MAP_FAILED || requests == MAP_FAILED ||
	    syscall(SYS_io_uring_register, ring, IORING_REGISTER_PBUF_RING, &given, 1)) {
		close(ring);
		return false;
	}
	request_tail = (void *)(both + about.sq_off.tail);
	request_mask = about.sq_entries - 1;
	order = (void *)(both + about.sq_off.array);
	for (unsigned i = 0; i < about.sq_entries; i++)
		order[i] = i;
	answer_head = (void *)(both + about.cq_off.head);
	answer_tail = (void *)(both + about.cq_off.tail);
	answer_mask = about.cq_entries - 1;
	answers = (void *)(both + about.cq_off.cqes);
	for (int i = 0; i < BUFFERS; i++)
		give_back(i);
	for (; sockets < count; sockets++)
		fds[sockets] = polled[sockets].fd;
	return true;
}

static struct io_uring_sqe *request(int code, int fd, uint64_t kind, unsigned number)
{
	unsigned tail = *request_tail;
	struct io_uring_sqe *made = &requests[tail & request_mask];

	*made = (struct io_uring_sqe){ .opcode = code, .fd = fd, .user_data = kind << 32 | number };
	__atomic_store_n(request_tail, tail + 1, __ATOMIC_RELEASE);
	queued++;
	return made;
}

/* Look through the answers, and say whether a packet is there. A queue of this host that
 * is full holds the program up, as it does without a ring. */
static bool look(void)
{
	bool found = false;
	unsigned tail = __atomic_load_n(answer_tail, __ATOMIC_ACQUIRE);

	for (unsigned i = *answer_head; i != tail; i++) {
		struct io_uring_cqe *answer = &answers[i & answer_mask];
		struct burst *sent = &burst[(uint32_t)answer->user_data];

		if (answer->user_data >> 32 == RECEIVED && answer->res >= 0)
			found = true;
		if (answer->user_data >> 32 == SENT && answer->res == -EAGAIN)
			sendmsg(sent->fd, &sent->message, 0);
		if (answer->user_data >> 32 == SENT)
			answer->user_data = (uint64_t)NOTHING << 32;
	}
	bursts = 0;
	return found;
}

static bool enter(unsigned flags, unsigned least, const void *more, size_t size)
{
	if (syscall(SYS_io_uring_enter, ring, queued, least, flags, more, size) < 0 &&
	    errno != EINTR && errno != ETIME)
		die("io_uring: %s", strerror(errno));
	queued = 0;
	return look();
}

struct burst *ring_burst(void)
{
	if (bursts == BURSTS)
		enter(0, 0, NULL, 0);
	return &burst[bursts];
}

void ring_send(struct burst *made)
{
	struct io_uring_sqe *asked = request(IORING_OP_SENDMSG, made->fd, SENT, bursts++);

	asked->addr = (uintptr_t)&made->message;
	asked->len = 1;
	asked->msg_flags = MSG_DONTWAIT;
	asked->flags = IOSQE_CQE_SKIP_SUCCESS;
}

bool ring_wait(int64_t wait_us, int64_t shortest_us)
{
	struct __kernel_timespec wait = { wait_us / 1000000, wait_us % 1000000 * 1000 };
	struct wait more = { .longest = (uintptr_t)&wait };

	for (int i = 0; i < sockets; i++) {
		struct io_uring_sqe *asked;

		if (armed[i])
			continue;
		asked = request(IORING_OP_RECVMSG, fds[i], RECEIVED, i);
		asked->addr = (uintptr_t)&form;
		asked->len = 1;
		asked->ioprio = IORING_RECV_MULTISHOT;
		asked->flags = IOSQE_BUFFER_SELECT;
		armed[i] = true;
	}
	more.shortest_us = shortest_us < wait_us ? shortest_us : wait_us;
	if (!queued)	/* A call that fails takes time, and a wait alone fails at its end. */
		request(IORING_OP_NOP, -1, NOTHING, 0)->flags = IOSQE_CQE_SKIP_SUCCESS;
	return enter(IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
		     more.shortest_us ? BUFFERS : 1, &more, sizeof(more));
}

bool ring_next(struct packet *packet)
{
	if (lent >= 0)
		give_back(lent);
	lent = -1;
	while (*answer_head != __atomic_load_n(answer_tail, __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe answer = answers[*answer_head & answer_mask];
		struct io_uring_recvmsg_out *about;

		__atomic_store_n(answer_head, *answer_head + 1, __ATOMIC_RELEASE);
		if (answer.user_data >> 32 != RECEIVED)
			continue;
		packet->number = (uint32_t)answer.user_data;
		if (!(answer.flags & IORING_CQE_F_MORE))
			armed[packet->number] = false;
		if (!(answer.flags & IORING_CQE_F_BUFFER))
			continue;
		lent = answer.flags >> IORING_CQE_BUFFER_SHIFT;
		about = (void *)buffers[lent];
		packet->from = (void *)(about + 1);
		packet->data = (uint8_t *)(packet->from + 1);
		packet->length = about->payloadlen;
		return true;
	}
	return false;
}

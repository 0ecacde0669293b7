/* SPDX-License-Identifier: GPL-2.0 */
/* Segments of TCP for the KUnit suites of the fabric */
#ifndef __LAB_FABRIC_SEGMENTS_TEST_H
#define __LAB_FABRIC_SEGMENTS_TEST_H

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/tcp.h>
#include <net/ip.h>

#include "fabric.h"

#define MSS		1448U
#define HEADER		66U

/* A segment of TCP with @bytes of data, from sequence number 1000 on */
static inline struct sk_buff *test_segment(struct kunit *test, u32 bytes)
{
	struct sk_buff *skb = alloc_skb(HEADER, GFP_KERNEL);
	struct tcphdr *tcp;
	struct iphdr *ip;
	struct page *page;
	u32 size;
	int at;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, HEADER);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
	ip = ip_hdr(skb);
	ip->ihl = 5;
	ip->id = htons(65530);
	tcp = tcp_hdr(skb);
	tcp->doff = 8;
	tcp->seq = htonl(1000);
	tcp->psh = 1;
	tcp->fin = 1;
	tcp->cwr = 1;
	for (at = 0; bytes; at++, bytes -= size) {
		size = min(bytes, (u32)PAGE_SIZE - 100);
		page = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, page);
		skb_add_rx_frag(skb, at, page, 100, size, size);
	}
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb_shinfo(skb)->gso_size = MSS;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	return skb;
}

#endif /* __LAB_FABRIC_SEGMENTS_TEST_H */

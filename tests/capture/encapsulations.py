"""Link layers and tunnels, written by code: how each carries a frame of Ethernet.

`python -m tests.capture.encapsulations FOLDER` writes a capture of each, for a look
with another program.
"""

import struct
import sys
from collections.abc import Callable
from pathlib import Path

from tests.capture.formats import HEAD, RECORD
from tests.capture.formats import frames as records
from tests.capture.kinds import raw

KIND = ("short", "client")
SNAP = bytes.fromhex("aaaa03000000")
MAC = bytes(5) + b"\x01"

Carry = Callable[[bytes], bytes]
"""From a whole frame of Ethernet to the frame of a link."""


def ipv4(protocol: int, body: bytes, place: int = 0, number: int = 0) -> bytes:
    """place : the field of flags and fragment offset; number : the identification"""
    length = 20 + len(body)
    head = (0x45, 0, length, number, place, 64, protocol, 0, 0xC0A80001, 0xC0A80002)
    return struct.pack(">BBHHHBBHII", *head) + body


def ipv6(following: int, body: bytes) -> bytes:
    return struct.pack(">IHBB", 6 << 28, len(body), following, 64) + bytes(32) + body


def udp(port: int, body: bytes, source: int = 5555) -> bytes:
    return struct.pack(">HHHH", source, port, 8 + len(body), 0) + body


def gre(kind: int, body: bytes, flags: int = 0) -> bytes:
    options = 4 * sum(bool(flags & bit) for bit in (0x8000, 0x2000, 0x1000))
    return struct.pack(">HH", flags, kind) + bytes(options) + body


def label(number: int, last: bool) -> bytes:
    return struct.pack(">I", number << 12 | last << 8 | 64)


def kind(frame: bytes) -> bytes:
    return frame[12:14]


def packet(frame: bytes) -> bytes:
    return frame[14:]


def llc(frame: bytes) -> bytes:
    return SNAP + frame[12:]


def attribute(number: int, body: bytes) -> bytes:
    """Of netlink."""
    return struct.pack("<HH", 4 + len(body), number) + body + bytes(-len(body) % 4)


def nflog(frame: bytes) -> bytes:
    parts = attribute(1, kind(frame) + bytes(2)) + attribute(10, b"prefix\0")
    return struct.pack(">BBH", 2, 0, 0) + parts + attribute(9, packet(frame))


def pktap(link: int, body: bytes) -> bytes:
    head = struct.pack("<III24s", 108, 1, link, b"en0")
    return head.ljust(108, b"\0") + body


def wifi(
    frame: bytes, control: int = 0x08, flags: int = 1, pad: int = 0, tail: bytes = b""
) -> bytes:
    """A data frame. tail : what stands between the header and LLC"""
    addresses = MAC * (4 if flags & 3 == 3 else 3)
    head = bytes([control, flags, 0, 0]) + addresses[:18] + bytes(2) + addresses[18:]
    return head + tail + bytes(pad) + llc(frame)


def swapped_wifi(frame: bytes) -> bytes:
    """A frame of sequence number 0x763, whose first bytes look like fragment 6."""
    plain = wifi(frame)
    return plain[1::-1] + plain[2:22] + b"\x76\x30" + plain[24:]


def radiotap(body: bytes, present: int = 0, fields: bytes = b"") -> bytes:
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), present) + fields + body


def ppi(link: int, body: bytes) -> bytes:
    return struct.pack("<BBHI", 0, 0, 12, link) + bytes(4) + body


def juniper(body: bytes, flags: int = 0, more: bytes = b"") -> bytes:
    return b"MGC" + bytes([flags]) + more + body


def erf(type_: int, body: bytes, more: bytes = b"") -> bytes:
    flag = 0x80 if more else 0
    return bytes(8) + bytes([type_ | flag, 4]) + bytes(6) + more + body


def arp_hardware(number: int, protocol: int, body: bytes) -> bytes:
    """Linux cooked, of a device of that type."""
    head = struct.pack(">HHH8sH", 0, number, 6, bytes(8), protocol)
    return head + body


PPP_IP = b"\x00\x21"

LINKS: dict[str, tuple[int, Carry]] = {
    "Ethernet": (1, lambda f: f),
    "Ethernet with LLC": (
        1,
        lambda f: f[:12] + struct.pack(">H", min(1500, len(llc(f)))) + llc(f),
    ),
    "Ethernet with LLC, 802.1H": (
        1,
        lambda f: f[:12] + b"\x05\xdc" + b"\xaa\xaa\x03\0\0\xf8" + f[12:],
    ),
    "LLC without SNAP": (1, lambda f: f[:12] + b"\x05\x00\x06\x06\x03" + packet(f)),
    "Cisco ISL": (
        1,
        lambda f: b"\x01\x00\x0c\x00\x00" + bytes(9) + SNAP + bytes(6) + f,
    ),
    "Linux cooked": (
        113,
        lambda f: struct.pack(">HHH8s", 0, 1, 6, MAC) + kind(f) + packet(f),
    ),
    "Linux cooked, LLC": (113, lambda f: arp_hardware(1, 4, llc(f))),
    "Linux cooked, radiotap": (
        113,
        lambda f: arp_hardware(803, 0, radiotap(wifi(f))),
    ),
    "Linux cooked, 802.11": (113, lambda f: arp_hardware(801, 25, wifi(f))),
    "Linux cooked, VLAN": (
        113,
        lambda f: arp_hardware(1, 0x8100, b"\x00\x05" + f[12:]),
    ),
    "Linux cooked 2": (
        276,
        lambda f: kind(f) + struct.pack(">HIHBB8s", 0, 2, 1, 0, 6, MAC) + packet(f),
    ),
    "raw": (101, packet),
    "raw, BSD": (12, packet),
    "raw, OpenBSD": (14, packet),
    "IPv4": (228, packet),
    "IPv6's number": (229, packet),
    "BSD loopback": (0, lambda f: struct.pack("<I", 2) + packet(f)),
    "OpenBSD loopback": (108, lambda f: struct.pack(">I", 2) + packet(f)),
    "802.11": (105, wifi),
    "802.11 from a station": (105, lambda f: wifi(f, flags=2)),
    "802.11 with four addresses": (105, lambda f: wifi(f, flags=3)),
    "802.11 with QoS": (105, lambda f: wifi(f, control=0x88, tail=bytes(2))),
    "802.11 with QoS and HT control": (
        105,
        lambda f: wifi(f, control=0x88, flags=0x81, tail=bytes(6)),
    ),
    "802.11, decrypted by the card": (105, lambda f: wifi(f, flags=0x41)),
    "radiotap": (127, lambda f: radiotap(wifi(f))),
    "radiotap, padded": (
        127,
        lambda f: radiotap(
            wifi(f, control=0x88, tail=bytes(2), pad=2), 2, b"\x20" + bytes(3)
        ),
    ),
    "radiotap with times, padded": (
        127,
        lambda f: radiotap(
            wifi(f, control=0x88, tail=bytes(2), pad=2), 3, bytes(8) + b"\x20"
        ),
    ),
    "radiotap with two words, not padded": (
        127,
        lambda f: radiotap(
            wifi(f, control=0x88, tail=bytes(2)),
            0x80000003,
            bytes(4) + b"\x20" * 4 + bytes(8) + b"\x10\x20",
        ),
    ),
    "PPI": (192, lambda f: ppi(105, wifi(f))),
    "PPI with Ethernet": (192, lambda f: ppi(1, f)),
    "Prism": (119, lambda f: struct.pack("<II", 0x44, 144) + bytes(136) + wifi(f)),
    "Prism, the other byte order": (
        119,
        lambda f: struct.pack(">II", 0x44, 144) + bytes(136) + wifi(f),
    ),
    "AVS": (163, lambda f: struct.pack(">II", 0x80211001, 64) + bytes(56) + wifi(f)),
    "AVS under Prism's number": (
        119,
        lambda f: struct.pack(">II", 0x80211001, 64) + bytes(56) + wifi(f),
    ),
    "PKTAP": (258, lambda f: pktap(1, f)),
    "PKTAP of a tunnel": (
        258,
        lambda f: pktap(0, struct.pack("<I", 2) + packet(f)),
    ),
    "PKTAP of a phone": (149, lambda f: pktap(12, packet(f))),
    "NFLOG": (239, nflog),
    "PPP": (9, lambda f: b"\xff\x03" + PPP_IP + packet(f)),
    "PPP without address": (9, lambda f: PPP_IP + packet(f)),
    "PPP with a short protocol": (9, lambda f: b"\xff\x03\x21" + packet(f)),
    "PPP with multilink": (
        9,
        lambda f: b"\xff\x03\x00\x3d\xc0\0\0\x01" + PPP_IP + packet(f),
    ),
    "PPP with MPLS": (9, lambda f: b"\xff\x03\x02\x81" + label(16, True) + packet(f)),
    "PPP with Ethernet": (9, lambda f: b"\xff\x03\x00\x31\x00\x01" + f),
    "PPP with Ethernet of a LAN": (
        9,
        lambda f: b"\xff\x03\x00\x31\x40\x01" + bytes(4) + f,
    ),
    "PPP, serial": (50, lambda f: b"\xff\x03" + PPP_IP + packet(f)),
    "Cisco HDLC, serial": (50, lambda f: b"\x0f\x00" + f[12:]),
    "Cisco HDLC, multicast": (50, lambda f: b"\x8f\x00" + f[12:]),
    "PPPoE": (
        51,
        lambda f: struct.pack(">BBHH", 17, 0, 1, len(f) - 12) + PPP_IP + packet(f),
    ),
    "PPP of pppd": (166, lambda f: b"\x01\x03" + PPP_IP + packet(f)),
    "PPP of pppd without control": (166, lambda f: b"\x00" + PPP_IP + packet(f)),
    "PPP with direction": (204, lambda f: b"\x01\xff\x03" + PPP_IP + packet(f)),
    "Cisco HDLC": (104, lambda f: b"\x0f\x00" + f[12:]),
    "Cisco HDLC with direction": (205, lambda f: b"\x01\x0f\x00" + f[12:]),
    "Frame Relay": (107, lambda f: b"\x18\x41\x03\xcc" + packet(f)),
    "Frame Relay with SNAP": (
        107,
        lambda f: b"\x18\x41\x03\x00\x80\0\0\0" + f[12:],
    ),
    "Frame Relay with PPP": (
        107,
        lambda f: b"\x18\x41\x03\xcf" + PPP_IP + packet(f),
    ),
    "Frame Relay, Cisco": (107, lambda f: b"\x18\x41" + f[12:]),
    "Frame Relay, four bytes of address": (
        107,
        lambda f: b"\x18\x40\x40\x41\x03\xcc" + packet(f),
    ),
    "Frame Relay with direction": (206, lambda f: b"\x01\x18\x41\x03\xcc" + packet(f)),
    "SLIP": (8, lambda f: bytes(16) + packet(f)),
    "token ring": (6, lambda f: b"\x10\x40" + bytes(12) + llc(f)),
    "token ring with a route": (
        6,
        lambda f: (
            b"\x10\x40" + bytes(6) + b"\x80" + bytes(5) + b"\x06" + bytes(5) + llc(f)
        ),
    ),
    "FDDI": (10, lambda f: b"\x50" + bytes(12) + llc(f)),
    "ATM, RFC 1483": (11, llc),
    "ATM": (100, llc),
    "ATM with NLPID": (100, lambda f: b"\xfe\xfe\x03\xcc" + packet(f)),
    "ATM with bridged Ethernet": (
        100,
        lambda f: b"\xaa\xaa\x03\x00\x80\xc2\x00\x07" + bytes(2) + f,
    ),
    "bridged Ethernet in LLC": (
        10,
        lambda f: b"\x50" + bytes(12) + b"\xaa\xaa\x03\x00\x80\xc2\x00\x07" + f,
    ),
    "ARCNET": (7, lambda f: b"\x01\x02\xd4\0\0\x07" + packet(f)),
    "ARCNET of RFC 1051": (7, lambda f: b"\x01\x02\xf0" + packet(f)),
    "ARCNET of Linux": (129, lambda f: b"\x01\x02\0\0\xd4\0\0\x07" + packet(f)),
    "classical IP": (106, packet),
    "classical IP with LLC": (106, llc),
    "classical IP, Linux": (19, packet),
    "SunATM": (123, lambda f: b"\x02" + bytes(3) + llc(f)),
    "IP over Fibre Channel": (122, lambda f: bytes(16) + llc(f)),
    "IEEE 1394": (138, lambda f: bytes(16) + f[12:]),
    "DOCSIS": (143, lambda f: struct.pack(">BBHH", 0, 0, len(f), 0) + f),
    "DOCSIS with a longer header": (
        143,
        lambda f: struct.pack(">BBH", 1, 5, len(f) + 5) + bytes(5) + bytes(2) + f,
    ),
    "PFLOG": (117, lambda f: b"\x3d\x02" + bytes(62) + packet(f)),
    "PFLOG, longer": (117, lambda f: b"\x64\x02" + bytes(98) + packet(f)),
    "PFLOG, old": (17, lambda f: struct.pack(">I", 2) + bytes(24) + packet(f)),
    "ENC": (109, lambda f: struct.pack("<III", 2, 7, 0) + packet(f)),
    "IPNET": (226, lambda f: b"\x01\x02\0\0\0\0\0\x18" + bytes(16) + packet(f)),
    "netANALYZER": (240, lambda f: bytes(4) + f),
    "netANALYZER, transparent": (241, lambda f: bytes(4) + b"\x55" * 7 + b"\xd5" + f),
    "IP over InfiniBand": (242, lambda f: bytes(40) + kind(f) + bytes(2) + packet(f)),
    "EPON": (259, lambda f: b"\x55" * 7 + b"\xd5" + f),
    "mPacket": (274, lambda f: b"\x55" * 7 + b"\xd5" + f),
    "Broadcom's tag": (281, lambda f: f[:12] + bytes(4) + f[12:]),
    "Broadcom's tag first": (282, lambda f: bytes(4) + f),
    "Marvell's tag": (284, lambda f: f[:12] + b"\xc0\x01\x00\x00" + f[12:]),
    "Marvell's tag with a type": (
        285,
        lambda f: f[:12] + b"\xda\xda\0\0\xc0\x01\0\0" + f[12:],
    ),
    "MPLS": (219, lambda f: label(16, True) + packet(f)),
    "ERF": (197, lambda f: erf(2, bytes(2) + f)),
    "ERF with an extension": (197, lambda f: erf(2, bytes(2) + f, bytes(8))),
    "ERF of a serial line": (197, lambda f: erf(1, b"\x0f\x00" + f[12:])),
    "ERF with IP": (197, lambda f: erf(22, packet(f))),
    "Juniper, Ethernet": (178, lambda f: juniper(f)),
    "Juniper, Ethernet with an extension": (
        178,
        lambda f: juniper(f, 0x80, b"\x00\x06" + bytes(6)),
    ),
    "Juniper without link layer": (
        178,
        lambda f: juniper(packet(f), 2, b"\x02\0\0\0"),
    ),
    "Juniper, PPP": (179, lambda f: juniper(b"\xff\x03" + PPP_IP + packet(f))),
    "Juniper, Frame Relay": (180, lambda f: juniper(b"\x18\x41\x03\xcc" + packet(f))),
    "Juniper, HDLC": (181, lambda f: juniper(b"\x0f\x00" + f[12:])),
}

VXLAN = struct.pack(">II", 0x08000000, 7 << 8)
GENEVE = struct.pack(">BBHI", 1, 0, 0x6558, 7 << 8) + bytes(4)
IPV4, IPV6 = 0x0800, 0x86DD

Inside = Callable[[bytes], tuple[int, bytes]]
"""From a whole frame to an ethertype and what follows it."""


def over_udp(port: int, head: bytes, of: Carry, source: int = 5555) -> Inside:
    return lambda frame: (IPV4, ipv4(17, udp(port, head + of(frame), source)))


def whole(frame: bytes) -> bytes:
    return frame


def gtp(flags: int, more: bytes = b"") -> bytes:
    """Its length is that of a long packet."""
    return struct.pack(">BBHI", 0x30 | flags, 0xFF, 1400, 7) + more


def authentication(following: int, body: bytes) -> bytes:
    """AH with a check of 96 bits."""
    return struct.pack(">BBHII", following, 4, 0, 7, 1) + bytes(12) + body


def extension(following: int, body: bytes) -> bytes:
    return bytes([following, 0]) + bytes(6) + body


def capwap(native: int, words: int = 2) -> bytes:
    return bytes([0, words << 3, native]) + bytes(4 * words - 3)


TUNNELS: dict[str, Inside] = {
    "VXLAN": over_udp(4789, VXLAN, whole),
    "VXLAN at Linux's port": over_udp(8472, VXLAN, whole),
    "VXLAN with a group policy": over_udp(4789, b"\x88\0\0\x07\0\0\x07\0", whole),
    "VXLAN over IPv6": lambda f: (IPV6, ipv6(17, udp(4789, VXLAN + f))),
    "VXLAN GPE with Ethernet": over_udp(4790, b"\x0c\0\0\x03\0\0\x07\0", whole),
    "VXLAN GPE with IP": over_udp(4790, b"\x0c\0\0\x01\0\0\x07\0", packet),
    "VXLAN GPE with MPLS": over_udp(
        4790, b"\x0c\0\0\x05\0\0\x07\0" + label(16, True), packet
    ),
    "VXLAN GPE with NSH": over_udp(
        4790, b"\x0c\0\0\x04\0\0\x07\0\x0f\xc2\x02\x01\0\0\x07\xff", packet
    ),
    "VXLAN GPE without a number": over_udp(4790, VXLAN, whole),
    "Geneve": over_udp(6081, GENEVE, whole),
    "Geneve with IP": over_udp(6081, b"\0\0\x08\0\0\0\x07\0", packet),
    "GTP-U": over_udp(2152, gtp(0), packet),
    "GTP-U from the port": over_udp(9999, gtp(0), packet, 2152),
    "GTP-U with numbers": over_udp(2152, gtp(2, bytes(4)), packet),
    "GTP-U with extension headers": over_udp(
        2152, gtp(4, b"\0\0\0\x85" + b"\x01\x10\x01\x85" + b"\x02" + bytes(7)), packet
    ),
    "GTP-U with Ethernet": over_udp(2152, gtp(0), whole),
    "GTP, version 0": over_udp(3386, b"\x1e\xff" + bytes(18), packet),
    "L2TP": over_udp(1701, b"\x00\x02" + bytes(4) + b"\xff\x03" + PPP_IP, packet),
    "L2TP with all fields": over_udp(
        1701,
        b"\x4a\x02" + bytes(10) + b"\x00\x02" + bytes(2) + PPP_IP,
        packet,
    ),
    "L2TP, version 3": over_udp(1701, b"\0\x03\0\0\0\0\0\x07", whole),
    "L2TP, version 3, with a cookie": over_udp(
        1701, b"\0\x03\0\0\0\0\0\x07" + b"\xa5" * 8, whole
    ),
    "L2TP, version 3, over IP": lambda f: (IPV4, ipv4(115, b"\0\0\0\x07" + f)),
    "L2TP, version 3, with all": lambda f: (
        IPV4,
        ipv4(115, b"\0\0\0\x07" + b"\xa5" * 8 + bytes(4) + f),
    ),
    "Teredo": over_udp(3544, b"", lambda f: ipv6(4, packet(f))),
    "Teredo with an origin": over_udp(
        3544, b"\0\0" + b"\x55" * 6, lambda f: ipv6(4, packet(f))
    ),
    "Teredo with authentication": over_udp(
        3544,
        b"\0\x01\x04\x04" + b"\x55" * 17 + b"\0\0" + b"\x55" * 6,
        lambda f: ipv6(4, packet(f)),
    ),
    "MPLS in UDP": over_udp(6635, label(16, True), packet),
    "GRE in UDP": over_udp(4754, b"\0\0\x08\0", packet),
    "GUE": over_udp(6080, b"\x00\x04\0\0", packet),
    "GUE with GRE": over_udp(6080, b"\x01\x2f\0\0" + bytes(4) + b"\0\0\x08\0", packet),
    "GUE without header": over_udp(6080, b"", packet),
    "LISP": over_udp(4341, bytes(8), packet),
    "CAPWAP": over_udp(5247, capwap(0), whole),
    "CAPWAP, 802.11": over_udp(5247, capwap(1, 4), wifi),
    "CAPWAP, 802.11 swapped": over_udp(5247, capwap(1), swapped_wifi),
    "TZSP": over_udp(37008, b"\x01\0\0\x01\0\x0a\x01\x05\x01", whole),
    "TZSP, 802.11": over_udp(37008, b"\x01\0\0\x12\x01", wifi),
    "GRE": lambda f: (IPV4, ipv4(47, gre(0x0800, packet(f)))),
    "GRE with a key and numbers": lambda f: (
        IPV4,
        ipv4(47, gre(0x0800, packet(f), 0x3000)),
    ),
    "GRE with all fields": lambda f: (IPV4, ipv4(47, gre(0x0800, packet(f), 0xB000))),
    "GRE with Ethernet": lambda f: (IPV4, ipv4(47, gre(0x6558, f))),
    "GRE with MPLS": lambda f: (
        IPV4,
        ipv4(47, gre(0x8847, label(16, True) + packet(f))),
    ),
    "NVGRE": lambda f: (IPV4, ipv4(47, gre(0x6558, f, 0x2000))),
    "PPTP": lambda f: (
        IPV4,
        ipv4(47, b"\x30\x81\x88\x0b" + bytes(12) + b"\xff\x03" + PPP_IP + packet(f)),
    ),
    "PPTP without numbers": lambda f: (
        IPV4,
        ipv4(47, b"\x20\x01\x88\x0b" + bytes(4) + PPP_IP + packet(f)),
    ),
    "ERSPAN": lambda f: (IPV4, ipv4(47, gre(0x88BE, f))),
    "ERSPAN, type II": lambda f: (
        IPV4,
        ipv4(47, gre(0x88BE, bytes.fromhex("1001000100000000") + f, 0x1000)),
    ),
    "ERSPAN, type III": lambda f: (
        IPV4,
        ipv4(47, gre(0x22EB, b"\x20" + bytes(11) + f, 0x1000)),
    ),
    "ERSPAN, type III, longer": lambda f: (
        IPV4,
        ipv4(47, gre(0x22EB, b"\x20" + bytes(10) + b"\x01" + bytes(8) + f, 0x1000)),
    ),
    "ERSPAN, type III, with IP": lambda f: (
        IPV4,
        ipv4(47, gre(0x22EB, b"\x20" + bytes(9) + b"\x08\0" + packet(f), 0x1000)),
    ),
    "WCCP": lambda f: (IPV4, ipv4(47, gre(0x883E, packet(f)))),
    "WCCP 2": lambda f: (IPV4, ipv4(47, gre(0x883E, bytes(4) + packet(f)))),
    "IP in IP": lambda f: (IPV4, ipv4(4, packet(f))),
    "IP in IP by the older number": lambda f: (IPV4, ipv4(94, packet(f))),
    "IP in IPv6": lambda f: (IPV6, ipv6(4, packet(f))),
    "IPv6 in IP": lambda f: (IPV4, ipv4(41, ipv6(4, packet(f)))),
    "Ethernet in IPv6": lambda f: (IPV6, ipv6(43, extension(143, f))),
    "Ethernet in IP": lambda f: (IPV4, ipv4(97, b"\x30\0" + f)),
    "MPLS in IP": lambda f: (IPV4, ipv4(137, label(16, True) + packet(f))),
    "AH": lambda f: (IPV4, ipv4(51, authentication(4, packet(f)))),
    "AH and GRE": lambda f: (
        IPV4,
        ipv4(51, authentication(47, gre(0x0800, packet(f)))),
    ),
    "AH over IPv6": lambda f: (
        IPV6,
        ipv6(60, extension(51, authentication(4, packet(f)))),
    ),
    "MPLS": lambda f: (0x8847, label(16, False) + label(17, True) + packet(f)),
    "MPLS pseudowire": lambda f: (0x8847, label(16, True) + bytes(4) + f),
    "MPLS pseudowire without control word": lambda f: (0x8847, label(16, True) + f),
    "VXLAN in GRE": lambda f: (
        IPV4,
        ipv4(47, gre(0x0800, ipv4(17, udp(4789, VXLAN + f)))),
    ),
    "NSH": lambda f: (0x894F, bytes.fromhex("0fc20201000007ff") + packet(f)),
    "NSH with context": lambda f: (
        0x894F,
        bytes.fromhex("0fc60103000007ff") + bytes(16) + f,
    ),
    "batman-adv": lambda f: (0x4305, b"\x40\x0f\x32\0" + MAC + f),
    "batman-adv, four addresses": lambda f: (0x4305, b"\x42\x0f\x32\0" + bytes(14) + f),
    "FabricPath": lambda f: (0x8903, b"\x10\x60" + f),
    "TRILL": lambda f: (0x22F3, b"\x00\x06" + bytes(4) + f),
    "TRILL with options": lambda f: (0x22F3, b"\x00\x46" + bytes(8) + f),
    "Ethernet in Ethernet": lambda f: (0x6558, f),
}

TAGS: dict[str, Inside] = {
    "VLAN": lambda f: (0x8100, b"\0\x05" + f[12:]),
    "two VLANs": lambda f: (0x88A8, b"\0\x07\x81\0\0\x05" + f[12:]),
    "older VLANs": lambda f: (0x9100, b"\0\x07\x92\0\0\x05" + f[12:]),
    "VLAN with LLC": lambda f: (0x8100, b"\0\x05\x05\x00" + llc(f)),
    "802.1ah": lambda f: (0x88E7, bytes(16) + f[12:]),
    "802.1BR": lambda f: (0x893F, bytes(6) + f[12:]),
    "VN-Tag": lambda f: (0x8926, bytes(4) + f[12:]),
    "HSR": lambda f: (0x892F, bytes(4) + f[12:]),
    "R-TAG": lambda f: (0xF1C1, bytes(4) + f[12:]),
    "Cisco MetaData": lambda f: (0x8909, bytes.fromhex("010100010007") + f[12:]),
    "EtherType DSA": lambda f: (0xDADA, bytes(6) + f[12:]),
    "PPPoE": lambda f: (
        0x8864,
        struct.pack(">BBHH", 17, 0, 1, len(f) - 12) + PPP_IP + packet(f),
    ),
    "PPP": lambda f: (0x880B, PPP_IP + packet(f)),
    "MACsec without encryption": lambda f: (0x88E5, bytes(6) + f[12:]),
    "MACsec with a channel": lambda f: (0x88E5, b"\x20" + bytes(13) + f[12:]),
    "LLC of jumbo frames": lambda f: (0x8870, llc(f)),
}


def in_frame(inside: Inside) -> Carry:
    def carry(frame: bytes) -> bytes:
        number, body = inside(frame)
        return bytes(12) + struct.pack(">H", number) + body

    return carry


def rewritten(
    path: Path, link: int, carry: Carry, kind: tuple[str, str] = KIND
) -> Path:
    """The capture with each frame carried otherwise. Lengths are those of the whole
    frame, though its headers alone were captured."""
    return write(path, link, [carry(whole) for whole in frames(kind)], kind)


def frames(kind: tuple[str, str] = KIND) -> list[bytes]:
    """Whole, zeros for what was not captured."""
    return [f.data.ljust(f.length, b"\0") for f in records(raw(*kind))]


def write(
    path: Path, link: int, carried: list[bytes], kind: tuple[str, str] = KIND
) -> Path:
    """carried : of each frame of the capture of that kind"""
    out = [raw(*kind)[: HEAD.size - 4] + struct.pack("<I", link)]
    for frame, whole in zip(records(raw(*kind)), carried, strict=True):
        data = whole[: len(whole) - (frame.length - len(frame.data))]
        head = (frame.seconds, frame.micros, len(data), len(whole))
        out.append(RECORD.pack(*head) + data)
    path.write_bytes(b"".join(out))
    return path


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, (link, carry)) in enumerate(LINKS.items()):
        rewritten(
            folder / f"link-{number:03d} {name.replace('/', ' ')}.pcap", link, carry
        )
    for number, (name, inside) in enumerate((TUNNELS | TAGS).items()):
        path = folder / f"tunnel-{number:03d} {name.replace('/', ' ')}.pcap"
        rewritten(path, 1, in_frame(inside))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

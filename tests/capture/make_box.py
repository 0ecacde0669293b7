#!/usr/bin/python3
"""A middlebox that changes TCP packets on their way, for make_captures.py.

    NEAR FAR WHAT      bridges the interfaces NEAR (the client's side) and FAR

WHAT: `flip N` changes a byte of the payload of the client's Nth packet with data;
`strip` takes MPTCP's options out of all packets, `strip-acks` out of those that follow
the SYNs; `narrow` makes data sequence numbers and data ACKs of 8 bytes such of 4.
Checksums of TCP are kept right: nobody but MPTCP can tell.
"""

import select
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

ETHERNET, IPV4, TCP = 14, b"\x08\x00", 6
NOP, MPTCP, DSS = 1, 30, 2
SYN = 2
OUTGOING = 4
ACK, ACK8, MAP, MAP8 = 1, 2, 4, 8
"""Flags of a DSS option."""


class Packet:
    """A frame that can be changed. `options`: where TCP's are; `data`: the payload."""

    def __init__(self, frame: bytes) -> None:
        self.bytes = bytearray(frame)
        self.is_tcp = frame[12:14] == IPV4 and frame[ETHERNET + 9] == TCP
        if self.is_tcp:
            self.tcp = ETHERNET + 4 * (frame[ETHERNET] & 15)
            (total,) = struct.unpack_from(">H", frame, ETHERNET + 2)
            self.end = ETHERNET + total
            self.data = self.tcp + 4 * (frame[self.tcp + 12] >> 4)
            self.syn = bool(frame[self.tcp + 13] & SYN)

    def options(self) -> Iterator[tuple[int, int]]:
        """Place and length of each option of MPTCP."""
        at = self.tcp + 20
        while at < self.data and (kind := self.bytes[at]):
            length = 1 if kind == NOP else self.bytes[at + 1]
            if kind == MPTCP:
                yield at, length
            at += max(length, 1)

    def mend(self) -> None:
        """Compute TCP's checksum again."""
        self.bytes[self.tcp + 16 : self.tcp + 18] = bytes(2)
        segment = bytes(self.bytes[self.tcp : self.end])
        ends = bytes(self.bytes[ETHERNET + 12 : ETHERNET + 20])
        whole = ends + struct.pack(">HH", TCP, len(segment)) + segment
        whole += bytes(len(whole) % 2)
        total = sum(struct.unpack(f">{len(whole) // 2}H", whole))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        struct.pack_into(">H", self.bytes, self.tcp + 16, ~total & 0xFFFF)


Change = Callable[[Packet, bool], None]
"""Changes a packet; True if the client sent it."""


def strip(packet: Packet, forward: bool) -> None:
    for at, length in packet.options():
        packet.bytes[at : at + length] = bytes([NOP]) * length


def strip_acks(packet: Packet, forward: bool) -> None:
    if not packet.syn:
        strip(packet, forward)


def narrow(packet: Packet, forward: bool) -> None:
    for at, length in packet.options():
        option = packet.bytes[at : at + length]
        if option[2] >> 4 != DSS:
            continue
        flags, rest = option[3], option[4:]
        parts = b""
        for there, wide in ((ACK, ACK8), (MAP, MAP8)):
            if flags & there:
                size = 8 if flags & wide else 4
                parts += rest[size - 4 : size]
                rest = rest[size:]
        short = option[:3] + bytes([flags & ~(ACK8 | MAP8)]) + parts + rest
        short[1] = len(short)
        packet.bytes[at : at + length] = short + bytes([NOP]) * (length - len(short))


def flip(which: int) -> Change:
    count = 0

    def change(packet: Packet, forward: bool) -> None:
        nonlocal count
        count += forward and packet.end > packet.data
        if count == which and forward and packet.end > packet.data:
            packet.bytes[packet.data] ^= 0x55
            count += 1

    return change


def opened(device: str) -> socket.socket:
    found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    found.bind((device, 3))
    return found


def main(near: str, far: str, what: str, *arguments: str) -> NoReturn:
    changes: dict[str, Change] = {
        "strip": strip,
        "strip-acks": strip_acks,
        "narrow": narrow,
    }
    change = changes.get(what) or flip(int(arguments[0]))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ends = [opened(near), opened(far)]
    print("bridging", flush=True)
    while True:
        for end in select.select(ends, [], [])[0]:
            frame, address = end.recvfrom(1 << 16)
            if address[2] == OUTGOING:
                continue
            packet = Packet(frame)
            if packet.is_tcp:
                change(packet, end is ends[0])
                packet.mend()
            ends[end is ends[0]].send(packet.bytes)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A capture in other formats, and damaged: from pcap of microseconds."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

HEAD = struct.Struct("<IHHiIII")
RECORD = struct.Struct("<IIII")


@dataclass(frozen=True)
class Frame:
    seconds: int
    micros: int
    length: int
    data: bytes


def frames(capture: bytes) -> Iterator[Frame]:
    """Of a little-endian pcap with microseconds."""
    at = HEAD.size
    while at + RECORD.size <= len(capture):
        seconds, micros, captured, length = RECORD.unpack_from(capture, at)
        at += RECORD.size
        yield Frame(seconds, micros, length, capture[at : at + captured])
        at += captured


def as_pcap(
    capture: bytes, big: bool = False, nano: bool = False, link: int = 1, cut: int = 0
) -> bytes:
    """The same packets; `cut` bytes are taken off the front of each for other links,
    and Ethernet's head replaced by the link's own."""
    order = ">" if big else "<"
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    out = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, link)]
    for frame in frames(capture):
        data = relinked(frame.data, link)
        grown = len(data) - len(frame.data)
        part = frame.micros * 1000 if nano else frame.micros
        out.append(
            struct.pack(
                f"{order}IIII", frame.seconds, part, len(data), frame.length + grown
            )
        )
        out.append(data)
    return b"".join(out)


def relinked(data: bytes, link: int) -> bytes:
    """An Ethernet frame as another link layer has it."""
    head, rest = data[:14], data[14:]
    address, kind = head[6:12], head[12:14]
    if link == 1:
        return data
    if link == 113:
        return struct.pack(">HHH", 0, 1, 6) + address + bytes(2) + kind + rest
    if link == 276:
        return kind + struct.pack(">HIHBB", 0, 2, 1, 0, 6) + address + bytes(2) + rest
    if link == 0:
        return struct.pack("<I", 2) + rest
    assert link in (101, 228)
    return rest


def tagged(capture: bytes) -> bytes:
    """The same with two VLAN tags each."""
    out = [capture[: HEAD.size]]
    for frame in frames(capture):
        tags = bytes.fromhex("88a80007") + bytes.fromhex("81000005")
        data = frame.data[:12] + tags + frame.data[12:]
        out.append(
            RECORD.pack(frame.seconds, frame.micros, len(data), frame.length + 8)
        )
        out.append(data)
    return b"".join(out)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    length = len(body) + 12
    head = struct.pack(f"{order}II", kind, length)
    return head + body + struct.pack(f"{order}I", length)


def as_pcapng(
    capture: bytes, big: bool = False, resolution: int | None = None
) -> bytes:
    """The same as pcapng, of one interface; resolution : if_tsresol, None for none."""
    order = ">" if big else "<"
    options = b""
    if resolution is not None:
        options = struct.pack(f"{order}HHB3x", 9, 1, resolution)
        options += struct.pack(f"{order}HH", 0, 0)
    out = [
        block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order),
        block(1, struct.pack(f"{order}HHI", 1, 0, 0) + options, order),
    ]
    for frame in frames(capture):
        if resolution is None:
            stamp = frame.seconds * 10**6 + frame.micros
        elif resolution & 0x80:
            whole = frame.seconds << (resolution & 0x7F)
            stamp = whole + (frame.micros << (resolution & 0x7F)) // 10**6
        else:
            stamp = (frame.seconds * 10**6 + frame.micros) * 10 ** (resolution - 6)
        head = struct.pack(
            f"{order}IIIII",
            *(0, stamp >> 32, stamp & 0xFFFFFFFF, len(frame.data), frame.length),
        )
        out.append(block(6, head + frame.data, order))
    return b"".join(out)

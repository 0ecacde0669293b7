"""Captures written packet by packet, for cases that can be computed by hand."""

import hashlib
import struct
from dataclasses import dataclass, field
from pathlib import Path

SYN, FIN, RST, ACK = 2, 1, 4, 16
KEYS = (0x1111222233334444, 0x5555666677778888)

Ends = tuple[tuple[int, int], tuple[int, int]]
"""Address and port of the sender, and of the receiver."""


def digest(key: int) -> tuple[int, int]:
    """Token and initial data sequence number of MPTCP version 1 (RFC 8684, 3.1)."""
    whole = hashlib.sha256(key.to_bytes(8, "big")).digest()
    return int.from_bytes(whole[:4], "big"), int.from_bytes(whole[-8:], "big")


def option(subtype: int, *parts: bytes) -> bytes:
    """An option of MPTCP; the first byte of `parts` has the subtype's low bits."""
    body = b"".join(parts)
    body = bytes([subtype << 4 | body[0]]) + body[1:]
    return bytes([30, 2 + len(body)]) + body


def capable(*keys: int) -> bytes:
    return option(0, bytes([1, 1]), *(key.to_bytes(8, "big") for key in keys))


def dss(
    dsn: int | None = None,
    ssn: int = 0,
    length: int = 0,
    ack: int | None = None,
    fin: bool = False,
) -> bytes:
    """With numbers of 8 bytes."""
    flags = (16 if fin else 0) | (3 if ack is not None else 0)
    body = b"" if ack is None else struct.pack(">Q", ack % 2**64)
    if dsn is not None:
        flags |= 12
        body += struct.pack(">QIH", dsn % 2**64, ssn, length)
    return option(2, bytes([0, flags]), body)


@dataclass
class Wire:
    """Packets of a capture, at the times given; numbers of TCP follow by themselves.

    Ends are (address, port), addresses of 4 bytes.
    """

    records: list[tuple[int, bytes]] = field(default_factory=list)
    next: dict[Ends, int] = field(default_factory=dict)
    answers: set[int] = field(default_factory=set)
    servers: set[tuple[int, int]] = field(default_factory=set)

    def add(
        self,
        at_s: float,
        ends: Ends,
        flags: int = ACK,
        payload: int = 0,
        options: bytes = b"",
        again: int = 0,
    ) -> None:
        """again : that many bytes that were sent before, at the end of those, once
        more"""
        options += b"\x01" * (-len(options) % 4)
        if flags == SYN:
            self.servers.add(ends[1])
        if ends[0] in self.servers:
            self.answers.add(len(self.records))
        (source, target), size = ends, payload + bool(flags & (SYN | FIN))
        seq = self.next.setdefault((source, target), 1000) - again
        ack = self.next.get((target, source), 0) if flags & ACK else 0
        tcp = struct.pack(
            ">HHIIBBHHH",
            *(source[1], target[1], seq, ack, (5 + len(options) // 4) << 4, flags),
            *(60000, 0, 0),
        )
        body = tcp + options + bytes(payload)
        ip = struct.pack(
            ">BBHHHBBHII",
            *(0x45, 0, 20 + len(body), len(self.records) & 0xFFFF, 0, 64, 6, 0),
            *(source[0], target[0]),
        )
        self.records.append((round(at_s * 1e6), bytes(12) + b"\x08\x00" + ip + body))
        self.next[source, target] = max(self.next[source, target], seq + size)

    def open(
        self,
        at_s: float,
        ends: Ends,
        options: tuple[bytes, bytes, bytes] = (b"", b"", b""),
    ) -> None:
        """A handshake of three packets, 10 ms apart."""
        back = (ends[1], ends[0])
        self.add(at_s, ends, SYN, options=options[0])
        self.add(at_s + 0.01, back, SYN | ACK, options=options[1])
        self.add(at_s + 0.02, ends, options=options[2])

    def write(
        self,
        path: Path,
        later_s: float = 0,
        lost: tuple[int, ...] = (),
        between_s: tuple[float, float] = (0, 1e9),
        snap: int = 65535,
        clock_s: float = 0,
    ) -> Path:
        """As a pcap; at another point, packets come later (their answers were there
        earlier), or never: `lost` names them by their numbers. Its clock is ahead by
        `clock_s`. Only those of its times `between_s` are captured."""
        out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, 1)]
        for number, (micros, frame) in enumerate(self.records):
            way_s = -later_s if number in self.answers else later_s
            at = micros + round((way_s + clock_s) * 1e6)
            if number in lost or not between_s[0] <= at / 1e6 < between_s[1]:
                continue
            kept = frame[:snap]
            out.append(struct.pack("<IIII", *divmod(at, 10**6), len(kept), len(frame)))
            out.append(kept)
        path.write_bytes(b"".join(out))
        return path


def opened_mptcp(wire: Wire, at_s: float, ends: Ends) -> tuple[int, int]:
    """A handshake of MPTCP; returns the numbers of the first byte each way."""
    both = capable(*KEYS)
    wire.open(at_s, ends, (option(0, bytes([1, 1])), capable(KEYS[1]), both))
    return digest(KEYS[0])[1] + 1, digest(KEYS[1])[1] + 1


def joined(wire: Wire, at_s: float, ends: Ends) -> None:
    """A further subflow; nobody checks the codes that authenticate it."""
    token = digest(KEYS[1])[0].to_bytes(4, "big")
    first = option(1, bytes([0, 2]), token, bytes(4))
    wire.open(
        at_s,
        ends,
        (first, option(1, bytes([0, 3]), bytes(12)), option(1, bytes(22))),
    )
    wire.add(at_s + 0.03, (ends[1], ends[0]))

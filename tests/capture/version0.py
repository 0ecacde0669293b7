"""A capture of MPTCP version 0 (RFC 6824), synthetic: upstream Linux never spoke it, so
there is no peer to capture (real ones are fetched by public.py).
`python -m tests.capture.version0` has tshark tell what it sees of it, which the suite
compares; needs tshark.

Two subflows, ten segments of 1000 bytes in turns, the fourth reinjected on the other;
numbers of 8 bytes, then of 4; ADD_ADDR, REMOVE_ADDR, MP_PRIO, DATA_FIN.
"""

import hashlib
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.capture.make import packed, tshark

TOLD = Path(__file__).parent / "version0.tsv.zst"
KEYS = (0x0123456789ABCDEF, 0xFEDCBA9876543210)
SYN, ACK, FIN = 2, 16, 1
SIZE, COUNT = 1000, 10
REINJECTED = 3
ENDS = ((0x0A000101, 40001), (0x0A000201, 40002))
SERVER = (0x0A090001, 5300)


def digest(key: int) -> tuple[int, int]:
    """Token and initial data sequence number (RFC 6824, 3.2): SHA-1."""
    whole = hashlib.sha1(key.to_bytes(8, "big")).digest()
    return int.from_bytes(whole[:4], "big"), int.from_bytes(whole[-8:], "big")


def capable(*keys: int) -> bytes:
    body = bytes([0x00, 0x01]) + b"".join(key.to_bytes(8, "big") for key in keys)
    return bytes([30, 2 + len(body)]) + body


def join(kind: int, body: bytes) -> bytes:
    return bytes([30, 4 + len(body), 0x10 | kind, 2]) + body


def dss(
    dsn: int | None, ssn: int, length: int, ack: int, wide: bool, fin: bool = False
) -> bytes:
    size, code = (8, ">Q") if wide else (4, ">I")
    most = (1 << 8 * size) - 1
    flags = 1 | (2 if wide else 0) | (16 if fin else 0)
    body = struct.pack(code, ack & most)
    if dsn is not None:
        flags |= 4 | (8 if wide else 0)
        body += struct.pack(code, dsn & most) + struct.pack(">IH", ssn, length)
    return bytes([30, 4 + len(body), 0x20, flags]) + body


class Writer:
    """Packets of 1 ms each; sequence numbers by subflow and direction."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.next: dict[tuple[int, bool], int] = {}

    def add(
        self, sub: int, forth: bool, flags: int, options: bytes, payload: int = 0
    ) -> None:
        options += b"\x01" * (-len(options) % 4)
        source, target = (ENDS[sub], SERVER) if forth else (SERVER, ENDS[sub])
        seq = self.next.setdefault((sub, forth), 1000)
        ack = self.next.get((sub, not forth), 0)
        tcp = struct.pack(
            ">HHIIBBHHH",
            *(source[1], target[1], seq, ack, (5 + len(options) // 4) << 4, flags),
            *(65535, 0, 0),
        )
        body = tcp + options + bytes(payload)
        ip = struct.pack(
            ">BBHHHBBHII",
            *(0x45, 0, 20 + len(body), len(self.records), 0, 64, 6, 0),
            *(source[0], target[0]),
        )
        frame = bytes(12) + b"\x08\x00" + ip + body
        at = len(self.records) * 1000
        self.records.append(struct.pack("<IIII", 1, at, len(frame), len(frame)) + frame)
        size = payload + bool(flags & SYN) + bool(flags & FIN)
        self.next[sub, forth] = seq + size

    def file(self) -> bytes:
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
        return head + b"".join(self.records)


def capture() -> bytes:
    writer = Writer()
    (_, first), (token, back) = digest(KEYS[0]), digest(KEYS[1])
    writer.add(0, True, SYN, capable(KEYS[0]))
    writer.add(0, False, SYN | ACK, capable(KEYS[1]))
    writer.add(0, True, ACK, capable(*KEYS))
    writer.add(0, False, ACK, bytes.fromhex("1e083405") + bytes([10, 9, 0, 2]))
    writer.add(1, True, SYN, join(0, token.to_bytes(4, "big") + bytes(4)))
    writer.add(1, False, SYN | ACK, join(0, bytes(12)))
    writer.add(1, True, ACK, join(0, bytes(20)))
    writer.add(1, False, ACK, dss(None, 0, 0, first + 1, True))
    for options, sub in _data(first + 1, back + 1):
        writer.add(sub, True, ACK | 8, options, SIZE)
    end = first + 1 + SIZE * COUNT
    writer.add(1, False, ACK, dss(None, 0, 0, end, True))
    writer.add(0, True, ACK, bytes.fromhex("1e045102") + b"\x1e\x04\x40\x02")
    writer.add(0, True, ACK, dss(end, 0, 1, back + 1, True, fin=True))
    writer.add(0, False, ACK, dss(None, 0, 0, end + 1, True))
    for sub in (0, 1):
        writer.add(sub, True, FIN | ACK, b"")
        writer.add(sub, False, FIN | ACK, b"")
        writer.add(sub, True, ACK, b"")
    return writer.file()


def _data(first: int, ack: int) -> Iterator[tuple[bytes, int]]:
    """The option of each segment with data, and its subflow."""
    sent = [0, 0]
    for number in (*range(COUNT), REINJECTED):
        again = number == REINJECTED and sent[0] + sent[1] == COUNT
        sub = 1 - number % 2 if again else number % 2
        wide = number < COUNT // 2
        yield dss(first + SIZE * number, 1 + SIZE * sent[sub], SIZE, ack, wide), sub
        sent[sub] += 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "version0.pcap"
        path.write_bytes(capture())
        packed(tshark(path), TOLD)

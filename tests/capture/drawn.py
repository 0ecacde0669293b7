"""Connections that are drawn: what the analyser makes of them, column by column.

Their ends do what no stack would do as often: mappings that come late, contradict
each other or have other lengths, segments that are half new, options that are cut,
handshakes without a part, ports that are used again. `drawn.txt` has a line per column
of each table: how many values are neither 0 nor -1, the sum of all, and a checksum. It
says what was found, not what is right, which the other tests say. After a change of
what is read, write it again, and see whether the columns that differ are those that
should:

    python -m tests.capture.drawn > tests/capture/drawn.txt
"""

import hashlib
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from analysis.capture.analyse import EVENTS, OF_CONNECTIONS, Settings, Tables, analyse

TABLE = Path(__file__).with_name("drawn.txt")
CONNECTIONS = 240
SEEDS = (1, 2)
"""Two captures each: with the second point, and without it."""
FIN, SYN, RST, PSH, ACK, URG, ECE = 1, 2, 4, 8, 16, 32, 64
WRAP32, WRAP64 = 2**32, 2**64
LOST, TWICE, WAY_MS = 0.04, 0.03, (3, 60)
"""Between the two capture points: shares of packets, and the time."""


def digest(key: int, version: int) -> tuple[int, int]:
    """Token and initial data sequence number (RFC 8684 and RFC 6824, 3.2)."""
    whole = (hashlib.sha256, hashlib.sha1)[version == 0](
        key.to_bytes(8, "big")
    ).digest()
    return int.from_bytes(whole[:4], "big"), int.from_bytes(whole[-8:], "big")


@dataclass
class Way:
    """One direction of a subflow: the next number, what was sent, what is acknowledged.

    sent : number, length and data sequence number of each segment
    """

    start: int
    next: int = 0
    acked: int = 0
    sent: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Sub:
    """A subflow: its ends, and both ways."""

    ends: tuple[tuple[int, int], tuple[int, int]]
    ways: tuple[Way, Way]
    stamps: bool
    six: bool
    first: bool


class Drawn:
    """A capture of connections that are open a few at a time.

    near, second, far : time in µs, captured bytes and length of each frame; a subflow's
        are in the first or the second file of a point, and a few in the other
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = 1_000_000
        self.port = 1024
        self.number = 0
        self.near: list[tuple[int, bytes, int]] = []
        self.second: list[tuple[int, bytes, int]] = []
        self.far: list[tuple[int, bytes, int]] = []

    def all(self) -> None:
        waiting = [self.connection(n) for n in range(CONNECTIONS)]
        opened: list[Iterator[None]] = []
        while waiting or opened:
            if waiting and len(opened) < 4:
                opened.append(waiting.pop())
            one = self.random.choice(opened)
            if next(one, 0) == 0:
                opened.remove(one)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def packet(
        self,
        sub: Sub,
        back: int,
        flags: int,
        options: bytes = b"",
        payload: int = 0,
        seq: int | None = None,
        window: int | None = None,
    ) -> None:
        """One frame at both points; `seq` counts from the way's start."""
        random, way, other = self.random, sub.ways[back], sub.ways[1 - back]
        steps = (5, 90, 3_000, 40_000, 250_000, 1_000_000, 1_500_000)
        self.now += random.choices(steps, (30, 30, 25, 10, 3, 1, 1))[0]
        if sub.stamps:
            stamp = struct.pack(">II", self.now // 1000 % WRAP32, other.acked)
            first = b"\x01\x01\x08\x0a" if self.chance(0.8) else b"\x08\x0a"
            options = first + stamp + options
        if self.chance(0.03):
            options += random.choice(
                (b"\x1e\x01", b"\x05\x02", b"\x08\x0b" + bytes(9), b"\x1e\x03\xf0")
            )
        options = options[:40]
        options += random.choice((b"\0", b"\x01")) * (-len(options) % 4)
        source, target = sub.ends[::-1] if back else sub.ends
        place = way.next if seq is None else seq
        number = (way.start + place) % WRAP32
        ack = (other.start + other.acked) % WRAP32 if flags & ACK else 0
        wide = window if window is not None else random.choice((501, 60000))
        tcp = struct.pack(
            ">HHIIBBHHH",
            *(source[1], target[1], number, ack, (5 + len(options) // 4) << 4, flags),
            *(wide, 0, 0),
        )
        body = tcp + options + bytes(payload)
        mark = random.choices((0, 2, 1, 3), (80, 10, 5, 5))[0]
        self.number += 1
        if sub.six:
            ip = struct.pack(">IHBB", 6 << 28 | mark << 20, len(body), 6, 64)
            ip += b"".join(
                bytes(7) + b"\xfd" + bytes(4) + struct.pack(">I", end[0])
                for end in (source, target)
            )
            kind = b"\x86\xdd"
        else:
            ip = struct.pack(
                ">BBHHHBBHII",
                *(0x45, mark, 20 + len(body), self.number & 0xFFFF, 0, 64, 6, 0),
                *(source[0], target[0]),
            )
            kind = b"\x08\x00"
        frame = bytes(12) + kind + ip + body
        whole = 14 + len(ip) + 20 + len(options)
        snap = whole - 4 * random.randrange(6) if self.chance(0.02) else whole
        one = sub.first ^ self.chance(0.02)
        file = self.near if one else self.second
        file.append((self.now, frame[:snap], len(frame)))
        for _ in range(1 + self.chance(TWICE) if not self.chance(LOST) else 0):
            at = self.now + 1000 * random.randint(*WAY_MS) * (1 if not back else -1)
            self.far.append((max(at, 0), frame[:snap], len(frame)))
        if seq is None:
            way.next += payload + bool(flags & (SYN | FIN))

    def ends(self, again: Sub | None = None) -> Sub:
        random = self.random
        if again is None or not self.chance(0.1):
            self.port += 1
            host = 0x0A000001 + random.randrange(3)
            server = random.choice((0x0A630001, 0x0A630001, 0x01020304))
            pair = ((host, self.port), (server, 443))
        else:
            pair = again.ends
        starts = [random.choice((1000, WRAP32 - 3000, 7 << 28)) for _ in range(2)]
        drawn = [self.chance(share) for share in (0.5, 0.2, 0.8)]
        return Sub(pair, (Way(starts[0]), Way(starts[1])), *drawn)

    def opening(self, sub: Sub, options: Sequence[bytes]) -> Iterator[None]:
        """A handshake; a part may be missing, come twice or be late."""
        shift = b"\x03\x03" + bytes([self.random.choice((0, 7, 15))])
        parts = (
            (0, SYN, shift + options[0]),
            (1, SYN | ACK, shift + options[1]),
            (0, ACK, options[2]),
        )
        payload = self.random.choice((0, 0, 300))
        for step, (back, flags, chosen) in enumerate(parts):
            if self.chance(0.06):
                sub.ways[back].next += bool(flags & SYN)
                continue
            for turn in range(1 + self.chance(0.1)):
                self.packet(
                    sub, back, flags, chosen, payload if step == 2 and turn == 0 else 0,
                    0 if turn and flags & SYN else None,
                )  # fmt: skip
                sub.ways[1 - back].acked = sub.ways[back].next
                yield

    def connection(self, number: int) -> Iterator[None]:
        random = self.random
        kind = random.choices(("tcp", "mptcp", "falls back"), (2, 8, 1))[0]
        version = 0 if self.chance(0.2) else 1
        keys = (2 * number + 1 << 40 | version, 2 * number + 2 << 40)
        pairs = [digest(key, version) for key in keys]
        subs = [self.ends()]
        one, two = (key.to_bytes(8, "big") for key in keys)
        if self.chance(0.04):
            two = bytes(8)
        head = bytes([version, random.choice((0x01, 0x81))])
        length = random.choice((b"", b"\x01\x2c", b"\x01\x2c\x00\x00"))

        def capable(rest: bytes) -> bytes:
            return bytes([30, 4 + len(rest)]) + head + rest

        first = capable(one if (version == 0) ^ self.chance(0.1) else b"")
        options = [first, capable(two), capable(one + two + length)]
        if kind == "tcp":
            options = [b"", b"", b""]
        elif kind == "falls back":
            options[random.choice((1, 2))] = b""
        if not self.chance(0.06):
            yield from self.opening(subs[0], options)
        mptcp = kind == "mptcp"
        dsn = [pair[1] + 1 for pair in pairs]
        acked = list(dsn)
        for _ in range(random.choice((15, 15, 40, 40, 40, 40, 150))):
            step = random.random()
            if mptcp and step < 0.06 and len(subs) < 4:
                sub = self.ends(subs[-1])
                if not self.chance(0.05):
                    subs.append(sub)
                token = pairs[1][0] ^ (self.chance(0.05))
                low = bytes([self.chance(0.3), random.randrange(9)])
                join = b"\x1e\x0c" + bytes([0x10 | low[0], low[1]])
                yield from self.opening(
                    sub,
                    (
                        join + struct.pack(">II", token, 7),
                        b"\x1e\x10" + bytes([0x10, random.randrange(9)]) + bytes(12),
                        b"\x1e\x18\x10\x00" + bytes(20),
                    ),
                )
                continue
            sub, back = random.choice(subs), int(self.chance(0.3))
            self.step(sub, back, random.choice(subs), dsn, acked, keys, mptcp)
            yield
        for sub in subs:
            last = FIN | ACK if self.chance(0.7) else RST | ACK
            for back in (0, 1):
                self.packet(sub, back, last, self.signal(keys, 8) if mptcp else b"")
                if self.chance(0.2):
                    self.packet(sub, back, last, seq=sub.ways[back].next - 1)
                yield

    def signal(self, keys: tuple[int, int], least: int = 0) -> bytes:
        """An option that is no DSS, or none."""
        random = self.random
        key = (keys[1] ^ self.chance(0.2)).to_bytes(8, "big")
        every = (
            b"\x1e\x08\x30\x05" + bytes([10, 9, 0, 2]),
            b"\x1e\x08\x31\x05" + bytes([10, 9, 0, 2]),
            b"\x1e\x10\x30\x06" + bytes([10, 9, 0, 3]) + bytes(8),
            b"\x1e\x04\x40\x05",
            b"\x1e\x04\x51\x02",
            b"\x1e\x03\x50",
            b"\x1e\x07\x30\x05\x01\x02\x03",
            b"\x1e\x0c\x60\x00" + key,
            b"\x1e\x0c\x70\x00" + key,
            b"\x1e\x04\x81\x03",
            b"",
        )
        return random.choice(every[least:])

    def step(
        self,
        sub: Sub,
        back: int,
        elsewhere: Sub,
        dsn: list[int],
        acked: list[int],
        keys: tuple[int, int],
        mptcp: bool,
    ) -> None:
        """One thing that an end does; `elsewhere` has the data that it may reinject."""
        random, way, other = self.random, sub.ways[back], sub.ways[1 - back]
        what = random.choices(
            ("new", "hole", "again", "elsewhere", "ack", "signal", "alive", "odd"),
            (40, 6, 12, 6, 40, 5, 2, 4),
        )[0]
        size = random.choice((1, 100, 700, 1400))
        if what in ("new", "hole"):
            if what == "hole":
                way.sent.append((way.next, size, dsn[back]))
                way.next += size
                dsn[back] += size
            count = random.choice((1, 1, 1, 3))
            mapped = mptcp and not self.chance(0.05)
            place, data = way.next, dsn[back]
            for n in range(count):
                option = b""
                if mapped and (n == 0 or self.chance(0.1)):
                    span = size * count + (self.chance(0.05) and 10)
                    option = self.dss(data, place, span, acked[1 - back])
                way.sent.append((way.next, size, dsn[back]))
                self.packet(sub, back, ACK | (PSH if n else 0), option, size)
                dsn[back] += size
        elif what == "elsewhere" and mptcp and (sent := elsewhere.ways[back].sent):
            _, length, data = random.choice(sent[-6:])
            option = self.dss(data, way.next, length, acked[1 - back])
            self.packet(sub, back, ACK, option, length)
        elif what in ("again", "elsewhere") and way.sent:
            place, length, data = random.choice(way.sent[-6:])
            cut = random.choice((0, 0, 0, length // 2))
            more = random.choice((0, 0, 0, 50)) if place + length == way.next else 0
            option = self.dss(data, place, length, acked[1 - back]) if mptcp else b""
            self.packet(sub, back, ACK, option, length - cut + more, place + cut)
            way.next, dsn[back] = way.next + more, dsn[back] + more
        elif what == "signal":
            self.packet(sub, back, ACK, self.signal(keys) if mptcp else b"")
        elif what == "alive":
            self.packet(sub, back, ACK, payload=random.choice((0, 1)), seq=way.next - 1)
        elif what == "odd":
            place = way.next + random.choice((-70_000, 5_000, 1 << 30))
            wrong = (dsn[back] ^ 1 << random.choice((3, 33, 60))) % WRAP64
            option = self.dss(wrong, way.next, size, acked[1 - back]) if mptcp else b""
            self.packet(sub, back, ACK | URG | ECE, option, size, place)
        else:
            self.acknowledge(sub, back, dsn, acked, mptcp)
        if other.acked > other.next:
            other.acked = other.next

    def acknowledge(
        self, sub: Sub, back: int, dsn: list[int], acked: list[int], mptcp: bool
    ) -> None:
        random, other = self.random, sub.ways[1 - back]
        edges = [place + length for place, length, _ in other.sent[-8:]]
        if edges and self.chance(0.7):
            other.acked = max(other.acked, random.choice(edges))
        option = b""
        if mptcp and self.chance(0.8):
            low, top = acked[1 - back], dsn[1 - back]
            acked[1 - back] = random.choice((low, top, (low + top) // 2))
            option = self.dss(None, 0, 0, acked[1 - back])
        if other.sent and self.chance(0.3):
            blocks = random.sample(other.sent[-8:], min(len(other.sent[-8:]), 2))
            numbers = [
                (other.start + place + extra) % WRAP32
                for place, length, _ in blocks
                for extra in (0, length)
            ]
            sack = struct.pack(f">{len(numbers)}I", *numbers)
            option = bytes([5, 2 + len(sack)]) + sack + option
        for _ in range(random.choice((1, 1, 1, 3))):
            window = 0 if self.chance(0.03) else 501
            self.packet(sub, back, ACK, option, window=window)

    def dss(self, dsn: int | None, place: int, length: int, ack: int) -> bytes:
        """Numbers of 8 or 4 bytes, with a checksum or without, the end or not."""
        flags, body = 16 if self.chance(0.02) else 0, b""
        if dsn is None or self.chance(0.7):
            wide = self.chance(0.4)
            flags |= 3 if wide else 1
            body = struct.pack(">Q", ack % WRAP64)[0 if wide else 4 :]
        if dsn is not None:
            wide = self.chance(0.5)
            flags |= 12 if wide else 4
            body += struct.pack(">Q", dsn % WRAP64)[0 if wide else 4 :]
            body += struct.pack(">IH", place % WRAP32, length)
            body += b"\xab\xcd" if self.chance(0.2) else b""
        return bytes([30, 4 + len(body), 0x20, flags]) + body


def written(path: Path, frames: Sequence[tuple[int, bytes, int]]) -> Path:
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for micros, kept, length in sorted(frames, key=lambda each: each[0]):
        out.append(struct.pack("<IIII", *divmod(micros, 10**6), len(kept), length))
        out.append(kept)
    path.write_bytes(b"".join(out))
    return path


def found() -> Iterator[str]:
    """A line per column, as TABLE has it."""
    for seed in SEEDS:
        drawn = Drawn(seed)
        drawn.all()
        with tempfile.TemporaryDirectory() as folder:
            near = written(Path(folder) / "near.pcap", drawn.near)
            more = written(Path(folder) / "more.pcap", drawn.second)
            far = written(Path(folder) / "far.pcap", drawn.far)
            settings = Settings(
                interval_s=0.5, pair_s=0.8, linger_s=20, events=tuple(EVENTS)
            )
            for second in ([], [far]):
                yield f"seed {seed}, {1 + len(second)} capture points"
                yield from _columns(analyse([near, more], second, settings))


def _columns(tables: Tables) -> Iterator[str]:
    for name in OF_CONNECTIONS:
        yield from _sums(name, getattr(tables, name))
    yield from _sums("series", tables.series)
    for kind, number in EVENTS.items():
        yield from _sums(
            f"events {kind}", tables.events[tables.events["kind"] == number]
        )


def _sums(name: str, rows: np.ndarray) -> Iterator[str]:
    yield f"{name}: {len(rows)} rows"
    for column in rows.dtype.names or ():
        values = np.ascontiguousarray(rows[column])
        count = np.count_nonzero((values != 0) & (values.view("i8") != -1))
        total = sum(values.tolist())
        yield f"{name} {column} {count} {total} {zlib.crc32(values.tobytes()):08x}"


if __name__ == "__main__":
    print(*found(), sep="\n")

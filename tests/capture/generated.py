"""Header-only captures of any size, generated: MPTCP over several subflows.

One connection, its handshake and joins real (keys, tokens), then data in turns over
the subflows, two data packets to an ACK, a retransmission and a reinjection now and
then. Every record has 106 bytes, so that millions a second can be written.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

RECORD_BYTES = 106
PAYLOAD = 1400
FRAME_BYTES = 90 + PAYLOAD
NEW = 17
"""New packets with data to a turn."""
ROUND = 27
"""Packets to a turn."""
RETRANSMITTED, REINJECTED = 8, 64
"""Of so many turns, one has a packet that is sent again, on its subflow or another."""
CHUNK_ROUNDS = 40_000
START_S = 1_767_225_600
PORT = 5201
KEYS = (0x0123456789ABCDEF, 0xFEDCBA9876543210)

Step = tuple[bool, int, int, int, bytes]
"""A packet of a handshake: whether the client sends it, its flags, sequence number,
acknowledgement and options."""

_RECORD = np.dtype(
    [
        ("seconds", "<u4"),
        ("nanos", "<u4"),
        ("captured", "<u4"),
        ("length", "<u4"),
        ("ethernet", "S14"),
        ("version", "u1"),
        ("tos", "u1"),
        ("total", ">u2"),
        ("id", ">u2"),
        ("fragment", ">u2"),
        ("ttl", "u1"),
        ("protocol", "u1"),
        ("checksum", ">u2"),
        ("source", ">u4"),
        ("target", ">u4"),
        ("sport", ">u2"),
        ("dport", ">u2"),
        ("seq", ">u4"),
        ("ack", ">u4"),
        ("offset", "u1"),
        ("flags", "u1"),
        ("window", ">u2"),
        ("sum", ">u2"),
        ("urgent", ">u2"),
        ("stamp_kind", ">u4"),
        ("stamp", ">u4"),
        ("echo", ">u4"),
        ("dss", ">u4"),
        ("data_ack", ">u4"),
        ("dsn", ">u8"),
        ("ssn", ">u4"),
        ("data_length", ">u2"),
        ("pad", ">u2"),
    ]
)
assert _RECORD.itemsize == RECORD_BYTES

ETHERNET = bytes.fromhex("020000000002020000000001") + b"\x08\x00"
HEAD = np.array([0xA1B23C4D, 0x00040002, 0, 0, 94, 1], "<u4").tobytes()


def digest(key: int) -> tuple[int, int]:
    """Token and initial data sequence number of a key (RFC 8684, 3.2)."""
    whole = hashlib.sha256(key.to_bytes(8, "big")).digest()
    return int.from_bytes(whole[:4], "big"), int.from_bytes(whole[-8:], "big")


class Generator:
    """subflows : 1 to 8; gap_ns : between packets"""

    def __init__(self, subflows: int = 4, gap_ns: int = 2000) -> None:
        self.subflows, self.gap_ns = subflows, gap_ns
        self.now_ns = START_S * 10**9
        self.rounds = 0
        self.token, _ = digest(KEYS[1])
        self.first_dsn = (digest(KEYS[0])[1], digest(KEYS[1])[1])

    def packets(self, count: int) -> Iterator[bytes]:
        """The file, in pieces; at least `count` packets."""
        opening = b"".join(self._opening())
        yield HEAD + opening
        left = -(-count // ROUND)
        while left > 0:
            yield self._rounds(min(left, CHUNK_ROUNDS)).tobytes()
            left -= CHUNK_ROUNDS

    def _opening(self) -> Iterator[bytes]:
        for index in range(self.subflows):
            steps = (self._capable if index == 0 else self._join)(index)
            for forward, flags, seq, ack, options in steps:
                yield self._packet(index, forward, flags, seq, ack, options)

    def _capable(self, index: int) -> list[Step]:
        one, two = (key.to_bytes(8, "big") for key in KEYS)
        return [
            (True, 2, 0, 0, b"\x1e\x04\x01\x01"),
            (False, 18, 0, 1, b"\x1e\x0c\x01\x01" + two),
            (True, 16, 1, 1, b"\x1e\x14\x01\x01" + one + two),
            (False, 16, 1, 1, b"\x1e\x08\x20\x01" + self._word(1)),
        ]

    def _word(self, side: int) -> bytes:
        return (self.first_dsn[1 - side] + 1 & 0xFFFFFFFF).to_bytes(4, "big")

    def _join(self, index: int) -> list[Step]:
        token = self.token.to_bytes(4, "big")
        return [
            (True, 2, 0, 0, b"\x1e\x0c\x10" + bytes([index]) + token + bytes(4)),
            (False, 18, 0, 1, b"\x1e\x10\x10\x00" + bytes(12)),
            (True, 16, 1, 1, b"\x1e\x18\x10\x00" + bytes(20)),
            (False, 16, 1, 1, b"\x1e\x08\x20\x01" + self._word(1)),
        ]

    def _packet(
        self, index: int, forward: bool, flags: int, seq: int, ack: int, options: bytes
    ) -> bytes:
        options += b"\x01" * (-len(options) % 4)
        record = np.zeros(1, _RECORD)
        self._ends(record, np.array([index]), np.array([forward]))
        record["seq"], record["ack"] = seq + 1000 * index, ack + 1000 * index
        record["flags"], record["window"] = flags, 65535
        record["offset"] = (5 + len(options) // 4) << 4
        record["total"] = 40 + len(options)
        record["captured"] = record["length"] = 54 + len(options)
        self._times(record)
        headers: bytes = record.tobytes()[: 16 + 54]
        return headers + options

    def _times(self, records: np.ndarray) -> None:
        times = self.now_ns + self.gap_ns * np.arange(len(records))
        records["seconds"], records["nanos"] = times // 10**9, times % 10**9
        self.now_ns += self.gap_ns * len(records)

    @staticmethod
    def _ends(records: np.ndarray, index: np.ndarray, forward: np.ndarray) -> None:
        client, server = 0x0A000001 + (index << 8), 0x0A630001
        records["ethernet"] = ETHERNET
        records["version"], records["ttl"], records["protocol"] = 0x45, 64, 6
        records["source"] = np.where(forward, client, server)
        records["target"] = np.where(forward, server, client)
        records["sport"] = np.where(forward, 40000 + index, PORT)
        records["dport"] = np.where(forward, PORT, 40000 + index)

    def _rounds(self, count: int) -> np.ndarray:
        """`count` turns of one subflow each: 17 packets with data, an ACK after each
        two, at the end one that is sent again (or, mostly, one more ACK)."""
        turn = np.repeat(np.arange(self.rounds, self.rounds + count), ROUND)
        self.rounds += count
        step = np.tile(np.arange(ROUND), count)
        again = (step == ROUND - 1) & (turn % RETRANSMITTED == 0)
        data = (step % 3 != 2) & (step < ROUND - 2) | again
        place = np.where(again, 13, step // 3 * 2 + np.minimum(step % 3, 1))
        begin = turn // self.subflows * NEW * PAYLOAD
        # The last new packet of some turns carries what the turn before has sent.
        twice = turn % REINJECTED == REINJECTED - 1
        before = turn * NEW - turn // REINJECTED
        late = twice & (place == NEW - 1) & data
        dsn = 1 + (before + place - late * np.minimum(NEW, before)) * PAYLOAD
        acked = np.where(step >= ROUND - 2, NEW, place + 1) * PAYLOAD
        data_acked = (
            before + np.where(step >= ROUND - 2, NEW - twice, place + 1)
        ) * PAYLOAD
        records = np.zeros(len(turn), _RECORD)
        index = turn % self.subflows
        self._ends(records, index, data)
        seq = 1 + begin + place * PAYLOAD
        records["seq"] = np.where(data, seq, 1) + 1000 * index & 0xFFFFFFFF
        records["ack"] = (
            np.where(data, 1, 1 + begin + acked) + 1000 * index & 0xFFFFFFFF
        )
        records["id"] = turn * ROUND + step & 0xFFFF
        records["offset"], records["flags"], records["window"] = 14 << 4, 16, 65535
        records["total"] = np.where(data, 76 + PAYLOAD, 76)
        records["captured"] = RECORD_BYTES - 16
        records["length"] = np.where(data, FRAME_BYTES, 90)
        records["stamp_kind"] = 0x0101080A
        records["stamp"] = records["echo"] = turn & 0xFFFFFFFF
        records["dss"] = np.where(data, 0x1E16200D, 0x1E082001)
        forth, back = self.first_dsn
        with np.errstate(over="ignore"):
            low = np.uint64(forth) + (1 + data_acked).astype(np.uint64)
            low = (low & np.uint64(0xFFFFFFFF)).astype(np.int64)
            numbers = np.uint64(forth) + dsn.astype(np.uint64)
        records["data_ack"] = np.where(data, back + 1 & 0xFFFFFFFF, low)
        records["dsn"] = np.where(data, numbers, np.uint64(0x0101010101010101))
        records["ssn"] = np.where(data, seq & 0xFFFFFFFF, 0x01010101)
        records["data_length"] = np.where(data, PAYLOAD, 0x0101)
        records["pad"] = 0x0101
        self._times(records)
        return records


def write(path: Path, packets: int, subflows: int = 4) -> int:
    """Write at least `packets` packets; returns the file's size in bytes."""
    with path.open("wb") as file:
        for piece in Generator(subflows).packets(packets):
            file.write(piece)
        return file.tell()


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), int(sys.argv[2])))

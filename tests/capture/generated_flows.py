"""Captures of many short TCP connections, generated.

Each has three packets: SYN, SYN-ACK and ACK, or SYN, SYN-ACK and RST. Several are open
at once. Every record has 70 bytes, so that millions are written in a second.
"""

import sys
from pathlib import Path

import numpy as np

OPEN = 100
"""Connections that are open at once."""
GAP_NS = 1000
START_S = 1_767_225_600
CHUNK = 100_000
_RECORD = np.dtype(
    [
        ("seconds", "<u4"),
        ("nanos", "<u4"),
        ("captured", "<u4"),
        ("length", "<u4"),
        ("ethernet", "V14"),
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
        ("sum", ">u4"),
    ]
)
RECORD_BYTES = _RECORD.itemsize
HEAD = np.array([0xA1B23C4D, 0x00040002, 0, 0, 54, 1], "<u4").tobytes()
ETHERNET = np.frombuffer(bytes(12) + b"\x08\x00", "V14")[0]


def records(first: int, count: int, closed: bool) -> np.ndarray:
    """The packets of connections `first` to `first + count - 1`, OPEN at a time."""
    turns = np.arange(first, first + count).reshape(-1, min(OPEN, count))
    flow = np.repeat(turns[:, None, :], 3, axis=1).reshape(-1)
    step = np.repeat(np.tile(np.arange(3), count // min(OPEN, count)), min(OPEN, count))
    out = np.zeros(len(flow), _RECORD)
    times = GAP_NS * (3 * first + np.arange(len(flow)))
    out["seconds"] = START_S + times // 10**9
    out["nanos"] = times % 10**9
    out["captured"] = out["length"] = RECORD_BYTES - 16
    out["ethernet"] = ETHERNET
    out["version"], out["ttl"], out["protocol"], out["total"] = 0x45, 64, 6, 40
    client, server = 0x0A000000 + flow // 50_000, 0x0A630001
    port = 10_000 + flow % 50_000
    back = step == 1
    out["source"] = np.where(back, server, client)
    out["target"] = np.where(back, client, server)
    out["sport"] = np.where(back, 443, port)
    out["dport"] = np.where(back, port, 443)
    out["seq"] = np.where(step == 0, 100, np.where(back, 500, 101))
    out["ack"] = np.where(step == 0, 0, np.where(back, 101, 501))
    last = 4 if closed else 16
    out["flags"] = np.where(step == 0, 2, np.where(back, 18, last))
    out["offset"], out["window"] = 0x50, 60_000
    return out


def write(path: Path, connections: int, closed: bool = False) -> int:
    """Write a capture; returns its packets.

    connections : a multiple of OPEN, or fewer
    closed : whether the third packet resets the connection
    """
    with path.open("wb") as file:
        file.write(HEAD)
        for first in range(0, connections, CHUNK):
            count = min(CHUNK, connections - first)
            file.write(records(first, count, closed).tobytes())
    return 3 * connections


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), int(sys.argv[2])))

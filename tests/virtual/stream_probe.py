"""A stream of numbered datagrams through a network, from inside the guest.

Run as the guest's command; writes `artefacts/probe.json`: for each datagram that
arrived, in the order of arrival, its number and its one-way delay. The job has the keys
`packets`, `rate_mbps` (0 to send all at one instant) and `payload_bytes`.
"""

import contextlib
import json
import socket
import struct
import time
from pathlib import Path

from mpbench.guest.main import build_network
from tests.virtual.records import record
from tools.cbr.programs.cbr import wait_until

from .probe import PORT, open_socket

HEADER = struct.Struct("!QQ")
TIMESTAMPS = 35
"""SO_TIMESTAMPNS, which Python does not name."""
SPACE = socket.CMSG_SPACE(16)
HEADER_BYTES = 42
"""Of Ethernet, IP and UDP."""


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    folder = Path("artefacts")
    topology, network = build_network(record(job), folder, contextlib.ExitStack())
    user = record(job).description.users[0]
    there = (topology.address(user.server), PORT)
    one = open_socket(network.nodes[user.host], (topology.address(user.host, 1), PORT))
    two = open_socket(network.nodes[user.server], there)
    two.setsockopt(socket.SOL_SOCKET, TIMESTAMPS, 1)
    Path("/proc/self/timerslack_ns").write_text("1")
    filling = bytes(job["payload_bytes"] - HEADER.size)
    frame_bytes = job["payload_bytes"] + HEADER_BYTES
    step_s = frame_bytes * 8 / (job["rate_mbps"] * 1e6) if job["rate_mbps"] else 0.0
    found: list[tuple[int, float]] = []
    begun = time.monotonic()
    two.setblocking(False)
    for number in range(job["packets"]):
        wait_until(begun + number * step_s)
        one.sendto(HEADER.pack(number, time.time_ns()) + filling, there)
        drain(two, found, filling)
    two.settimeout(3.0)
    drain(two, found, filling)
    (folder / "probe.json").write_text(json.dumps(found))
    return 0


def drain(two: socket.socket, found: list[tuple[int, float]], filling: bytes) -> None:
    """Read what has arrived: number and delay in ms. Bits must be as they were."""
    with contextlib.suppress(BlockingIOError, TimeoutError):
        while True:
            data, control, _, _ = two.recvmsg(2048, SPACE)
            seconds, nanoseconds = struct.unpack("qq", control[0][2][:16])
            number, sent_ns = HEADER.unpack(data[: HEADER.size])
            assert data[HEADER.size :] == filling
            delay_ms = (seconds * 10**9 + nanoseconds - sent_ns) / 1e6
            found.append((number, delay_ms))

"""Measures a network from inside the guest; standard library and Mininet only.

Run as the guest's command; writes `artefacts/probe.json`.
"""

import contextlib
import json
import socket
import time
from pathlib import Path
from typing import Any

from mpbench.guest.main import build_network
from mpbench.guest.network import LabNode
from tests.virtual.records import record

PORT = 7000
PAYLOAD_BYTES = 1472
"""Of a UDP datagram that fills a packet of 1500 bytes."""
FORCED_BUFFERS = (32, 33)
"""SO_SNDBUFFORCE and SO_RCVBUFFORCE, which Python does not name."""
QUIET_S = 3.0


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    folder = Path("artefacts")
    topology, network = build_network(record(job), folder, contextlib.ExitStack())
    found: dict[str, Any] = {}
    description = record(job).description
    targets = {user.host: user.server for user in description.users}
    if description.mesh:
        targets = {entry["from"]: entry["to"] for entry in job["traffic"]}
    for host, target in targets.items():
        user = description.user(host)
        client, server = (network.nodes[name] for name in (host, target))
        there = (topology.address(target), PORT)
        for path in range(1, len(user.paths) + 1):
            here = (topology.address(user.host, path), PORT)
            one, two = open_socket(client, here), open_socket(server, there)
            round_trip_ms(one, two, there)  # the very first packet may take longer
            found[f"{user.host}.path{path}"] = {
                "rtt_ms": round_trip_ms(one, two, there),
                "forward": burst(one, two, there, job["burst"]),
                "backward": burst(two, one, here, job["burst"]),
            }
            one.close()
            two.close()
    (folder / "probe.json").write_text(json.dumps(found))
    return 0


def open_socket(node: LabNode, address: tuple[str, int]) -> socket.socket:
    with node.namespace.entered():
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for option in FORCED_BUFFERS:
        opened.setsockopt(socket.SOL_SOCKET, option, 1 << 26)
    opened.bind(address)
    opened.settimeout(QUIET_S)
    return opened


def round_trip_ms(
    one: socket.socket, two: socket.socket, there: tuple[str, int]
) -> float:
    """Of a packet of a few bytes."""
    begin_s = time.monotonic()
    one.sendto(b"ping", there)
    _, sender = two.recvfrom(PAYLOAD_BYTES)
    two.sendto(b"pong", sender)
    one.recv(PAYLOAD_BYTES)
    return (time.monotonic() - begin_s) * 1e3


def burst(
    one: socket.socket, two: socket.socket, there: tuple[str, int], packets: int
) -> dict[str, Any]:
    """Full packets sent at one instant: how many arrive, and over what time."""
    for _ in range(packets):
        one.sendto(bytes(PAYLOAD_BYTES), there)
    times_s: list[float] = []
    with contextlib.suppress(TimeoutError):
        while True:
            two.recv(PAYLOAD_BYTES)
            times_s.append(time.monotonic())
    return {"arrived": len(times_s), "took_ms": (times_s[-1] - times_s[0]) * 1e3}

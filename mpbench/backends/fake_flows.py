"""How much the fake backend's traffic delivers: a formula, no model of TCP."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpbench.backends.base import Job
from topologies.shaping import FRAME_BYTES, Shape, path_shape

TCP_PAYLOAD_BYTES = 1448
MPTCP_PAYLOAD_BYTES = 1428
UTILISATION = (0.93, 0.97)


@dataclass(frozen=True)
class Flow:
    """What one traffic entry did in the time that it ran.

    bytes : of payload, received
    path_bytes : of payload, by path (1-based); the sum is `bytes`
    """

    begin_s: float
    seconds: float
    bytes: int
    path_bytes: Mapping[int, int]
    payload_bytes: int
    retransmits: int


def path_shapes(parameters: Mapping[str, Any]) -> dict[int, Shape]:
    """The shape of every path that the parameters speak of."""
    found = (re.match(r"path(\d+)\.", key) for key in parameters)
    paths = sorted({int(match[1]) for match in found if match})
    return {path: path_shape(parameters, path) for path in paths}


def flow(job: Job, index: int, shapes: Mapping[int, Shape]) -> Flow:
    """Every path that the transport uses is filled to 93-97 %, less under loss."""
    entry, transport = job["traffic"][index], job["transport"]
    is_mptcp = transport["protocol"] == "mptcp"
    used = list(shapes) if is_mptcp else [transport.get("path") or 1]
    payload = MPTCP_PAYLOAD_BYTES if is_mptcp else TCP_PAYLOAD_BYTES
    rates = {
        path: _rate_mbps(shapes[path]) * _utilisation(job, index, path) for path in used
    }
    # The more alike the paths, the more of their sum does MPTCP get.
    spread = (max(rates.values()) - min(rates.values())) / max(rates.values())
    share = (1 - 0.2 * spread) * payload / FRAME_BYTES / len(job["traffic"])
    total_bps = share * 1e6 * sum(rates.values())
    seconds = entry.get("duration_s")
    if seconds is None:
        amount = entry["bytes"] * (entry.get("requests") or 1)
        seconds = amount * 8 / total_bps
    path_bytes = {
        path: int(share * 1e6 * rate * seconds / 8) for path, rate in rates.items()
    }
    return Flow(
        begin_s=float(entry.get("start_s") or 0.0),
        seconds=float(seconds),
        bytes=sum(path_bytes.values()),
        path_bytes=path_bytes,
        payload_bytes=payload,
        retransmits=sum(path_bytes.values()) // payload // 500,
    )


def virtual_s(flows: Sequence[Flow]) -> float:
    """When the last flow ends, seconds since the first could begin."""
    return max((each.begin_s + each.seconds for each in flows), default=0.0)


def packets(flows: Sequence[Flow], path: int) -> int:
    """Full packets that carried payload over a path."""
    return sum(
        math.ceil(each.path_bytes.get(path, 0) / each.payload_bytes) for each in flows
    )


def _rate_mbps(shape: Shape) -> float:
    """Capacity, or what the Mathis formula leaves of it under random loss."""
    if not shape.loss_percent:
        return shape.capacity_mbps
    rtt_s = max(2 * shape.delay_ms, 1.0) / 1e3
    root = math.sqrt(2 * shape.loss_percent / 100 / 3)
    return min(shape.capacity_mbps, 8e-6 * TCP_PAYLOAD_BYTES / (rtt_s * root))


def _utilisation(job: Job, index: int, path: int) -> float:
    noise = hashlib.sha256(f"{job['seed']}/{index}/{path}".encode()).digest()
    low, high = UTILISATION
    return low + (high - low) * int.from_bytes(noise[:4]) / 2**32

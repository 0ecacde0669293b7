"""`job.json`: what was asked of a run."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.readers.files import read_object

FORMAT = 1
FRAME_BYTES = 1514
"""A full packet as tc counts it: 1500 bytes of IP and an Ethernet header."""
MTU_BYTES = 1500
LEAST_QUEUE_PACKETS = 10
_PATH = re.compile(r"path(\d+)\.capacity_mbps")


@dataclass(frozen=True)
class PathAsked:
    """What one path was to be, the same in either direction.

    delay_ms : one way; queue_packets : of full packets; loss_percent : 0-100
    """

    number: int
    capacity_mbps: float
    delay_ms: float
    queue_packets: int
    loss_percent: float
    jitter_ms: float


@dataclass(frozen=True)
class Transport:
    """path : the one that a single-path TCP takes, 1-based; None otherwise
    same_pair : how many subflows a connection opens over its first address pair, and
        over no other; None where it opens one on every path
    """

    protocol: str
    congestion_control: str | None
    scheduler: str | None
    path: int | None
    same_pair: int | None = None


@dataclass(frozen=True)
class Traffic:
    """One traffic entry; duration_s or bytes is None.

    forward : whether its data go the way from client to server
    receiver, sender : "client" or "server", the ends of the tool
    """

    tool: str
    duration_s: float | None
    bytes: int | None
    parallel: int
    interval_s: float
    forward: bool
    receiver: str

    @property
    def sender(self) -> str:
        return "client" if self.receiver == "server" else "server"


@dataclass(frozen=True)
class Asked:
    """A job. parameters : as the job has them, canonical keys."""

    parameters: Mapping[str, Any]
    paths: tuple[PathAsked, ...]
    transport: Transport
    traffic: tuple[Traffic, ...]

    @property
    def subflows(self) -> int:
        """How many subflows a connection is to have."""
        return self.transport.same_pair or len(self.used_paths)

    @property
    def used_paths(self) -> tuple[PathAsked, ...]:
        """The paths that the transport is to use."""
        if self.transport.protocol == "mptcp" and self.transport.same_pair is None:
            return self.paths
        only = self.transport.path or 1
        return tuple(path for path in self.paths if path.number == only)


def read(path: Path) -> Asked:
    """Raises ValueError if the file is missing, damaged or of another format."""
    return parse(read_object(path), path.name)


def parse(job: Mapping[str, Any], name: str) -> Asked:
    if job.get("format") != FORMAT:
        found = job.get("format")
        raise ValueError(f"{name}: format {found!r}; this reader knows {FORMAT}")
    try:
        parameters = job["parameters"]
        numbers = sorted(int(m[1]) for m in map(_PATH.fullmatch, parameters) if m)
        transport = job["transport"]
        return Asked(
            parameters=dict(parameters),
            paths=tuple(_path(parameters, number) for number in numbers),
            transport=Transport(
                protocol=transport["protocol"],
                congestion_control=transport.get("congestion_control"),
                scheduler=transport.get("scheduler"),
                path=transport.get("path"),
                same_pair=_same_pair(transport),
            ),
            traffic=tuple(_traffic(entry) for entry in job["traffic"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a job ({what})") from error


def _same_pair(transport: Mapping[str, Any]) -> int | None:
    if transport.get("path_manager") != "ndiffports":
        return None
    return int(transport["sysctls"]["net.mptcp.ndiffports"])


def queue_packets(queueing_delay_ms: float, capacity_mbps: float) -> int:
    """Queue that drains in `queueing_delay_ms`: thesis eq. 3.2, at least 10 packets.

    The thesis leaves the rounding open; a part of a packet is dropped.
    """
    packets = 1e3 * queueing_delay_ms * capacity_mbps / (8 * MTU_BYTES)
    return max(LEAST_QUEUE_PACKETS, math.floor(packets))


def _path(parameters: Mapping[str, Any], number: int) -> PathAsked:
    def value(key: str) -> float:
        return float(parameters.get(f"path{number}.{key}") or 0.0)

    capacity_mbps = value("capacity_mbps")
    packets = parameters.get(f"path{number}.queue_packets")
    return PathAsked(
        number=number,
        capacity_mbps=capacity_mbps,
        delay_ms=value("delay_ms"),
        queue_packets=int(packets)
        if packets
        else queue_packets(value("queueing_delay_ms"), capacity_mbps),
        loss_percent=value("loss_percent"),
        jitter_ms=value("jitter_ms"),
    )


def _traffic(entry: Mapping[str, Any]) -> Traffic:
    reverse = bool(entry.get("reverse"))
    duration_s, count = entry.get("duration_s"), entry.get("bytes")
    return Traffic(
        tool=entry["tool"],
        duration_s=None if duration_s is None else float(duration_s),
        bytes=None if count is None else int(count),
        parallel=int(entry.get("parallel") or 1),
        interval_s=float(entry.get("interval_s") or 1.0),
        forward=(entry.get("from", "client") == "client") != reverse,
        receiver="client" if reverse else "server",
    )

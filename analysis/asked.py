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
_CAPACITY = ".capacity_mbps"
_DELAY = ".delay_ms"


@dataclass(frozen=True)
class LinkAsked:
    """What one link was to be, the same in either direction.

    name : `path1`, `link1`, `bottleneck`
    capacity_mbps : None for a link that only delays
    delay_ms : one way; queue_packets : of full packets; loss_percent : 0-100
    """

    name: str
    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int
    loss_percent: float
    jitter_ms: float

    @property
    def label(self) -> str:
        """As people read it: `path 1`, `bottleneck`."""
        return label(self.name)


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
    """One traffic entry.

    name : what the table calls it; None where there is one entry without a name
    source, destination : hosts
    transport : its own, or the case's
    duration_s, bytes : what limits it, the other one None; of curl and ab, bytes is
        the size of the file
    forward : whether its data go from source to destination
    receiver, sender : "client" or "server", the ends of the tool
    parallel : connections at a time
    requests : of ab, None if its time is limited
    keep_alive : whether ab's requests share connections
    timeout_s : of curl, when it breaks off; None for never
    """

    name: str | None
    tool: str
    source: str
    destination: str
    transport: Transport
    duration_s: float | None
    bytes: int | None
    parallel: int
    start_s: float
    interval_s: float
    forward: bool
    receiver: str
    requests: int | None = None
    keep_alive: bool = False
    timeout_s: float | None = None

    @property
    def sender(self) -> str:
        return "client" if self.receiver == "server" else "server"

    @property
    def sending_host(self) -> str:
        return self.source if self.forward else self.destination


@dataclass(frozen=True)
class Asked:
    """A job.

    parameters : as the job has them, canonical keys
    links : all of them, bottlenecks first
    transport : of the case
    phases : name to start and end, in seconds after the beginning of the traffic
    """

    parameters: Mapping[str, Any]
    links: tuple[LinkAsked, ...]
    transport: Transport
    traffic: tuple[Traffic, ...]
    phases: Mapping[str, tuple[float, float]]
    trace_s: float | None

    @property
    def hosts(self) -> tuple[str, ...]:
        """Of the traffic, those that open connections first."""
        ends = [entry.source for entry in self.traffic]
        return tuple(dict.fromkeys(ends + [e.destination for e in self.traffic]))

    @property
    def openers(self) -> dict[str, Transport]:
        """The hosts that open connections, and the transport of each."""
        return {entry.source: entry.transport for entry in self.traffic}


def label(name: str) -> str:
    return re.sub(r"^path(\d+)$", r"path \1", name)


def read(path: Path) -> Asked:
    """Raises ValueError if the file is missing, damaged or of another format."""
    return parse(read_object(path), path.name)


def parse(job: Mapping[str, Any], name: str) -> Asked:
    if job.get("format") != FORMAT:
        found = job.get("format")
        raise ValueError(f"{name}: format {found!r}; this reader knows {FORMAT}")
    try:
        parameters = job["parameters"]
        transport = _transport(job["transport"])
        report = job.get("report") or {}
        names = report.get("names") or [None] * len(job["traffic"])
        return Asked(
            parameters=dict(parameters),
            links=tuple(_link(parameters, name) for name in _names(parameters)),
            transport=transport,
            traffic=tuple(
                _traffic(entry, name, transport)
                for entry, name in zip(job["traffic"], names, strict=True)
            ),
            phases={
                name: (float(start), float(end))
                for name, (start, end) in (report.get("phases") or {}).items()
            },
            trace_s=job.get("trace_s"),
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


def packet_time_ms(capacity_mbps: float) -> float:
    """How long a full packet takes on a link."""
    return FRAME_BYTES * 8 / capacity_mbps / 1e3


def _names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Links with a capacity, by number; then those that only delay."""
    found = [
        [key.removesuffix(end) for key in parameters if key.endswith(end)]
        for end in (_CAPACITY, _DELAY)
    ]
    return tuple(dict.fromkeys(sorted(found[0]) + found[1]))


def _link(parameters: Mapping[str, Any], name: str) -> LinkAsked:
    def value(key: str) -> float:
        return float(parameters.get(f"{name}.{key}") or 0.0)

    if f"{name}{_CAPACITY}" not in parameters:
        return LinkAsked(name, None, value("delay_ms"), 0, 0.0, 0.0)
    capacity_mbps = value("capacity_mbps")
    packets = parameters.get(f"{name}.queue_packets")
    jitter_ms = parameters.get(f"{name}.jitter_ms", 0.0)
    return LinkAsked(
        name=name,
        capacity_mbps=capacity_mbps,
        delay_ms=value("delay_ms"),
        queue_packets=int(packets)
        if packets
        else queue_packets(value("queueing_delay_ms"), capacity_mbps),
        loss_percent=value("loss_percent"),
        jitter_ms=packet_time_ms(capacity_mbps)
        if jitter_ms is None
        else float(jitter_ms),
    )


def _transport(found: Mapping[str, Any]) -> Transport:
    return Transport(
        protocol=found["protocol"],
        congestion_control=found.get("congestion_control"),
        scheduler=found.get("scheduler"),
        path=found.get("path"),
        same_pair=_same_pair(found),
    )


def _traffic(entry: Mapping[str, Any], name: str | None, case: Transport) -> Traffic:
    reverse = bool(entry.get("reverse"))
    duration_s, count = entry.get("duration_s"), entry.get("bytes")
    own = entry.get("transport")
    return Traffic(
        name=name,
        tool=entry["tool"],
        source=entry.get("from", "client"),
        destination=entry.get("to", "server"),
        transport=_transport(own) if own else case,
        duration_s=None if duration_s is None else float(duration_s),
        bytes=None if count is None else int(count),
        parallel=int(entry.get("parallel") or entry.get("concurrency") or 1),
        start_s=float(entry.get("start_s") or 0.0),
        interval_s=float(entry.get("interval_s") or 1.0),
        forward=not reverse,
        receiver="client" if reverse else "server",
        requests=entry.get("requests"),
        keep_alive=bool(entry.get("keep_alive")),
        timeout_s=entry.get("timeout_s"),
    )

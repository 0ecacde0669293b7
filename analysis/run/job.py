"""`job.json`: the network, transports and traffic that a run was to have."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object

FORMAT = 2
FRAME_BYTES = 1514
"""A full packet as tc counts it: 1500 bytes of IP and an Ethernet header."""


@dataclass(frozen=True)
class LinkSettings:
    """What one link was to be, the same in both directions.

    name : `path1`, `link1`, `bottleneck`
    capacity_mbps : None for a link that only delays
    delay_ms : one way
    queue_packets : full packets that fit into the queue
    loss_percent : 0 to 100
    jitter_ms : the delay varies uniformly by plus or minus this much
    """

    name: str
    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int
    loss_percent: float
    jitter_ms: float

    @property
    def label(self) -> str:
        """The name in running text: `path 1`, `bottleneck`."""
        return label(self.name)


@dataclass(frozen=True)
class Transport:
    """The protocol and its settings on one host.

    path : the path of a single-path TCP, counted from 1; None otherwise
    same_pair : number of subflows that a connection opens over its first address
        pair, where it uses no other pair; None where it opens one on every path
    """

    protocol: str
    congestion_control: str | None
    scheduler: str | None
    path: int | None
    same_pair: int | None = None


@dataclass(frozen=True)
class Traffic:
    """One traffic entry.

    name : the entry's name in the table of runs; None for a single entry without one
    source, destination : hosts
    transport : the entry's own transport, or else that of the case
    duration_s, bytes : the limit of the transfer; the other of the two is None. For
        curl and ab, `bytes` is the size of the file
    forward : whether the data go from source to destination
    receiver, sender : "client" or "server", the tool's ends
    parallel : number of simultaneous connections
    requests : number of ab's requests; None if ab's time is limited instead
    keep_alive : whether ab's requests share connections
    timeout_s : when curl gives up; None for never
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
class Job:
    """What one run was to do.

    parameters : the topology's parameters by canonical key
    links : every link as the plan resolved it, bottlenecks first
    transport : the transport of the case
    phases : start and end by name, in seconds after the beginning of the traffic
    """

    parameters: Mapping[str, Any]
    links: tuple[LinkSettings, ...]
    transport: Transport
    traffic: tuple[Traffic, ...]
    phases: Mapping[str, tuple[float, float]]
    trace_s: float | None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the traffic; those that open connections come first."""
        ends = [entry.source for entry in self.traffic]
        return tuple(dict.fromkeys(ends + [e.destination for e in self.traffic]))

    @property
    def initiators(self) -> dict[str, Transport]:
        """The hosts that open connections, and the transport of each."""
        return {entry.source: entry.transport for entry in self.traffic}


def label(name: str) -> str:
    return re.sub(r"^path(\d+)$", r"path \1", name)


def read_job(path: Path) -> Job:
    """Raises ValueError if the file is missing, damaged or of another format."""
    return parse_job(read_object(path), path.name)


def parse_job(job: Mapping[str, Any], name: str) -> Job:
    """The job in a JSON object; `name` is the file's name in error messages."""
    if job.get("format") != FORMAT:
        found = job.get("format")
        raise ValueError(
            f"{name}: format {found!r}; this version reads format {FORMAT}, and"
            " `mpbench run` executes older runs again"
        )
    try:
        transport = _transport(job["transport"])
        report = job.get("report") or {}
        names = report.get("names") or [None] * len(job["traffic"])
        return Job(
            parameters=dict(job["parameters"]),
            links=tuple(_link(link) for link in job["links"]),
            transport=transport,
            traffic=tuple(
                _traffic(entry, entry_name, transport)
                for entry, entry_name in zip(job["traffic"], names, strict=True)
            ),
            phases={
                phase: (float(start), float(end))
                for phase, (start, end) in (report.get("phases") or {}).items()
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


def _link(link: Mapping[str, Any]) -> LinkSettings:
    capacity_mbps = link["capacity_mbps"]
    return LinkSettings(
        name=str(link["name"]),
        capacity_mbps=None if capacity_mbps is None else float(capacity_mbps),
        delay_ms=float(link["delay_ms"]),
        queue_packets=int(link["queue_packets"]),
        loss_percent=float(link["loss_percent"]),
        jitter_ms=float(link["jitter_ms"]),
    )


def _transport(transport: Mapping[str, Any]) -> Transport:
    return Transport(
        protocol=transport["protocol"],
        congestion_control=transport.get("congestion_control"),
        scheduler=transport.get("scheduler"),
        path=transport.get("path"),
        same_pair=_same_pair(transport),
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

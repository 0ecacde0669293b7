"""Reader of `job.json`: the network, transports and traffic that a run was to have."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object
from jobs import reading
from jobs.changes import Series
from jobs.expect import Expect
from tools import ALL, part

FORMAT = 2
FRAME_BYTES = 1514
"""Size of a full packet for tc: 1500 bytes of IP and an Ethernet header."""


@dataclass(frozen=True)
class LinkSettings:
    """The settings of one link in one direction, and perhaps of the other direction.

    name : such as `path1`, `link1` or `bottleneck`
    capacity_mbps : rate of the link layer, 10^6 bit/s; None for a link that only delays
    delay_ms : one-way propagation delay
    queue_packets : number of full packets that fit into the queue
    loss_percent : random loss, 0-100
    jitter_ms : the delay varies uniformly by plus or minus this much
    discipline : the queue discipline with its options; None for drop tail
    impairments : what else happens to packets; None for nothing
    down : the direction towards users; None if it has the same settings
    """

    name: str
    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int
    loss_percent: float
    jitter_ms: float
    discipline: Mapping[str, Any] | None = None
    impairments: Mapping[str, Any] | None = None
    down: "LinkSettings | None" = None

    def direction(self, forward: bool) -> "LinkSettings":
        """The settings of the direction from users, or of the one towards them."""
        return self if forward or self.down is None else self.down

    @property
    def label(self) -> str:
        """The link's name in running text: `path 1`, `bottleneck`."""
        return label(self.name)


@dataclass(frozen=True)
class Transport:
    """The protocol and its settings on one host.

    protocol : "mptcp" or "tcp"
    path : number of the path that TCP uses, from 1; None for MPTCP
    same_pair : number of subflows that an MPTCP connection opens between its first
        pair of addresses, if it uses no other pair; None if it opens one per path
    backup : numbers of the paths, from 1, that MPTCP uses only when no other works;
        None for those that the network names
    timestamps : whether TCP's segments have timestamps, which take 12 bytes
    """

    protocol: str
    congestion_control: str | None
    scheduler: str | None
    path: int | None
    same_pair: int | None = None
    backup: tuple[int, ...] | None = None
    timestamps: bool = True


@dataclass(frozen=True)
class Traffic:
    """One traffic entry.

    name : the entry's name in the table of runs; None for a single entry without one
    tool : name of the traffic tool
    source : the host of the tool's client, which opens the connections
    destination : the host of the tool's server
    transport : the transport of the entry, or of the case if the entry has none
    duration_s, bytes : the limit of the transfer; one of them is None. For curl and
        ab, `bytes` is the size of the file
    parallel : number of simultaneous connections
    start_s : when the client starts, seconds after the beginning of the traffic
    interval_s : length of iperf3's intervals
    forward : True if the data flow from source to destination
    receiver : the tool's end that receives the data, "client" or "server"
    requests : number of ab's requests; None if ab's duration is limited instead
    keep_alive : True if ab's requests share connections
    timeout_s : when curl gives up, or when a flow is given up, in seconds after its
        start; None for never
    flows : number of connections of the tool `flows`; None for other tools
    flow_bytes : the sum of their sizes; None if they have no size, and for other tools
    pairs : (source, destination) of all pairs of hosts, if there are several
    paths : of shortest paths, the numbers that some connection takes
    datagrams : True if the tool sends datagrams, and not over a connection
    background : True if the entry stays out of goodput, fairness and completion
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
    flows: int | None = None
    flow_bytes: int | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    paths: frozenset[int] = frozenset()
    datagrams: bool = False
    background: bool = False

    @property
    def all_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs (source, destination) between which the traffic flows."""
        return self.pairs or ((self.source, self.destination),)

    @property
    def sources(self) -> tuple[str, ...]:
        """The hosts that open connections."""
        return tuple(dict.fromkeys(source for source, _ in self.all_pairs))

    @property
    def destinations(self) -> tuple[str, ...]:
        """The hosts that accept connections."""
        return tuple(dict.fromkeys(end for _, end in self.all_pairs))

    @property
    def by_host(self) -> tuple["Traffic", ...]:
        """The entry as each of its hosts has it that opens connections."""
        if not self.pairs:
            return (self,)
        first: dict[str, str] = {}
        for here, there in self.pairs:
            first.setdefault(here, there)
        return tuple(
            replace(self, source=here, destination=there, pairs=())
            for here, there in first.items()
        )

    @property
    def sending_hosts(self) -> tuple[str, ...]:
        """The hosts that send the data."""
        return self.sources if self.forward else self.destinations

    @property
    def title(self) -> str:
        """The name of it in figures."""
        ends = f"{self.source} to {self.destination}"
        return self.name or (f"{len(self.pairs)} pairs" if self.pairs else ends)

    @property
    def bulk(self) -> bool:
        """Whether its connections are to use all their paths: they send as fast as
        they can until they are told to end, or iperf3's bytes."""
        endless_flows = self.flows is not None and self.flow_bytes is None
        return endless_flows or bool(getattr(part(self.tool, "results"), "BULK", False))

    @property
    def sender(self) -> str:
        """The tool's end that sends the data, "client" or "server"."""
        return "client" if self.receiver == "server" else "server"

    @property
    def sending_host(self) -> str:
        """The host that sends the data, of the first pair."""
        return self.source if self.forward else self.destination


@dataclass(frozen=True)
class Job:
    """The task of one run.

    parameters : value of each of the topology's parameters by canonical key
    links : every link as the plan resolved it, bottlenecks first
    transport : the transport of the case
    traffic : the traffic entries, at least one
    phases : phase name to (start, end), seconds after the beginning of the traffic
    trace_s : interval between the samples of the trace; None for no trace
    changes : the changes of links during the run
    backups : by host, the numbers of the paths that the network keeps as backups
    queues : how the queues of links were recorded: `every_s` or `at_s`; None if not
    burst_packets : the bucket of each link on the fabric, in full packets
    paths : by host that opens connections, the links of each of its paths; empty for
        networks that are built in
    own_network : whether the experiment file describes the network
    time_limit_s : virtual time after which the guest ends the traffic
    expect : what each traffic entry is to come to; empty if none says so
    """

    parameters: Mapping[str, Any]
    links: tuple[LinkSettings, ...]
    transport: Transport
    traffic: tuple[Traffic, ...]
    phases: Mapping[str, tuple[float, float]]
    trace_s: float | None
    changes: tuple[Series, ...] = ()
    backups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    queues: Mapping[str, Any] | None = None
    burst_packets: int = 0
    paths: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    own_network: bool = False
    time_limit_s: float = 0.0
    expect: tuple[Expect | None, ...] = ()

    def is_backup(self, entry: Traffic, path: int) -> bool:
        """Whether a path of an entry's host is one that MPTCP keeps as a backup."""
        own = entry.transport.backup
        kept = self.backups.get(entry.source, ()) if own is None else own
        return entry.transport.protocol == "mptcp" and path in kept

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts of the traffic. Those that open connections come first."""
        ends = [host for entry in self.traffic for host in entry.sources]
        ends += [host for entry in self.traffic for host in entry.destinations]
        return tuple(dict.fromkeys(ends))

    @property
    def initiators(self) -> dict[str, Transport]:
        """The hosts that open connections, and the transport of each; the MPTCP of one
        that has TCP too."""
        found: dict[str, Transport] = {}
        for entry in self.traffic:
            for host in entry.sources:
                known = found.get(host)
                if known is None or known.protocol != "mptcp":
                    found[host] = entry.transport
        return found


def label(name: str) -> str:
    """A link's name in running text: `path 1` for `path1`."""
    return re.sub(r"^path(\d+)$", r"path \1", name)


def read_job(path: Path) -> Job:
    """Read a job. Raises ValueError if the file is missing, damaged or has another
    format."""
    return parse_job(read_object(path), path.name)


def parse_job(job: Mapping[str, Any], name: str) -> Job:
    """The job in a JSON object; `name` is the file's name in error messages."""
    if job.get("format") != FORMAT:
        number = job.get("format")
        raise ValueError(
            f"{name}: format {number!r}; this version reads format {FORMAT}, and"
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
                replace(
                    _traffic(entry, entry_name, transport),
                    background=number in (report.get("background") or ()),
                )
                for number, (entry, entry_name) in enumerate(
                    zip(job["traffic"], names, strict=True)
                )
            ),
            phases={
                phase: (float(start), float(end))
                for phase, (start, end) in (report.get("phases") or {}).items()
            },
            trace_s=job.get("trace_s"),
            queues=job.get("queues"),
            burst_packets=int((job.get("fabric") or {}).get("burst_packets") or 0),
            changes=tuple(
                reading.read(Series, one) for one in job.get("changes") or ()
            ),
            own_network=job.get("topology", "") is None,
            time_limit_s=float(job.get("time_limit_s") or 0.0),
            expect=tuple(
                None if one is None else reading.read(Expect, one)
                for one in report.get("expect") or ()
            ),
            paths={
                user["host"]: tuple(tuple(path) for path in user["paths"])
                for user in (job.get("network") or {}).get("users", ())
            },
            backups={
                user["host"]: tuple(user.get("backups") or ())
                for user in (job.get("network") or {}).get("users", ())
            },
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a job ({reason})") from error


def _same_pair(transport: Mapping[str, Any]) -> int | None:
    if transport.get("path_manager") != "ndiffports":
        return None
    return int(transport["sysctls"]["net.mptcp.ndiffports"])


def _timestamps(transport: Mapping[str, Any]) -> bool:
    given = (transport.get("sysctls") or {}).get("net.ipv4.tcp_timestamps", 1)
    return str(given) != "0"


def _link(link: Mapping[str, Any]) -> LinkSettings:
    capacity_mbps, down = link["capacity_mbps"], link.get("down")
    return LinkSettings(
        name=str(link["name"]),
        capacity_mbps=None if capacity_mbps is None else float(capacity_mbps),
        delay_ms=float(link["delay_ms"]),
        queue_packets=int(link["queue_packets"]),
        loss_percent=float(link["loss_percent"]),
        jitter_ms=float(link["jitter_ms"]),
        discipline=link.get("discipline"),
        impairments=link.get("impairments"),
        down=_link({**down, "name": link["name"]}) if down else None,
    )


def _transport(transport: Mapping[str, Any]) -> Transport:
    return Transport(
        protocol=transport["protocol"],
        congestion_control=transport.get("congestion_control"),
        scheduler=transport.get("scheduler"),
        path=transport.get("path"),
        same_pair=_same_pair(transport),
        backup=None if transport.get("backup") is None else tuple(transport["backup"]),
        timestamps=_timestamps(transport),
    )


def _pairs(entry: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The pairs of hosts between which an entry has connections, if it lists pairs.

    Of several users of a network, some may have no connection.
    """
    listed = [(here, there) for here, there in entry.get("pairs") or ()]
    counts = (entry.get("drawn") or {}).get("pairs") or [1] * len(listed)
    return tuple(pair for pair, count in zip(listed, counts, strict=True) if count)


def _traffic(entry: Mapping[str, Any], name: str | None, case: Transport) -> Traffic:
    reverse = bool(entry.get("reverse"))
    duration_s, size = entry.get("duration_s"), entry.get("bytes")
    drawn = entry.get("drawn") or {}
    own_transport = entry.get("transport")
    pairs = _pairs(entry)
    here, there = (pairs or ((entry.get("from"), entry.get("to")),))[0]
    return Traffic(
        name=name,
        tool=entry["tool"],
        source=here or "client",
        destination=there or "server",
        transport=_transport(own_transport) if own_transport else case,
        duration_s=None if duration_s is None else float(duration_s),
        bytes=None if size is None else int(size),
        parallel=int(entry.get("parallel") or entry.get("concurrency") or 1),
        start_s=float(entry.get("start_s") or 0.0),
        interval_s=float(entry.get("interval_s") or 1.0),
        forward=not reverse,
        receiver="client" if reverse else "server",
        requests=entry.get("requests"),
        keep_alive=bool(entry.get("keep_alive")),
        timeout_s=entry.get("timeout_s"),
        flows=int(drawn["flows"]) if drawn else None,
        flow_bytes=int(drawn["bytes"]) if drawn and entry["size"] else None,
        pairs=pairs,
        paths=frozenset(map(int, entry.get("paths") or ())),
        datagrams=_sends_datagrams(entry),
    )


def _sends_datagrams(entry: Mapping[str, Any]) -> bool:
    """Whether an entry's tool says that it sends datagrams."""
    if entry["tool"] not in ALL:
        return False
    sends = getattr(part(entry["tool"], "results"), "datagrams", None)
    return bool(sends and sends(entry))

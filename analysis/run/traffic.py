"""The traffic entries of a run, each with its name and its transport."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from jobs import Entry, Job, Transport
from jobs.entries import Pair
from jobs.spoken import Spoken

Record = TypeVar("Record", bound=Entry)


@dataclass(frozen=True)
class Traffic(Generic[Record]):
    """One traffic entry of a run.

    record : the entry of the job, a record of its tool
    name : the entry's name in the table of runs; None for a single entry without one
    transport : the transport of the entry, or of the case if the entry has none
    background : True if the entry stays out of goodput, fairness and completion
    source : the host of the tool's client, which opens the connections
    destination : the host of the tool's server
    pairs : (source, destination) of all pairs of hosts, if the entry lists pairs
    spoken : the protocols of its sockets; None as the transport says
    """

    record: Record
    name: str | None
    transport: Transport
    background: bool
    source: str
    destination: str
    pairs: tuple[Pair, ...] = ()
    spoken: Spoken | None = None

    @property
    def tool(self) -> str:
        return self.record.tool

    @property
    def start_s(self) -> float:
        """When the client starts, seconds after the beginning of the traffic."""
        return self.record.start_s

    @property
    def duration_s(self) -> float | None:
        return self.record.duration_s

    @property
    def bytes(self) -> int | None:
        return self.record.bytes

    @property
    def forward(self) -> bool:
        """True if the data flow from source to destination."""
        return self.record.forward

    @property
    def bulk(self) -> bool:
        """Whether its connections are to use all their paths."""
        return self.record.bulk

    @property
    def flows(self) -> int | None:
        """Number of connections that the plan drew; None where it draws none."""
        return self.record.drawn_flows

    @property
    def flow_bytes(self) -> int | None:
        """The sum of their sizes; None if they have no size, or if none is drawn."""
        return self.record.drawn_bytes

    @property
    def parallel(self) -> int:
        """Number of simultaneous connections."""
        return self.record.connections_at_a_time

    @property
    def receiver(self) -> str:
        """The tool's end that receives the data, "client" or "server"."""
        return "server" if self.forward else "client"

    @property
    def sender(self) -> str:
        """The tool's end that sends the data, "client" or "server"."""
        return "client" if self.forward else "server"

    @property
    def all_pairs(self) -> tuple[Pair, ...]:
        """The pairs (source, destination) between which the traffic flows."""
        return self.pairs or ((self.source, self.destination),)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The hosts that open connections."""
        return tuple(dict.fromkeys(source for source, _ in self.all_pairs))

    @cached_property
    def destinations(self) -> tuple[str, ...]:
        """The hosts that accept connections."""
        return tuple(dict.fromkeys(end for _, end in self.all_pairs))

    @cached_property
    def by_host(self) -> "tuple[Traffic[Record], ...]":
        """One entry per host that opens connections, with the pairs of this host."""
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
    def plain_listener(self) -> bool:
        """Whether its connections ask for MPTCP, and meet a listener of plain TCP."""
        return self.spoken is not None and self.spoken.plain_listener

    @property
    def sending_hosts(self) -> tuple[str, ...]:
        """The hosts that send the data."""
        return self.sources if self.forward else self.destinations

    @property
    def sending_host(self) -> str:
        """The host that sends the data, of the first pair."""
        return self.source if self.forward else self.destination

    @property
    def title(self) -> str:
        """The name of it in figures."""
        ends = f"{self.source} to {self.destination}"
        return self.name or (f"{len(self.pairs)} pairs" if self.pairs else ends)


def of_job(job: Job) -> tuple[Traffic[Any], ...]:
    """The traffic entries of a job, in its order."""
    report = job.report
    names = (report.names if report else None) or (None,) * len(job.traffic)
    background = report.background if report else ()
    found: list[Traffic[Any]] = []
    for number, (entry, name) in enumerate(zip(job.traffic, names, strict=True)):
        pairs = entry.connected if entry.between_many else ()
        here, there = (pairs or entry.between)[0]
        found.append(
            Traffic(
                entry,
                name,
                job.transport_of(entry),
                number in background,
                here,
                there,
                pairs,
                None if entry.own_control else job.spoken(number),
            )
        )
    return tuple(found)


def proxied(traffic: Sequence[Traffic[Any]], index: int) -> frozenset[int]:
    """The numbers of all entries on the way of one: itself, and those of the proxies
    that pass its data on."""
    first = served(traffic[index], index)
    return frozenset(n for n, entry in enumerate(traffic) if served(entry, n) == first)


def served(entry: Traffic[Any], index: int) -> int:
    """The number of the entry whose data an entry passes on; its own for no proxy."""
    own: int | None = entry.record.served
    return index if own is None else own


def initiators(traffic: Iterable[Traffic[Any]]) -> tuple[str, ...]:
    """The hosts that open connections, each once."""
    return tuple(dict.fromkeys(host for entry in traffic for host in entry.sources))


def hosts(traffic: Sequence[Traffic[Any]]) -> tuple[str, ...]:
    """All hosts of the traffic. Those that open connections come first."""
    ends = (host for entry in traffic for host in entry.destinations)
    return tuple(dict.fromkeys((*initiators(traffic), *ends)))


def is_backup(job: Job, entry: Traffic[Any], path: int) -> bool:
    """Whether a path of an entry's host is one that MPTCP keeps as a backup.

    path : its number, from 1
    """
    return entry.transport.is_mptcp and path in job.backups.get(entry.source, ())


def opens_mptcp(traffic: Iterable[Traffic[Any]], host: str) -> bool:
    """Whether a host opens connections of MPTCP, perhaps beside those of TCP."""
    return any(e.transport.is_mptcp for e in traffic if host in e.sources)

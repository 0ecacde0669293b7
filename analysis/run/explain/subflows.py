"""The connections and subflows of a run, put together from its events."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.run.events import Event, Events
from analysis.run.traffic import Traffic

ASKED = ("MPJoinSynTx", "MPCapableSYNTX", "tcp_connect")
STATES = ("tcp_closed", "tcp_open")
JOINED = ("sub_established", "MPJoinAckRx")


@dataclass(frozen=True)
class Subflow:
    """One subflow, or the only one of a TCP connection, with the events of both hosts.

    client : the host that opened it
    local, remote : ADDRESS:PORT at the client and at the server
    own, peer : the events at the client and at the server, in order
    """

    client: str
    local: str
    remote: str
    own: tuple[Event, ...]
    peer: tuple[Event, ...]

    @property
    def address(self) -> str:
        """The client's address."""
        return self.local.rpartition(":")[0]

    @property
    def both(self) -> tuple[Event, ...]:
        return tuple(sorted((*self.own, *self.peer), key=lambda event: event.time_s))

    @property
    def is_join(self) -> bool:
        return any(event.name == ASKED[0] for event in self.both)

    @property
    def asked_by_server(self) -> bool:
        """Whether the host that accepted the connection opened this subflow."""
        return any(event.name == ASKED[0] for event in self.peer)

    @property
    def opened_s(self) -> float:
        return min((event.time_s for event in self.both), default=0.0)

    def named(self, *names: str) -> tuple[Event, ...]:
        """The events with these names at either host."""
        return tuple(event for event in self.both if event.name in names)

    @property
    def joined(self) -> bool:
        """Whether the end that was asked has accepted it: the other cannot know."""
        asked = self.own if self.asked_by_server else self.peer
        return any(event.name in JOINED for event in asked)

    def delivered(self) -> int:
        """Bytes that arrived at the other end, both ways."""
        acked = sum(event.count("acked") for event in self.states())
        received = sum(event.count("received") for event in self.states())
        return max(acked, received)

    def last(self, host: str) -> Event | None:
        """The last state at one host; None if it is not known."""
        return next((event for event in self.states() if event.host == host), None)

    def states(self) -> Iterator[Event]:
        """The last state of either end: when it closed, or at the end of the run."""
        for of_end in (self.own, self.peer):
            last = [event for event in of_end if event.name in STATES]
            yield from last[-1:]


@dataclass(frozen=True)
class Connection:
    """A connection: one MPTCP connection with its subflows, or one of TCP.

    entry : number of the traffic entry
    port : the client's port of the first subflow
    """

    entry: int
    port: int
    client: str
    subflows: tuple[Subflow, ...]
    events: tuple[Event, ...]

    def first(self, name: str, host: str | None = None) -> float | None:
        """The time of the first event of this name, at one host or at all."""
        times = (e.time_s for e in self.events if e.name == name and _at(e, host))
        return next(times, None)


def _at(event: Event, host: str | None) -> bool:
    return host is None or event.host == host


def connections(
    events: Events, traffic: Sequence[Traffic[Any]]
) -> tuple[Connection, ...]:
    """The connections that belong to a traffic entry, in the order of their opening."""
    found: dict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in events.all:
        entry, port = event.connection, event.port
        if entry is not None and port is not None and entry < len(traffic):
            found[entry, port].append(event)
    return tuple(
        Connection(entry, port, client, _subflows(of_one, client), tuple(of_one))
        for (entry, port), of_one in found.items()
        if (client := _client(of_one, traffic[entry].sources))
    )


def _client(events: Sequence[Event], sources: Sequence[str]) -> str | None:
    """The host that opened a connection."""
    openers = [event.host for event in events if event.name in ASKED]
    known = [host for host in openers if host in sources]
    return known[0] if known else (openers[0] if openers else None)


def _subflows(events: Sequence[Event], client: str) -> tuple[Subflow, ...]:
    by_ends: dict[frozenset[str], list[Event]] = defaultdict(list)
    for event in events:
        if event.local:
            by_ends[event.ends].append(event)
    found = []
    for of_one in by_ends.values():
        own = tuple(event for event in of_one if event.host == client)
        peer = tuple(event for event in of_one if event.host != client)
        if own or peer:
            one = own[0] if own else peer[0]
            ends = (one.local, one.remote) if own else (one.remote, one.local)
            found.append(Subflow(client, *ends, own, peer))
    return tuple(found)

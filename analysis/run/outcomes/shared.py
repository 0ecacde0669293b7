"""Counters of one entry on hosts that have connections of other entries too.

A kernel counts all of them together. The events of a run say to which entry the
connection belongs. What they leave open, such as a subflow that a server refuses before
it knows the connection, may be of this entry or of another one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.run.events import Event, Events
from analysis.run.outcomes.connecting import STATES
from analysis.run.outcomes.legs import OF_TCP
from analysis.run.readers.counters import MPTCP, Counters
from analysis.run.traffic import Traffic

OPENS = ("MPCapableSYNTX", "MPCapableSYNTXDisabled", "MPJoinSynTx")
TCP_OPENS = "tcp_connect"
"""Events with which a host begins a connection or subflow: one each, of TcpActiveOpens.
The last is that of a socket of TCP."""
ANSWERED = (
    "tcp_established",
    "MPCapableSYNACKRX",
    "MPCapableFallbackSYNACK",
    "MPJoinSynAckRx",
)
"""Events of the host that began it, once the SYN has its answer."""


@dataclass(frozen=True)
class Range:
    """The counters of an entry's hosts, between which the true ones lie.

    least : with what is certainly of the entry
    most : with what may be of the entry
    """

    least: Mapping[str, Counters]
    most: Mapping[str, Counters]


def counters(
    entry: Traffic[Any], index: int, known: Mapping[str, Counters], events: Events
) -> Range | None:
    """The counters of an entry's hosts, of its connections alone.

    index : number of the entry
    known : of all hosts
    Returns None if the run does not have all of its events.
    """
    hosts = dict.fromkeys((*entry.sources, *entry.destinations))
    if events.left_out or not hosts.keys() <= known.keys():
        return None
    least, most = {}, {}
    for host in hosts:
        own, every = _counted(events.all, host, index)
        total = known[host]
        names = [
            name
            for name in total.values
            if name.startswith(MPTCP) or name in (*OF_TCP.values(), *_TCP)
        ]
        open_ = {name: total.get(name) - every[name] for name in names}
        certain = {name: own[name] for name in names}
        possible = {name: own[name] + max(0, open_[name]) for name in names}
        least[host] = _listed(certain, total)
        most[host] = _listed(possible, total)
    return Range(least, most)


def _listed(values: Mapping[str, int], total: Counters) -> Counters:
    """Counters of an entry; those of 0 are left out as in the host's own list."""
    whole = 0 in total.values.values()
    return Counters({name: v for name, v in values.items() if v or whole})


_OPENS, _FAILS = "TcpActiveOpens", "TcpAttemptFails"
_TCP = (_OPENS, _FAILS)


def _counted(
    events: Iterable[Event], host: str, index: int
) -> tuple[Counter[str], Counter[str]]:
    """Counters of a host by its events: of an entry, and of all entries."""
    own: Counter[str] = Counter()
    every: Counter[str] = Counter()
    here = [e for e in events if e.host == host and e.connection is not None]
    failed = _failed(here)
    for event in here:
        for name, number in _counts(event, failed):
            every[name] += number
            own[name] += number if event.connection == index else 0
    return own, every


def _counts(event: Event, failed: Collection[Event]) -> Iterable[tuple[str, int]]:
    """The counters that an event increases, each by how much."""
    if event.name in OF_TCP:
        yield OF_TCP[event.name], 1
    elif event.name[:1].isupper():
        yield MPTCP + event.name, event.number
    if event.name in (*OPENS, TCP_OPENS):
        yield _OPENS, 1 if event.name == TCP_OPENS else event.number
    if event in failed:
        yield _FAILS, 1


def _failed(here: Iterable[Event]) -> set[Event]:
    """The ends of connections and subflows that a host began, and nobody answered."""
    begun: set[str] = set()
    last: dict[str, Event] = {}
    for event in here:
        if event.name in (*OPENS, TCP_OPENS):
            begun.add(event.local)
        elif event.name in ANSWERED:
            begun.discard(event.local)
        elif event.name in STATES and event.local in begun and event.get("error"):
            last[event.local] = event
    return {event for local, event in last.items() if local in begun}


def same(least: Mapping[str, Any], most: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that have the same value either way; None for any other."""
    return {name: v if most[name] == v else None for name, v in least.items()}

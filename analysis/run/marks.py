"""Events of a run that figures over time mark: joins, stale subflows, fallbacks ..."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.run.events import Event
from analysis.run.explain import handshake
from analysis.run.explain.facts import Facts
from analysis.run.explain.subflows import Connection, Subflow

AT_ONCE_S = 1.0
"""Subflows that join this soon after their connection are no news, and subflows that
end this soon before it end with it."""
FALLBACKS = (*(name for name, _ in handshake.REASONS), "InfiniteMapTx")


@dataclass(frozen=True)
class Mark:
    """An event of a connection at a time.

    kind : one of `analysis.run.mark_kinds.KINDS`
    what : the path in words, or the connection's host
    """

    time_s: float
    kind: str
    what: str


def marks(facts: Facts) -> tuple[Mark, ...]:
    """The marks of a run in the order of time; none without a record of events.

    Both ends of a subflow may note an event: the first of a kind counts, and others of
    the same path within AT_ONCE_S belong to it.
    """
    found: list[Mark] = []
    for mark in sorted(_all(facts), key=lambda each: each.time_s):
        same = [m for m in found if (m.kind, m.what) == (mark.kind, mark.what)]
        if not same or mark.time_s - same[-1].time_s > AT_ONCE_S:
            found.append(mark)
    return tuple(found)


def _all(facts: Facts) -> Iterator[Mark]:
    for one in facts.connections:
        if not facts.traffic[one.entry].transport.is_mptcp:
            continue
        for event in one.events:
            if event.name in FALLBACKS:
                yield Mark(event.time_s, "fallback", one.client)
        for subflow in one.subflows:
            path = facts.path_name(one.client, subflow.address)
            for event, kind in _of_subflow(one, subflow):
                yield Mark(event.time_s, kind, path)


def _of_subflow(one: Connection, subflow: Subflow) -> Iterator[tuple[Event, str]]:
    began_s = one.first("established") or 0.0
    for event in subflow.both:
        late = event.time_s - began_s > AT_ONCE_S
        if event.name == "sub_established" and late and subflow.joined:
            yield event, "join"
        elif event.name == "SubflowStale":
            yield event, "stale"
        elif event.name == "SubflowRecover":
            yield event, "recovered"
        elif event.name == "sub_priority":
            yield event, "backup"
        elif event.name == "sub_closed" and _early(one, event, subflow):
            yield event, "closed"


def _early(one: Connection, event: Event, subflow: Subflow) -> bool:
    """Whether a subflow that had joined ended well before its connection."""
    if subflow.is_join and not subflow.joined:
        return False
    ends = [e.time_s for e in one.events if e.name in ("closed", "MPFastcloseTx")]
    return not ends or min(ends) - event.time_s > AT_ONCE_S


def chosen(found: Sequence[Mark], kinds: Sequence[str] | None) -> tuple[Mark, ...]:
    """The marks of some kinds; of all if `kinds` is None."""
    return tuple(mark for mark in found if kinds is None or mark.kind in kinds)

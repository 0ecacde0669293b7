"""The time that connections took to be established, and their SYNs, from events."""

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.run.events import Event, Events
from analysis.run.traffic import Traffic

BEGUN = ("tcp_connect", "MPCapableSYNTX")
STATES, GIVEN_UP = ("tcp_closed", "tcp_open"), "TCPAbortOnTimeout"
ESTABLISHED = ("tcp_established", "MPCapableSYNACKRX", "MPCapableFallbackSYNACK")
"""Events of the host that opens a connection. One that gives MPTCP up has none of them,
and the server's is half a round trip later."""


def of_connection(
    events: Iterable[Event], client: str, port: int | None
) -> tuple[int, float | None]:
    """The SYNs of a connection until it was established, and when it was; None for
    never.

    events : of the connection at both hosts, in order
    port : of the client, which its first subflow has; its SYNs alone count
    """
    syns = 1
    late: float | None = None
    for event in events:
        if event.host != client:
            if event.name == "tcp_established" and late is None:
                late = event.time_s
        elif event.name in ESTABLISHED:
            return syns, event.time_s
        elif event.name == "TCPSynRetrans" and event.local.endswith(f":{port}"):
            syns += 1
    return syns, late


def first(
    entry: Traffic[Any], index: int, events: Events
) -> tuple[int | None, float | None]:
    """The SYNs of an entry's first connection, and when it was established.

    index : number of the entry
    """
    of_entry = [event for event in events.all if event.connection == index]
    begun = next(
        (e for e in of_entry if e.host in entry.sources and e.name in BEGUN), None
    )
    if begun is None:
        return None, None
    own: Sequence[Event] = [event for event in of_entry if event.port == begun.port]
    return of_connection(own, begun.host, begun.port)


def hangs(events: Sequence[Event], client: str, port: int | None) -> bool:
    """Whether a connection's SYN still waited for an answer when the client was ended.

    Such a SYN has neither failed nor succeeded by the counters of the kernel. An
    established connection has at least its SYN acknowledged.
    """
    own = [e for e in events if e.host == client and e.local.endswith(f":{port}")]
    names = {event.name for event in own}
    last = [event for event in own if event.name in STATES]
    if "TCPSynRetrans" not in names or GIVEN_UP in names or not last:
        return False
    return not any(last[-1].count(key) for key in ("acked", "received", "error"))


def hanging(entry: Traffic[Any], index: int, events: Events) -> int:
    """The number of an entry's connections whose SYN had no answer to the end.

    index : of the entry
    """
    clients = (
        (port, own, _client(own, entry)) for port, own in events.by_port(index).items()
    )
    return sum(hangs(own, host, port) for port, own, host in clients if host)


def _client(events: Sequence[Event], entry: Traffic[Any]) -> str | None:
    """The host of an entry that opened a connection; None if it is not known."""
    begun = (e.host for e in events if e.host in entry.sources and e.name in BEGUN)
    return next(begun, None)

"""The time that connections took to be established, and their SYNs, from events."""

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.run.events import Event, Events
from analysis.run.traffic import Traffic

BEGUN = ("tcp_connect", "MPCapableSYNTX")
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

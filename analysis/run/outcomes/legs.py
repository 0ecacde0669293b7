"""Counters of one leg of a way with proxies.

A proxy accepts connections and opens others, and its kernel counts both together. The
events of a run have the connection of what MPTCP counts. Where they do not have all of
it, the name of a counter tells to which side it belongs.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from analysis.run.events import Events
from analysis.run.readers.counters import MPTCP, Counters
from analysis.run.traffic import Traffic

OPENS = (
    "TcpActiveOpens",
    "TcpAttemptFails",
    *(
        MPTCP + name
        for name in (
            "MPCapableSYNTX",
            "MPCapableSYNACKRX",
            "MPCapableFallbackSYNACK",
            "MPCapableSYNTXDrop",
            "MPCapableSYNTXDisabled",
            "MPJoinSynTx",
            "MPJoinSynTxCreatSkErr",
            "MPJoinSynTxBindErr",
            "MPJoinSynTxConnectErr",
            "MPJoinSynAckRx",
            "MPJoinSynAckNoMPJoin",
            "MPJoinSynAckHMacFailure",
        )
    ),
)
"""Counters of a host that opens connections, by nstat's names."""
ACCEPTS = tuple(
    MPTCP + name
    for name in (
        "MPCapableSYNRX",
        "MPCapableACKRX",
        "MPCapableFallbackACK",
        "MPJoinSynRx",
        "MPJoinAckRx",
        "MPJoinRejected",
        "MPJoinNoTokenFound",
        "MPJoinAckHMacFailure",
    )
)
"""Counters of a host that accepts them."""
OF_TCP = {
    "TCPSynRetrans": "TcpExtTCPSynRetrans",
    "TCPAbortOnTimeout": "TcpExtTCPAbortOnTimeout",
}
"""Events of TCP that a counter has too."""


def counters(
    entry: Traffic[Any],
    index: int,
    known: Mapping[str, Counters],
    events: Events,
) -> dict[str, Counters]:
    """The counters of an entry's hosts, those of its own connections alone.

    index : number of the entry
    known : of all hosts
    """
    return {
        host: _of_host(host, side, index, known[host], events)
        for host, side in ((entry.source, OPENS), (entry.destination, ACCEPTS))
        if host in known
    }


def _of_host(
    host: str, side: tuple[str, ...], index: int, known: Counters, events: Events
) -> Counters:
    """The counters of a host for one entry. side : those of its side by their names"""
    own: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for event in events.all:
        if event.host == host and event.connection is not None:
            name = OF_TCP.get(event.name, MPTCP + event.name)
            number = 1 if event.name in OF_TCP else event.number
            every[name] += number
            own[name] += number if event.connection == index else 0
    whole = {name: known.get(name) for name in side if every[name] != known.get(name)}
    return Counters({**dict.fromkeys(known.values, 0), **own, **whole})

"""MPTCP connections that buffers held back, which no counter of theirs tells.

TCP counts the time in which a window or a buffer holds a connection. For subflows these
counts are empty: the receive window and the send buffer belong to the connection, and
MPTCP gives a subflow only what fits. What is left is arithmetic: paths that lost
nothing and stayed half empty, and about as much data on their way as a buffer takes.
"""

from collections.abc import Iterator
from typing import Any

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding
from analysis.run.explain.limits import (
    LEAST_ROUND_TRIPS,
    LEAST_S,
    LITTLE_DATA,
    partly_starved,
)
from analysis.run.explain.shares import LEAST_BYTES
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.times import shares
from analysis.run.explain.ways import Way, of_path
from analysis.run.traffic import Traffic

RMEM, WMEM = "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"
USUAL_BYTES = 67_108_864
"""Third value of both where a case does not set them (`mpbench.guest.transport`)."""
LEAST_BYTES_PER_S = 20_000
"""A slower connection is no bulk transfer that a buffer could hold."""
OF_CAPACITY = 0.7
"""A connection with this share of the capacity of its paths is not held back."""
OF_BUFFER = 0.15
"""The share of a buffer that data on their way take at least, if the buffer holds them:
Linux counts a packet's memory, of which about half is data, and the data that waits for
the reader or for an earlier piece is in the buffer as well."""


def held(facts: Facts) -> Iterator[Finding]:
    """Connections whose data on their way are about what a buffer takes, and those
    whose fastest subflow waits for space."""
    told: list[Connection] = []
    for one in facts.connections:
        entry = facts.traffic[one.entry]
        if not (entry.bulk and entry.transport.is_mptcp):
            continue
        for sender in entry.sending_hosts:
            receiver = entry.destination if sender == one.client else one.client
            if facts.passes_on(one.entry, receiver) and not _waits(facts, receiver):
                continue
            finding = _of_connection(facts, one, entry, sender, receiver)
            if finding is not None:
                told.append(one)
                yield finding
    for one, finding in partly_starved(facts):
        if not any(one is each for each in told):
            yield finding


def _waits(facts: Facts, proxy: str) -> bool:
    """Whether all that a proxy sends of bulk data waits for what it gets: each of its
    subflows had nothing to send for a part of its time, and sent much."""
    idle = [
        found[1][3]
        for each in facts.connections
        for subflow in each.subflows
        if (
            found := shares(
                subflow, proxy, facts.traffic[each.entry].transport.is_mptcp
            )
        )
        if found[0] >= LEAST_BYTES
    ]
    return bool(idle) and min(idle) >= LITTLE_DATA


def _of_connection(
    facts: Facts, one: Connection, entry: Traffic[Any], sender: str, receiver: str
) -> Finding | None:
    changed = {change.link for change in facts.changes}
    on_way = bytes_per_s = capacity_per_s = 0.0
    count = 0
    for subflow in one.subflows:
        number = facts.path_of(one.client, subflow.address)
        last = subflow.last(sender)
        if number is None or last is None or (subflow.is_join and not subflow.joined):
            return None
        way = of_path(facts, one.client, number, sender)
        lasted_s = last.time_s - subflow.opened_s
        too_short = lasted_s < max(LEAST_S, LEAST_ROUND_TRIPS * way.round_trip_s)
        if not way.capacity_mbps or too_short or changed.intersection(way.shapes):
            return None
        if last.count("resent") or _lost(facts, way) or _stopped(subflow):
            return None
        own = subflow.delivered() / lasted_s
        on_way += own * way.round_trip_s
        bytes_per_s += own
        capacity_per_s += 1e6 / 8 * way.capacity_mbps
        count += 1
    if bytes_per_s < LEAST_BYTES_PER_S:
        return None
    used = bytes_per_s / capacity_per_s
    if used >= OF_CAPACITY:
        return None
    # Each subflow adds its own send buffer to that of the connection.
    sizes = {
        RMEM: (_most(facts, receiver, entry, RMEM), receiver),
        WMEM: (_most(facts, sender, entry, WMEM) * count, sender),
    }
    name, (size, host) = min(sizes.items(), key=lambda item: item[1][0])
    if on_way < OF_BUFFER * size:
        return None
    whose = "the receive window" if name == RMEM else "the send buffer"
    return Finding(
        f"{whose} held the connection of the {one.client}: it used {used:.0%} of the"
        f" capacity of its paths, which lost nothing; see {name} of the {host}",
        f"{on_way / 1e3:.0f} kB on their way by rates and delays, where buffers of"
        f" {size / 1e3:.0f} kB hold about half as much data; resent 0",
    )


def _lost(facts: Facts, way: Way) -> bool:
    """Whether a link may have lost packets."""
    return any(
        facts.row.get(f"{name}.queue_drops", 0) != 0 or shape.loss_percent
        for name, shape in way.shapes.items()
    )


def _stopped(subflow: Subflow) -> bool:
    return bool(subflow.named("SubflowStale", "TCPAbortOnTimeout", "TCPTimeouts"))


def _most(facts: Facts, host: str, entry: Traffic[Any], name: str) -> float:
    """The third value of a sysctl with sizes of buffers on a host, in bytes."""
    settings = (facts.job.host_settings or {}).get(host)
    own = (settings.sysctls if settings else None) or {}
    text = str(own.get(name) or entry.transport.sysctls.get(name) or USUAL_BYTES)
    last = text.split()[-1]
    return float(last) if last.isdecimal() else float(USUAL_BYTES)

"""Connections as the programs of the traffic open them and fill them."""

from collections.abc import Iterator
from typing import Any

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, listed
from analysis.run.explain.handshake import KNOWN
from analysis.run.explain.shares import LEAST_BYTES
from analysis.run.explain.subflows import ASKED, Connection, Subflow
from analysis.run.explain.ways import of_path
from analysis.run.traffic import Traffic
from jobs.sockets import TCP

IDLE = 0.5
"""The share of time without data at which a program, and no network, sets the rate."""
LEAST_S = 1.0
"""A shorter transfer is mostly its handshake and slow start."""
STOPPED = ("TCPTimeouts", "TCPAbortOnTimeout", "SubflowStale", *KNOWN)
"""Events of connections that may have stood still, although there was something to
send. One that falls back in the middle of a transfer may do so for good."""
DONE, AT_WORK = 0.6, 0.75
"""Shares of a transfer's time: in the first a path has carried its part, and in the
second another one still carries."""


def opened_nothing(facts: Facts) -> Iterator[Finding]:
    """Programs of the user's own that opened no connection of TCP or MPTCP."""
    if facts.events is None or facts.row.get("verdict") != "ok":
        return
    asking = [event for event in facts.events.all if event.name in ASKED]
    for index, entry in enumerate(facts.traffic):
        if not entry.record.own_program or entry.record.own_protocol:
            continue
        sockets = entry.record.sockets
        if sockets is not None and sockets.opens == TCP:
            continue  # the file says that it is not about MPTCP
        hosts = entry.sources
        if any(e.host in hosts and e.connection in (None, index) for e in asking):
            continue
        word = "MPTCP" if entry.transport.is_mptcp else "TCP"
        yield Finding(
            f"the program of {entry.title} opened no connection, so {word} carried"
            " nothing of it",
            f"no {' and no '.join(ASKED[1:])} on the {listed(hosts)}",
        )


def on_another_path(facts: Facts) -> Iterator[Finding]:
    """Connections of TCP that leave from another path than the case's."""
    for index, entry in enumerate(facts.traffic):
        wanted = entry.transport.path
        if wanted is None or entry.transport.protocol != "tcp":
            continue
        for host in entry.sources:
            paths = facts.users.get(host, ())
            if wanted > len(paths):
                continue
            found = {
                subflow.address: facts.path_name(host, subflow.address)
                for one in facts.connections
                if one.entry == index and one.client == host
                for subflow in one.subflows
                if facts.path_of(host, subflow.address) not in (None, wanted)
            }
            if found:
                own = paths[wanted - 1].address or ""
                yield Finding(
                    f"connections of {entry.title} took {listed(found.values())}, and"
                    f" the case asks for {facts.path_name(host, own)}: the program did"
                    f" not bind {own}, which the entry has as `source`",
                    f"tcp_connect from {listed(found)} on the {host}",
                )


def over_too_soon(facts: Facts) -> Iterator[Finding]:
    """Paths that no subflow joined, because each connection was over before."""
    if facts.events is None:
        return
    for host in facts.clients():
        own = [
            one
            for one in facts.connections
            if one.client == host and facts.traffic[one.entry].transport.is_mptcp
        ]
        for number, path in enumerate(facts.users.get(host, ()), start=1):
            if number == 1:
                continue
            address = path.address or ""
            there = [s for one in own for s in one.subflows if s.address == address]
            if not there or any(subflow.joined for subflow in there):
                continue
            lasted = [_until_closed_s(one) for one in own if _asked(one, address)]
            known = [seconds for seconds in lasted if seconds is not None]
            if len(known) < len(lasted) or not _unanswered(there):
                continue
            noun = "connection was" if len(known) == 1 else "connections were"
            yield Finding(
                f"{facts.path_name(host, address)} carried nothing:"
                f" {len(known)} {noun} over, within {max(known):.2f} s, before a"
                " subflow had joined there",
                f"MPJoinSynTx {len(there)} on the {host}, and closed before the answer",
            )


def _asked(one: Connection, address: str) -> bool:
    return any(subflow.address == address for subflow in one.subflows)


def _until_closed_s(one: Connection) -> float | None:
    """The time from a connection's first event to its end; None without an end."""
    closed_s = one.first("closed", one.client)
    return closed_s - one.events[0].time_s if closed_s is not None else None


def _unanswered(subflows: list[Subflow]) -> bool:
    """Whether subflows ended without an answer and without an error of their own."""
    told = (
        "MPJoinSynAckRx",
        "MPJoinSynAckNoMPJoin",
        "MPJoinRejected",
        "TCPSynRetrans",
        "reset_received",
    )
    return not any(subflow.named(*told) for subflow in subflows)


def waited(facts: Facts) -> Iterator[Finding]:
    """Transfers of a given size whose last data came over a slower path, while the path
    with the most data had nothing left to send."""
    for one in facts.connections:
        entry = facts.traffic[one.entry]
        lasted_s = _until_closed_s(one)
        single = entry.bytes is not None and entry.parallel == 1
        if not (single and entry.transport.is_mptcp and lasted_s):
            continue
        for host in entry.sending_hosts:
            busy = [
                (subflow, _busy_s(subflow, host), subflow.delivered())
                for subflow in one.subflows
                if subflow.delivered() and not subflow.named("SubflowStale")
            ]
            if not busy:
                continue
            fast, fast_s, most = max(busy, key=lambda each: each[2])
            slow, slow_s, rest = max(busy, key=lambda each: each[1])
            if fast_s > DONE * lasted_s or slow_s < AT_WORK * lasted_s:
                continue
            names = [facts.path_name(one.client, each.address) for each in (slow, fast)]
            yield Finding(
                f"the transfer {entry.title} waited for {names[0]}, which was busy with"
                f" {rest / 1e3:.0f} kB for {slow_s:.1f} of {lasted_s:.1f} s; {names[1]}"
                f" carried {most / 1e3:.0f} kB in {fast_s:.1f} s and then had nothing"
                " to send",
                f"busy_ms {1e3 * slow_s:.0f} and {1e3 * fast_s:.0f} on the {host}",
            )


def _busy_s(subflow: Subflow, host: str) -> float:
    last = subflow.last(host)
    return last.count("busy_ms") / 1e3 if last else 0.0


def beyond_capacity(facts: Facts) -> Iterator[Finding]:
    """Traffic of a constant rate that its paths cannot carry."""
    changed = {change.link for change in facts.changes}
    for entry in facts.traffic:
        rate_mbps = entry.record.offered_mbps
        if rate_mbps is None or entry.background:
            continue
        numbers = range(1, len(facts.users.get(entry.source, ())) + 1)
        if not entry.transport.is_mptcp or entry.record.datagrams:
            first = (entry.transport.path or 1) - 1
            numbers = numbers[first : first + 1]
        ways = [
            of_path(facts, entry.source, number, entry.source) for number in numbers
        ]
        if not ways or any(changed.intersection(way.shapes) for way in ways):
            continue
        capacities = [way.capacity_mbps for way in ways if way.capacity_mbps]
        if len(capacities) < len(ways) or rate_mbps <= sum(capacities):
            continue
        which = "path carries" if len(ways) == 1 else "paths carry"
        yield Finding(
            f"{entry.title} sends {rate_mbps:g} Mbit/s while it is on, and its {which}"
            f" {sum(capacities):g}: the rest waits or is lost",
            "rate and capacities by the plan",
        )


def had_nothing_to_send(facts: Facts) -> Iterator[Finding]:
    """Programs that left a connection without data, so that they set its rate.

    Data that a window or a buffer holds back have others on their way before them. So a
    connection with nothing on its way has nothing to send.
    """
    for one in facts.connections:
        entry = facts.traffic[one.entry]
        plain = entry.bulk or entry.record.own_program
        if not plain or any(event.name in STOPPED for event in one.events):
            continue
        idle = [(_idle(one, host), host) for host in _ends(entry)]
        acked, share, host = max((*found, host) for found, host in idle)
        if acked < LEAST_BYTES or share < IDLE or facts.passes_on(one.entry, host):
            continue
        yield Finding(
            f"the {host} had nothing to send for {share:.0%} of the time of its"
            f" connection: the program of {entry.title} sets the rate, and not the"
            " network",
            f"busy_ms of its subflows on the {host}; {acked} bytes acknowledged",
        )
        return


def _ends(entry: Traffic[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*entry.sources, *entry.destinations)))


def _idle(one: Connection, host: str) -> tuple[int, float]:
    """The acknowledged bytes that a host sent over a connection, and the least share of
    the time in which none were on their way. Both are 0 where the record lacks these
    times, as in a fake run."""
    last = [event for s in one.subflows for event in s.states() if event.host == host]
    if not last or not all(event.get("busy_ms") for event in last):
        return 0, 0.0
    acked = sum(event.count("acked") for event in last)
    lasted_s = max(event.time_s for event in last) - one.events[0].time_s
    if lasted_s < LEAST_S:
        return acked, 0.0
    busy_s = sum(event.count("busy_ms") for event in last) / 1e3
    return acked, max(0.0, 1 - busy_s / lasted_s)

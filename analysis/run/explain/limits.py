"""Paths of bulk transfers that carried less than they can, and why."""

from collections.abc import Iterator
from typing import Any

from analysis.run.explain import handshake
from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many
from analysis.run.explain.shares import LEAST_BYTES
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.times import shares
from analysis.run.explain.windows import never_recovered
from analysis.run.traffic import Traffic
from jobs import FRAME_BYTES, Link

FALLBACKS = tuple(name for name, _ in handshake.REASONS)
WITHOUT_DATA = 0.5
BUSY = 0.8
OF_CAPACITY = 0.5
LEAST_S = 5.0
"""A shorter subflow has not got out of its slow start."""
LEAST_ROUND_TRIPS = 40


def starved(facts: Facts) -> Iterator[Finding]:
    """Subflows that had nothing to send although the application always had data.

    MPTCP hands data to a subflow only while the send buffer and the receive window of
    the whole connection have space for them.
    """
    for one, entry, subflow, host, parts in _bulk(facts):
        if not entry.transport.is_mptcp or parts[3] < WITHOUT_DATA:
            continue
        if facts.passes_on(one.entry, host):
            continue  # it has what the way before it brings
        path = facts.path_name(one.client, subflow.address)
        yield Finding(
            f"{path}: the {host}'s subflow had no data to send for {parts[3]:.0%} of"
            " its time although the application had some: the connection's send buffer"
            " or receive window was full; see net.ipv4.tcp_wmem of the sender and"
            " net.ipv4.tcp_rmem of the receiver",
            _evidence(subflow, host),
        )


def slow(facts: Facts) -> Iterator[Finding]:
    """Paths of which busy subflows used less than half: short queues, losses."""
    links = {link.name: link for link in facts.job.links}
    changed = {change.link for change in facts.changes}
    for one, entry, subflow, host, parts in _bulk(facts):
        number = facts.path_of(one.client, subflow.address)
        if number is None or parts[2] < BUSY:
            continue
        names = facts.users[one.client][number - 1].links
        own = [links[name] for name in names if name in links]
        beside = [
            each
            for each in one.subflows
            if facts.path_of(one.client, each.address) == number
        ]
        parts_used = [_used(each, host, own) for each in beside]
        if None in parts_used or changed.intersection(names):
            continue
        used = sum(filter(None, parts_used))
        if used >= OF_CAPACITY:
            continue
        control = entry.transport.congestion_control
        reason = never_recovered(facts, subflow, host, own, control)
        if reason := reason or _reason(facts, own):
            path = facts.path_name(one.client, subflow.address)
            yield Finding(
                f"{path} carried {used:.0%} of its capacity: {reason[0]}",
                f"{reason[1]}; {_evidence(subflow, host)}",
                about=f"{path} of {one.client}",
            )


def _bulk(
    facts: Facts,
) -> Iterator[
    tuple[Connection, Traffic[Any], Subflow, str, tuple[float, float, float, float]]
]:
    """Each subflow that lasted, of a bulk transfer that is alone on its host."""
    for one in facts.connections:
        entry = facts.traffic[one.entry]
        others = [each for each in facts.traffic if each is not entry]
        if any(event.name in FALLBACKS for event in one.events):
            continue  # it is no MPTCP to its end, which another rule tells
        if not entry.bulk or any(set(e.sources) & set(entry.sources) for e in others):
            continue
        for subflow in one.subflows:
            stopped = subflow.named("SubflowStale", "TCPAbortOnTimeout")
            if stopped or entry.record.connections_at_a_time != 1:
                continue
            for host in entry.sending_hosts:
                found = shares(subflow, host, entry.transport.is_mptcp)
                if found is None or found[0] < LEAST_BYTES:
                    continue
                if _lasted_s(subflow, host) >= LEAST_S:
                    yield one, entry, subflow, host, found[1]


def _lasted_s(subflow: Subflow, host: str) -> float:
    times = [event.time_s for event in subflow.both if event.host == host]
    ended = [event.time_s for event in subflow.states() if event.host == host]
    return (ended[-1] if ended else max(times)) - min(times)


def _used(subflow: Subflow, host: str, links: list[Link]) -> float | None:
    """The share of a path's capacity that a subflow's data took; None if the path has
    none, or if the subflow ended too soon to know."""
    capacities = [link.capacity_mbps for link in links if link.capacity_mbps]
    lasted_s = _lasted_s(subflow, host)
    round_trip_s = 2e-3 * sum(link.delay_ms for link in links)
    if not capacities or lasted_s < LEAST_ROUND_TRIPS * round_trip_s:
        return None
    return subflow.delivered() * 8 / lasted_s / 1e6 / min(capacities)


def _reason(facts: Facts, links: list[Link]) -> tuple[str, str] | None:
    """The sentence's end and its evidence, for the link that lost most packets; None if
    nothing tells."""
    found: list[tuple[float, str, str]] = []
    for link in links:
        frames = _number(facts, f"{link.name}.bytes") / FRAME_BYTES
        found.append(
            (
                frames * link.loss_percent / 100,
                f"{link.loss_percent:g} % of its packets are lost at random",
                f"loss of {link.name} by the plan",
            )
        )
        drops = _number(facts, f"{link.name}.queue_drops")
        length = _number(facts, f"{link.name}.queue_packets")
        found.append(
            (
                drops if length else 0.0,
                f"its queue holds {many(round(length), 'packet')} and was full"
                f" {many(round(drops), 'time')}",
                f"{link.name}.queue_drops {drops:g}",
            )
        )
    most = max(found, default=(0.0, "", ""))
    return most[1:] if most[0] > 0 else None


def _number(facts: Facts, column: str) -> float:
    """A number of the run's row; 0 if it is not there."""
    value = facts.row.get(column)
    return float(value) if isinstance(value, int | float) else 0.0


def _evidence(subflow: Subflow, host: str) -> str:
    last = [event for event in subflow.states() if event.host == host][-1]
    return (
        f"{last.name} at {last.time_s:.1f} s: busy {last.count('busy_ms')} of"
        f" {1e3 * _lasted_s(subflow, host):.0f} ms on the {host}"
    )

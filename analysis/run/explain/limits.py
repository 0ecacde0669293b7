"""Paths of bulk transfers that carried less than they can, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analysis.run import traffic
from analysis.run.events import Event
from analysis.run.explain import failures, handshake
from analysis.run.explain.crawls import again
from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many
from analysis.run.explain.shares import LEAST_BYTES, told_backup
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.times import Shares, shares
from analysis.run.explain.ways import Way, of_path
from analysis.run.explain.windows import never_recovered
from analysis.run.labels import label
from analysis.run.traffic import Traffic
from jobs import FRAME_BYTES
from jobs.middleboxes import DROPS, ICMP

FALLBACKS = tuple(name for name, _ in handshake.REASONS)
WITHOUT_DATA = 0.5
LITTLE_DATA = 0.15
"""The share of time without data that tells something of the path with the shortest
round trip: in sound runs, bulk data leave it 0.02 at most."""
HALF_EMPTY = 0.7
"""A path with this share of its capacity has no reason that matters."""
BUSY = 0.8
OF_CAPACITY = 0.5
LEAST_S = 5.0
"""A shorter subflow has not got out of its slow start."""
LEAST_ROUND_TRIPS = 40


@dataclass(frozen=True)
class Bulk:
    """A subflow of a bulk transfer at the host that sends.

    last : its last state there
    parts : of its time there, as `analysis.run.explain.times` has them
    """

    one: Connection
    entry: Traffic[Any]
    subflow: Subflow
    host: str
    last: Event
    parts: Shares

    @property
    def evidence(self) -> str:
        lasted_s = _lasted_s(self.subflow, self.host)
        return (
            f"{self.last.name} at {self.last.time_s:.1f} s: busy"
            f" {self.last.count('busy_ms')} of {1e3 * lasted_s:.0f} ms on the"
            f" {self.host}"
        )


def starved(facts: Facts) -> Iterator[Finding]:
    """Subflows that had nothing to send although the application always had data.

    MPTCP hands data to a subflow only while the send buffer and the receive window of
    the whole connection have space for them.
    """
    for bulk in _without_data(facts, WITHOUT_DATA):
        yield _starved(facts, bulk)


def partly_starved(facts: Facts) -> Iterator[tuple[Connection, Finding]]:
    """Connections whose fastest subflow had nothing to send for a smaller part of its
    time, and whose path has much capacity left."""
    for bulk in _without_data(facts, LITTLE_DATA):
        if bulk.parts[3] < WITHOUT_DATA and _fastest_and_half_empty(facts, bulk):
            yield bulk.one, _starved(facts, bulk)


def _without_data(facts: Facts, least: float) -> Iterator[Bulk]:
    """Subflows without data for at least a share of their time, which no plan and no
    other rule explains."""
    for bulk in _bulk(facts):
        idle = bulk.parts[3]
        if not bulk.entry.transport.is_mptcp or idle < least:
            continue
        if facts.passes_on(bulk.one.entry, bulk.host):
            continue  # it has what the way before it brings
        number = facts.path_of(bulk.one.client, bulk.subflow.address) or 0
        planned = traffic.is_backup(facts.job, bulk.entry, number)
        if planned or told_backup(bulk.subflow):
            continue  # it is used only while no other subflow can be
        if not again(bulk.one, bulk.host):
            yield bulk  # else it waits for data to be sent again: another rule


def _starved(facts: Facts, bulk: Bulk) -> Finding:
    path = facts.path_name(bulk.one.client, bulk.subflow.address)
    return Finding(
        f"{path}: the {bulk.host}'s subflow had no data to send for"
        f" {bulk.parts[3]:.0%} of its time although the application had some: the"
        " connection's send buffer or receive window was full; see"
        " net.ipv4.tcp_wmem of the sender and net.ipv4.tcp_rmem of the receiver",
        bulk.evidence,
        about=_beside(facts, bulk),
    )


def _beside(facts: Facts, bulk: Bulk) -> str:
    """The other one of a connection's two paths, of which a full buffer is the reason
    too; "" for other connections."""
    own = bulk.subflow.address
    others = {each.address for each in bulk.one.subflows} - {own}
    if len(others) != 1:
        return ""
    return f"{facts.path_name(bulk.one.client, others.pop())} of {bulk.one.client}"


def _fastest_and_half_empty(facts: Facts, bulk: Bulk) -> bool:
    """Whether a subflow has the shortest round trip of its connection, so that every
    scheduler would have it send, and its path has much capacity left."""
    one, host = bulk.one, bulk.host
    ways: dict[str, Way] = {}
    for subflow in one.subflows:
        number = facts.path_of(one.client, subflow.address)
        if number is None:
            return False
        ways[subflow.address] = of_path(facts, one.client, number, host)
    own = ways[bulk.subflow.address]
    used = _used(bulk.subflow, host, own)
    changed = {change.link for change in facts.changes}
    if used is None or used >= HALF_EMPTY or changed.intersection(own.shapes):
        return False
    if _taken(facts, own, host == one.client) >= HALF_EMPTY:
        return False
    return all(
        own.round_trip_s < way.round_trip_s
        for address, way in ways.items()
        if address != bulk.subflow.address
    )


def slow(facts: Facts) -> Iterator[Finding]:
    """Paths of which busy subflows used less than half: short queues, losses."""
    changed = {change.link for change in facts.changes}
    for bulk in _bulk(facts):
        one, host = bulk.one, bulk.host
        number = facts.path_of(one.client, bulk.subflow.address)
        if number is None or bulk.parts[2] < BUSY:
            continue
        way = of_path(facts, one.client, number, host)
        beside = [
            each
            for each in one.subflows
            if facts.path_of(one.client, each.address) == number
        ]
        parts_used = [_used(each, host, way) for each in beside]
        if None in parts_used or changed.intersection(way.shapes):
            continue
        if any(True for _ in failures.absent(facts, bulk.subflow)):
            continue  # it had no address for a time, which another rule tells
        if _unlearned(facts, way):
            continue
        used = sum(filter(None, parts_used))
        if used >= OF_CAPACITY or _taken(facts, way, host == one.client) >= OF_CAPACITY:
            continue
        control = bulk.entry.transport.congestion_control
        reason = never_recovered(facts, bulk.subflow, host, way, control)
        if reason := reason or most_lost(facts, way):
            path = facts.path_name(one.client, bulk.subflow.address)
            yield Finding(
                f"{path} carried {used:.0%} of its capacity: {reason[0]}",
                f"{reason[1]}; {bulk.evidence}",
                about=f"{path} of {one.client}",
            )


def _unlearned(facts: Facts, way: Way) -> bool:
    """Whether a middlebox of a way kept the sender from learning an mtu, which it tried
    out while its packets were lost. Another rule tells this."""
    return any(
        met.packets and box.kind == ICMP and box.action == DROPS
        for met in facts.met or ()
        for box in facts.job.middleboxes[met.box : met.box + 1]
        if box.link in way.shapes
    )


def _bulk(facts: Facts) -> Iterator[Bulk]:
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
                last = subflow.last(host)
                found = shares(subflow, host, entry.transport.is_mptcp)
                if last is None or found is None or found[0] < LEAST_BYTES:
                    continue
                if _lasted_s(subflow, host) >= LEAST_S:
                    yield Bulk(one, entry, subflow, host, last, found[1])


def _lasted_s(subflow: Subflow, host: str) -> float:
    """The time of a subflow at one end; 0 if its last state there is not known."""
    times = [event.time_s for event in subflow.both if event.host == host]
    last = subflow.last(host)
    return last.time_s - min(times) if last else 0.0


def _used(subflow: Subflow, host: str, way: Way) -> float | None:
    """The share of a path's capacity that a subflow's data took; None if the path has
    none, or if the subflow ended too soon to know."""
    lasted_s = _lasted_s(subflow, host)
    long_enough = lasted_s and lasted_s >= LEAST_ROUND_TRIPS * way.round_trip_s
    if not way.capacity_mbps or not long_enough:
        return None
    return subflow.delivered() * 8 / lasted_s / 1e6 / way.capacity_mbps


def _taken(facts: Facts, way: Way, up: bool) -> float:
    """The share of the traffic's time in which a path's bottleneck was sending, data of
    others included; 0 if it is not known.

    up : whether the data are those that users send
    """
    end_s = _number(facts, "measured_s")
    column = "up" if up else "down"
    busy_s = [
        _number(facts, f"{name}.{column}.busy_s")
        for name, shape in way.shapes.items()
        if shape.capacity_mbps == way.capacity_mbps
    ]
    return max(busy_s) / end_s if end_s else 0.0


def most_lost(facts: Facts, way: Way) -> tuple[str, str] | None:
    """The sentence's end and its evidence, for the link that lost most packets; None if
    nothing tells."""
    found: list[tuple[float, str, str]] = []
    several = len(way.shapes) > 1
    for name, shape in way.shapes.items():
        packets = f"the packets of {label(name)}" if several else "its packets"
        frames = _number(facts, f"{name}.bytes") / FRAME_BYTES
        bursts = shape.impairments and shape.impairments.burst_loss
        for share, how in (
            (shape.loss_percent, "at random"),
            (bursts.share_percent if bursts else 0.0, "in bursts"),
        ):
            found.append(
                (
                    frames * share / 100,
                    f"{share:.3g} % of {packets} are lost {how}",
                    f"loss of {name} by the plan",
                )
            )
        drops = _number(facts, f"{name}.queue_drops")
        length = _number(facts, f"{name}.queue_packets")
        whose = f"the queue of {label(name)}" if several else "its queue"
        found.append(
            (
                drops if length else 0.0,
                f"{whose} holds {many(round(length), 'packet')} and was full"
                f" {many(round(drops), 'time')}",
                f"{name}.queue_drops {drops:g}",
            )
        )
    most = max(found)
    return most[1:] if most[0] > 0 else None


def _number(facts: Facts, column: str) -> float:
    """A number of the run's row; 0 if it is not there."""
    value = facts.row.get(column)
    return float(value) if isinstance(value, int | float) else 0.0

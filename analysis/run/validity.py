"""Checks whether a run was what its job asked for.

Each check yields the reasons why the run is not valid. A reason is a short text for
the column `reason` of the run's row.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from analysis.run import (
    conservation,
    link_traffic,
    link_validity,
    path_names,
    tools,
    traffic,
)
from analysis.run.artefacts import Artefacts
from analysis.run.labels import label
from analysis.run.outcomes import expected
from analysis.run.timeliness import machine_kept_up
from analysis.run.traffic import Traffic
from analysis.words import many
from jobs import FRAME_BYTES, Link, Shape

Check = Callable[[Artefacts], Iterator[str]]

USED_FRAMES = 10
"""A path counts as used if it carried this many full packets, which is an initial
window, or one hundredth of all bytes of a short transfer."""
JOIN_ROUND_TRIPS = 4
SYN_TIMEOUT_S = 1.0
"""The time after which TCP sends a lost SYN again."""
FELL_BACK_SHARE = 0.05
"""Of hundreds of connections between many hosts, some lose the packets with which MPTCP
begins. They go on over TCP, as in any network, up to this share of them."""
UNUSED_SHARE = 0.01
"""A link counts as unused if it carried less than this share of all bytes."""


def reasons(run: Artefacts) -> tuple[str, ...]:
    """The reasons of all checks; empty if the run is valid."""
    return tuple(reason for check in CHECKS for reason in check(run))


def transport_as_asked(run: Artefacts) -> Iterator[str]:
    """Each host's kernel reports the controller and scheduler that the job names."""
    several = len(run.initiators) > 1
    for host in run.initiators:
        reported = run.outcome.transports.get(host) or {}
        asked_of: dict[str, str | None] = {}
        transport = run.job.transports[host]
        of_host = [entry for entry in run.traffic if host in entry.sources]
        # A tool that sets congestion control on each socket reports it itself.
        if not all(entry.record.own_control for entry in of_host):
            asked_of["congestion_control"] = transport.kernel_control
        if traffic.opens_mptcp(run.traffic, host):
            asked_of["scheduler"] = transport.scheduler
        for name, asked in asked_of.items():
            used = reported.get(name)
            if asked != used:
                where = f" on {host}" if several else ""
                words = name.replace("_", " ")
                yield f"{words} is {used}{where}, asked for {asked}"


def no_fallback(run: Artefacts) -> Iterator[str]:
    """No MPTCP connection fell back to TCP on either end, and no TCP tried MPTCP."""
    yield from _fallbacks_of_many(run)
    seen: set[str] = set()
    every = _Lasted(run)
    may_fall_back = _may_fall_back(run)
    for host in run.initiators:
        counters = run.counters[host]
        if not traffic.opens_mptcp(run.traffic, host):
            count = counters.mptcp("MPCapableSYNTX")
            of_host = [entry for entry in run.traffic if host in entry.sources]
            if any(may_fall_back(entry, 0.0) for entry in of_host):
                continue
            if count:
                tried = many(count, "connection")
                yield f"plain TCP asked for, but {tried} tried MPTCP"
            continue
        of_host = [entry for entry in run.traffic if host in entry.sources]
        needed = sum(
            lasted.connections
            for entry, lasted in every.of(host)
            if entry.transport.is_mptcp
        )
        if any(may_fall_back(entry, join_deadline_s(run)) for entry in of_host):
            continue
        connections = counters.mptcp("MPCapableSYNACKRX")
        if connections < needed:
            yield f"{connections} MPTCP connections, but the traffic needs {needed}"
        if any(entry.flow_bytes is not None or entry.pairs for entry in of_host):
            continue  # they may fall back, see `analysis.run.tools.flows.lasted`
        servers = [
            there
            for entry in of_host
            for here, there in entry.all_pairs
            if here == host
        ]
        ends = [end for end in (host, *servers) if end not in seen]
        seen.update(ends)
        for end in dict.fromkeys(ends):
            for name, count in run.counters[end].fallbacks():
                yield f"fell back to TCP: {name} is {count} on the {end}"


def _may_fall_back(run: Artefacts) -> Callable[[Traffic[Any], float], bool]:
    """`Provoked.may_fall_back`, asked once per entry: hundreds of hosts share one."""
    known: dict[tuple[int, float], bool] = {}

    def may(entry: Traffic[Any], within_s: float) -> bool:
        key = (id(entry), within_s)
        if key not in known:
            known[key] = run.provoked.may_fall_back(entry, within_s)
        return known[key]

    return may


def _fallbacks_of_many(run: Artefacts) -> Iterator[str]:
    """Hardly any connection of an entry between many hosts fell back to TCP."""
    for entry, report in _entries(run):
        if not entry.pairs or not entry.transport.is_mptcp or not entry.bulk:
            continue
        if report is None:
            continue
        there = [flow for flow in report.flows if flow.connected_s is not None]
        fell_back = sum(flow.subflows == 0 for flow in there)
        if fell_back > FELL_BACK_SHARE * len(there):
            yield f"{fell_back} of {many(len(there), 'connection')} fell back to TCP"


def subflows_established(run: Artefacts) -> Iterator[str]:
    """Every MPTCP connection got all its subflows, on both ends.

    A connection has one subflow per path, or several over a single path if the job
    asks for that. Connections that ended before their subflows could join are left out.
    """
    deadline_s = join_deadline_s(run)
    every = _Lasted(run)
    parts = {id(entry): _by_source(entry) for entry in run.traffic}
    may_fall_back = _may_fall_back(run)
    for host in run.initiators:
        if not traffic.opens_mptcp(run.traffic, host):
            continue
        of_host = [
            (entry, lasted)
            for entry, lasted in every.of(host)
            if entry.transport.is_mptcp
        ]
        expected = sum(
            run.provoked.joining(parts[id(entry)].get(host, entry), deadline_s)
            * lasted.longer_than(deadline_s)
            for entry, lasted in of_host
        )
        needed = max(
            (
                run.provoked.joining(parts[id(e)].get(host, e), deadline_s)
                for e, _ in of_host
            ),
            default=0,
        )
        lacking = [
            subflows
            for entry, lasted in of_host
            for seconds, subflows in lasted.each
            if seconds > deadline_s
            and subflows < 1 + needed
            and (subflows or not may_fall_back(entry, deadline_s))
        ]
        if lacking:
            short = many(len(lacking), "connection")
            reason = f"{short} of {host} ended with fewer than"
            yield f"{reason} {many(1 + needed, 'subflow')}"
        joined = run.counters[host].mptcp("MPJoinSynAckRx")
        if joined < expected:
            yield f"{joined} of {expected} further subflows joined ({host})"
    yield from _accepted(run, deadline_s)


def _accepted(run: Artefacts, deadline_s: float) -> Iterator[str]:
    """Every host accepted all subflows of the connections to it."""
    expected: dict[str, int] = {}
    for entry, report in _entries(run):
        if not entry.transport.is_mptcp:
            continue
        reported, parts = _Parts(entry, report), _by_source(entry)
        for pair in entry.all_pairs:
            own = reported.of(*pair)
            lasted = tools.of(entry, own).lasted(entry, own)
            further = run.provoked.joining(parts.get(pair[0], entry), deadline_s)
            count = further * lasted.longer_than(deadline_s)
            expected[pair[1]] = expected.get(pair[1], 0) + count
    for host, count in expected.items():
        joined = run.counters[host].mptcp("MPJoinAckRx")
        if joined < count:
            yield f"{joined} of {count} further subflows joined ({host})"


def _by_source(entry: Traffic[Any]) -> dict[str, Traffic[Any]]:
    """The parts of an entry by the host that opens their connections."""
    return {own.source: own for own in entry.by_host}


class _Parts:
    """The parts of an entry's report that are of a host, or of a pair of hosts.

    Between many hosts, connections that fell back to TCP are left out.
    """

    def __init__(self, entry: Traffic[Any], report: Any) -> None:
        self._whole = not entry.pairs or report is None
        self._report = report

    def of(self, source: str, destination: str | None = None) -> Any:
        if self._whole:
            return self._report
        own = self._by_source.get(source, ())
        flows = tuple(f for f in own if destination in (None, f.destination))
        return replace(self._report, flows=flows)

    @cached_property
    def _by_source(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for flow in self._report.flows:
            if flow.subflows > 0:
                found.setdefault(flow.source, []).append(flow)
        return found


class _Lasted:
    """The traffic entries of a host that opens connections, with the number and
    duration of its connections."""

    def __init__(self, run: Artefacts) -> None:
        self._entries = [
            (entry, _Parts(entry, report), frozenset(entry.sources))
            for entry, report in _entries(run)
        ]

    def of(self, host: str) -> Iterator[tuple[Traffic[Any], tools.Lasted]]:
        for entry, parts, sources in self._entries:
            if host in sources:
                own = parts.of(host)
                yield entry, tools.of(entry, own).lasted(entry, own)


def links_used(run: Artefacts) -> Iterator[str]:
    """The bottlenecks that the transports are to use carried data, and no others did.

    A link that is to be used may carry nothing if a scheduler leaves it unused, if
    only backup paths take it, and also in downloads and requests, whose connections can
    be too short to use it.
    """
    bulk = any(entry.bulk for entry in run.traffic)
    carried = link_traffic.link_bytes(run)
    total = sum(carried.values())
    used = {link.name for link in run.used_links}
    needed = used & run.needed_links - run.provoked.missing(join_deadline_s(run))
    least = _least_bytes(run, total)
    for name, count in carried.items():
        if name in needed and bulk and count < least:
            yield f"{label(name)} carried {many(count, 'byte')} only"
        if name not in used and count > total * UNUSED_SHARE:
            yield f"{label(name)} carried {many(count, 'byte')}, but was not to be used"


def paths_used(run: Artefacts) -> Iterator[str]:
    """Each host that opens connections used all paths that it is to use."""
    for entry in run.traffic:
        if not entry.bulk and not _by_program(run, entry):
            continue
        if len(entry.sources) > 1 and run.has_classes:
            continue  # the hosts of a data centre have their links in common
        for own in entry.by_host:
            carried = link_traffic.path_bytes(run, own)
            least = _least_bytes(run, sum(carried.values()))
            for number, count in carried.items():
                if run.provoked.misses(own, number, join_deadline_s(run)):
                    continue
                if count < least and not traffic.is_backup(run.job, own, number):
                    path = path_names.words(run.job, own.source, number)
                    yield f"{own.source}: {path} carried {many(count, 'byte')} only"


def _by_program(run: Artefacts, entry: Traffic[Any]) -> bool:
    """Whether an entry's program speaks QUIC itself, and had time to open all paths."""
    if not (entry.transport.is_quic and entry.record.own_protocol):
        return False
    report = run.reports[run.traffic.index(entry)]
    flow = tools.of(entry, report).flow(entry, report) if report is not None else None
    return entry.bytes is None or (
        flow is not None and flow.seconds > join_deadline_s(run)
    )


def _least_bytes(run: Artefacts, total: int) -> float:
    """The bytes that a path must have carried to count as used.

    One byte is enough if every MPTCP connection has all its subflows, because then it
    was the scheduler that left the path unused.
    """
    only_mptcp = all(traffic.opens_mptcp(run.traffic, h) for h in run.initiators)
    if only_mptcp and not any(subflows_established(run)):
        return 1
    return min(USED_FRAMES * FRAME_BYTES, total / 100)


def memory_sufficed(run: Artefacts) -> Iterator[str]:
    """TCP never came under memory pressure (`net.ipv4.tcp_mem`).

    Under pressure, TCP shrinks its windows for a reason other than the network.
    """
    for host, counters in run.counters.items():
        if count := counters.get("TcpExtTCPMemoryPressures"):
            times = many(count, "time")
            yield f"TCP was short of memory {times} ({host}): tcp_mem is too low"


def traffic_as_asked(run: Artefacts) -> Iterator[str]:
    """Every traffic entry did what the job asks for, according to its tool."""
    for index, (entry, report) in enumerate(_entries(run)):
        if index in run.excused or run.provoked.end(entry, None):
            continue
        for reason in tools.of(entry, report).wrong(entry, report):
            yield f"traffic {index}: {reason}"


def _entries(run: Artefacts) -> "zip[tuple[Traffic[Any], Any]]":
    return zip(run.traffic, run.reports, strict=True)


def join_deadline_s(run: Artefacts) -> float:
    """Time that a connection can exist before it must have all its subflows, in
    seconds.

    It takes one round trip to connect, one until the first data are acknowledged and
    one to join. The deadline allows for one more, for the slowest path with all its
    queues full, and for the timeout after which a lost SYN is sent again.
    """
    return SYN_TIMEOUT_S + JOIN_ROUND_TRIPS * max(
        sum(_round_trip_s(link) for link in path) for path in _paths(run)
    )


def _paths(run: Artefacts) -> Iterator[list[Link]]:
    """The links of every path of the network."""
    settings = {link.name: link for link in run.job.links}
    for user in run.users.values():
        for path in user:
            yield [settings[name] for name in path.links if name in settings]


def _round_trip_s(link: Link) -> float:
    """The part of a link in a round trip with one full queue, in seconds."""
    both = (link.direction(True), link.direction(False))
    delays_s = sum(way.delay_ms + way.jitter_ms for way in both) / 1e3
    return delays_s + max(map(_queue_s, both))


def _queue_s(link: Shape) -> float:
    """The time in which a full queue drains, in seconds."""
    if link.capacity_mbps is None:
        return 0.0
    return link.queue_packets * link.frame_bytes * 8 / (link.capacity_mbps * 1e6)


CHECKS: tuple[Check, ...] = (
    transport_as_asked,
    link_validity.links_as_asked,
    link_validity.changes_as_asked,
    no_fallback,
    subflows_established,
    links_used,
    paths_used,
    link_validity.no_drop_elsewhere,
    memory_sufficed,
    traffic_as_asked,
    expected.unmet,
    conservation.broken,
    machine_kept_up,
)

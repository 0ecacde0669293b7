"""Paths that carried next to nothing, copies, and windows that limited a sender."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from analysis.run import traffic
from analysis.run.explain import failures
from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, at, listed, many
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.ways import of_path
from analysis.run.labels import label

UNKNOWN = "the reason is not known"
UNUSED_SHARE = 0.05
OF_CAPACITY = 0.25
"""A path with a small share of the capacity has a small share of the bytes too: it is
unused below this fraction of its share of the capacity."""
LEAST_BYTES = 20_000
COPIED_SHARE = 0.05
LEAST_SEGMENTS = 100
"""Of fewer segments, a single copy is a large share."""
LIMITED_SHARE = 0.5
LEAST_BUSY_MS = 1000
FULL = 0.9
"""A sender that leaves more than the rest of a path's capacity is not held by it."""
DUPLICATES = "MPTcpExtDuplicateData"
REMOVED = "MPTcpExtRmSubflow"
REINJECTED = "MPTcpExtMPTCPRetrans"


def unused_paths(facts: Facts) -> Iterator[Finding]:
    """Paths whose subflows joined and carried a small share of a host's data."""
    for host in facts.clients():
        carried = _by_path(facts, host)
        total = sum(carried.values())
        if total < LEAST_BYTES:
            continue
        capacities = _capacities(facts, host)
        for number, count in sorted(carried.items()):
            share = count / total
            if share >= UNUSED_SHARE:
                continue
            if capacities:
                fair = capacities[number] / sum(capacities.values())
                if share >= OF_CAPACITY * fair:
                    continue
            address = facts.users[host][number - 1].address or ""
            reason = _reason(facts, host, number, carried)
            if reason is None:
                continue
            path = facts.path_name(host, address)
            yield Finding(
                f"{path} carried {share:.1%} of the bytes: {reason}",
                f"{count} of {total} bytes by tcp_closed and tcp_open",
                about=f"{path} of {host}",
                known=reason != UNKNOWN,
            )


def one_bottleneck(facts: Facts) -> Iterator[Finding]:
    """Hosts whose paths all have the same link as their bottleneck.

    Where others share it, a bottleneck for all is what the file asks about.
    """
    if len(facts.traffic) > 1:
        return
    for host in facts.clients():
        carried = _by_path(facts, host)
        if len(carried) < 2 or sum(carried.values()) < LEAST_BYTES:
            continue
        capacities = _capacities(facts, host)
        if not capacities:
            continue
        sender = _sender(facts, host)
        ways = [of_path(facts, host, number, sender) for number in sorted(carried)]
        for name, shape in ways[0].shapes.items():
            capacity = shape.capacity_mbps
            shared = all(name in way.shapes for way in ways)
            if not (
                capacity and shared and {capacities[n] for n in carried} == {capacity}
            ):
                continue
            paths = [
                facts.path_name(host, facts.users[host][n - 1].address or "")
                for n in sorted(carried)
            ]
            yield Finding(
                f"{listed(paths)} of the {host} pass {label(name)}, which carries"
                f" {capacity:g} Mbit/s: together they have no more",
                "the links of the paths by the plan",
            )


def _by_path(facts: Facts, host: str) -> dict[int, int]:
    """Bytes on each path of a host over which an MPTCP subflow was established."""
    carried: dict[int, int] = defaultdict(int)
    for one in facts.connections:
        if one.client != host or not _is_mptcp(facts, one):
            continue
        for subflow in one.subflows:
            number = facts.path_of(host, subflow.address)
            established = not subflow.is_join or subflow.joined
            if number is not None and established:
                carried[number] += subflow.delivered()
    return dict(carried)


def _is_mptcp(facts: Facts, one: Connection) -> bool:
    return facts.traffic[one.entry].transport.is_mptcp


def _capacities(facts: Facts, host: str) -> Mapping[int, float]:
    """The bottleneck's capacity of each path in Mbit/s, in the direction of the data of
    the host's first entry; empty if one has none."""
    sender = _sender(facts, host)
    found = {}
    for number, _ in enumerate(facts.users[host], start=1):
        capacity = of_path(facts, host, number, sender).capacity_mbps
        if capacity is None:
            return {}
        found[number] = capacity
    return found


def _sender(facts: Facts, host: str) -> str:
    """The end that sends the data of a host's first entry."""
    entry = next(entry for entry in facts.traffic if host in entry.sources)
    return host if entry.forward else entry.destination


def _reason(
    facts: Facts, host: str, number: int, carried: Mapping[int, int]
) -> str | None:
    """The reason why a path carried little; None if another rule tells it."""
    address = facts.users[host][number - 1].address or ""
    entries = [entry for entry in facts.traffic if host in entry.sources]
    subflows = [
        subflow
        for one in facts.connections
        for subflow in one.subflows
        if one.client == host and subflow.address == address
    ]
    planned = any(traffic.is_backup(facts.job, entry, number) for entry in entries)
    if planned or any(told_backup(subflow) for subflow in subflows):
        return "it is a backup path, and the others worked"
    if any(subflow.named("SubflowStale") for subflow in subflows):
        return None
    if any(failures.is_told(facts, subflow) for subflow in subflows):
        return None
    if dark := facts.dark(host, address):
        return dark[0].words
    bulk = any(entry.bulk for entry in entries)
    if not bulk and _never_full(facts, host, carried):
        return (
            "the application sent less than the other path carries, so the scheduler"
            " had no reason to use it"
        )
    return UNKNOWN


def told_backup(subflow: Subflow) -> bool:
    """Whether an end was last told that a subflow is a backup."""
    told = subflow.named("sub_established", "sub_priority", "MPJoinSynAckBackupRx")
    return any(
        event.get("backup") == "1" or event.name == "MPJoinSynAckBackupRx"
        for of_end in (subflow.own, subflow.peer)
        for event in [e for e in of_end if e in told][-1:]
    )


def _never_full(facts: Facts, host: str, carried: Mapping[int, int]) -> bool:
    """Whether the path with the most data could carry all of it."""
    best = max(carried, key=lambda number: carried[number])
    capacity = _capacities(facts, host).get(best)
    spans = [span for one in facts.connections if (span := _span(one, host))]
    if capacity is None or not spans:
        return False
    seconds = max(end for _, end in spans) - min(start for start, _ in spans)
    if seconds <= 0:
        return False
    return sum(carried.values()) * 8 / seconds / 1e6 < FULL * capacity


def _span(one: Connection, host: str) -> tuple[float, float] | None:
    times = [event.time_s for event in one.events]
    return (min(times), max(times)) if one.client == host else None


def copies(facts: Facts) -> Iterator[Finding]:
    """Data that a receiver had already."""
    for host, of_host in facts.counters.items():
        copied, arrived = of_host.get(DUPLICATES), of_host.get("TcpInSegs")
        if arrived < LEAST_SEGMENTS or copied / arrived < COPIED_SHARE:
            continue
        scheduler = facts.job.transport.scheduler
        if scheduler == "redundant":
            reason = "the scheduler redundant sends all data on every path"
        elif again := facts.total(REINJECTED):
            reason = f"{many(again, 'stretch')} of data went again over another subflow"
        elif facts.total(REMOVED) or failures.lost(facts):
            reason = "subflows were closed, and their data was sent again on others"
        elif failures.ended_unjoined(facts):
            reason = (
                "a subflow that had never joined was closed, and Linux sent all data on"
                " the way again"
            )
        else:
            reason = "the reason is not known"
        yield Finding(
            f"{copied / arrived:.0%} of the segments that reached the {host} were"
            f" copies of data that it had: {reason}",
            f"{facts.evidence(DUPLICATES)}; TcpInSegs is {arrived} on the {host}",
        )


def _other(facts: Facts, one: Connection, host: str) -> str:
    """The host at the other end of a connection."""
    return facts.traffic[one.entry].destination if host == one.client else one.client


def limited(facts: Facts) -> Iterator[Finding]:
    """Senders that waited for the receiver's window or for space of their own.

    Subflows of MPTCP share one send buffer, and each of them counts time in which it
    has no data as time in which the buffer held it: that says nothing.
    """
    for kind, whose, sysctl in (
        ("rwnd_ms", "the receiver's window", "net.ipv4.tcp_rmem of the receiver"),
        ("sndbuf_ms", "the send buffer", "net.ipv4.tcp_wmem of the sender"),
    ):
        found = [
            (subflow, event, event.count(kind) / event.count("busy_ms"))
            for one in facts.connections
            for subflow in one.subflows
            for event in subflow.states()
            if event.count("busy_ms") >= LEAST_BUSY_MS
            and (kind == "rwnd_ms" or not _is_mptcp(facts, one))
            and not facts.passes_on(one.entry, _other(facts, one, event.host))
            and not facts.ended_by_proxy(one.client, subflow.address)
        ]
        held = [each for each in found if each[2] >= LIMITED_SHARE]
        if not held:
            continue
        subflow, event, share = max(held, key=lambda each: each[2])
        path = facts.path_name(subflow.client, subflow.address)
        yield Finding(
            f"{whose} held the {event.host} back on {path} for {share:.0%} of the time"
            f" in which it had data to send: see {sysctl}",
            f"{event.name} {at([event.time_s])}: {kind[:-3]} {event.count(kind)} of"
            f" {event.count('busy_ms')} ms",
        )

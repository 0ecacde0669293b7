"""Whether a run was what was asked: each check gives reasons why not.

A reason is one line of at most a few words a thing, for the `reason` of a row.
"""

from collections.abc import Callable, Iterator
from typing import Any

from analysis.run import link_traffic, tools
from analysis.run.artefacts import Artefacts
from analysis.run.job import FRAME_BYTES, LinkSettings, Traffic, label
from analysis.run.observed_links import Direction
from analysis.run.timeliness import machine_kept_up

Check = Callable[[Artefacts], Iterator[str]]

RATE_TOLERANCE = 1e-3
RATE_STEP_MBPS = 8e-6
"""tc keeps rates in whole bytes a second."""
DELAY_TOLERANCE = 1e-4
DELAY_STEP_MS = 2e-3
"""tc shows delays with six digits."""
LOSS_STEP_PERCENT = 1e-4
QUEUE_STEP_PACKETS = 1.0
USED_FRAMES = 10
"""A path is used if it carried more than an initial window of full packets, or
one in a hundred of all bytes of a short transfer."""
BULK = ("iperf3",)
"""Tools that fill whatever path they are given."""
JOIN_ROUND_TRIPS = 4
SYN_TIMEOUT_S = 1.0
UNUSED_PART = 0.01
"""A path is unused if it carried less than this part of the bytes."""


def reasons(run: Artefacts) -> tuple[str, ...]:
    """Why the run does not count; empty if it does."""
    return tuple(reason for check in CHECKS for reason in check(run))


def transport_as_asked(run: Artefacts) -> Iterator[str]:
    """What the kernel says that each host used is what was asked."""
    several = len(run.job.initiators) > 1
    for host, transport in run.job.initiators.items():
        got = run.outcome.transports.get(host) or {}
        names = ["congestion_control"]
        names += ["scheduler"] if transport.protocol == "mptcp" else []
        for name in names:
            want, have = getattr(transport, name), got.get(name)
            if want != have:
                where = f" on {host}" if several else ""
                what = name.replace("_", " ")
                yield f"{what} is {have}{where}, asked for {want}"


def no_fallback(run: Artefacts) -> Iterator[str]:
    """MPTCP stayed MPTCP on both ends; plain TCP never tried to be it."""
    for host, transport in run.job.initiators.items():
        mine = [entry for entry in run.job.traffic if entry.source == host]
        counted = run.counters[host]
        if transport.protocol != "mptcp":
            if count := counted.mptcp("MPCapableSYNTX"):
                yield f"plain TCP asked for, but {count} connections tried MPTCP"
            continue
        lasted = [each for entry, each in _lasted(run) if entry.source == host]
        streams = sum(each.connections for each in lasted)
        connections = counted.mptcp("MPCapableSYNACKRX")
        if connections < streams:
            yield f"{connections} MPTCP connections, but the traffic takes {streams}"
        for end in dict.fromkeys((host, *(entry.destination for entry in mine))):
            for name, count in run.counters[end].fallbacks():
                yield f"fell back to TCP: {name} is {count} on the {end}"


def subflows_established(run: Artefacts) -> Iterator[str]:
    """Every MPTCP connection that lived long enough to has all its subflows, on both
    ends: one on each of its paths, or as many over one as were asked."""
    deadline_s = join_deadline_s(run)
    for host, transport in run.job.initiators.items():
        if transport.protocol != "mptcp":
            continue
        long = sum(
            each.connections
            for entry, each in _lasted(run)
            if entry.source == host and each.seconds > deadline_s
        )
        wanted = ((transport.same_pair or len(run.users[host])) - 1) * long
        servers = {e.destination for e in run.job.traffic if e.source == host}
        ends = {host: "MPJoinSynAckRx", **dict.fromkeys(servers, "MPJoinAckRx")}
        for end, name in ends.items():
            joined = run.counters[end].mptcp(name)
            if joined < wanted:
                yield f"{joined} of {wanted} further subflows joined ({end})"


def _lasted(run: Artefacts) -> Iterator[tuple[Traffic, tools.Lasted]]:
    for entry, report in _entries(run):
        yield entry, tools.tool(entry.tool).lasted(entry, report)


def links_used(run: Artefacts) -> Iterator[str]:
    """Data went over every link that the transports are to use, and no other.

    A link that is to be used may stay idle where all connections were too short for
    it, under requests and downloads, and where a scheduler kept it free.
    """
    bulk = any(entry.tool in BULK for entry in run.job.traffic)
    carried = link_traffic.link_bytes(run)
    total = sum(carried.values())
    used = {link.name for link in run.used_links}
    least = _least_bytes(run, total)
    for name, count in carried.items():
        if name in used and bulk and count < least:
            yield f"{label(name)} carried {count} bytes only"
        if name not in used and count > total * UNUSED_PART:
            yield f"{label(name)} carried {count} bytes, but was not to be used"


def paths_used(run: Artefacts) -> Iterator[str]:
    """Each host that opens connections sent over all paths that it is to use."""
    for entry in run.job.traffic:
        if entry.tool not in BULK:
            continue
        carried = link_traffic.path_bytes(run, entry)
        least = _least_bytes(run, sum(carried.values()))
        for number, count in carried.items():
            if count < least:
                yield f"{entry.source}: path {number} carried {count} bytes only"


def _least_bytes(run: Artefacts, total: int) -> float:
    """What a path has to have carried: anything at all, if every subflow is there, for
    then it was the scheduler that kept it free."""
    transports = run.job.initiators.values()
    if all(each.protocol == "mptcp" for each in transports) and not any(
        subflows_established(run)
    ):
        return 1
    return min(USED_FRAMES * FRAME_BYTES, total / 100)


def links_as_asked(run: Artefacts) -> Iterator[str]:
    """tc shows the rate, delay, jitter, loss and queue that were asked."""
    seen = {link.name: link for link in run.links}
    for link in run.job.links:
        if link.name not in seen:
            yield f"{link.label} was not built"
            continue
        for way in ("forward", "backward"):
            for what in _wrong(link, getattr(seen[link.name], way)):
                yield f"{link.label} {way}: {what}"


def _wrong(link: LinkSettings, found: Direction) -> Iterator[str]:
    rate_mbps = link.capacity_mbps or 0.0
    rate_step = max(RATE_STEP_MBPS, RATE_TOLERANCE * rate_mbps)
    delay_step, jitter_step = _step_ms(link.delay_ms), _step_ms(link.jitter_ms)
    compared = (
        ("rate", "Mbit/s", found.rate_mbps, link.capacity_mbps, rate_step),
        ("delay", "ms", found.delay_ms, link.delay_ms, delay_step),
        ("jitter", "ms", found.jitter_ms, link.jitter_ms, jitter_step),
        ("loss", "%", found.loss_percent, link.loss_percent, LOSS_STEP_PERCENT),
        (
            "queue",
            "packets",
            found.queue_packets,
            link.queue_packets,
            QUEUE_STEP_PACKETS,
        ),
    )
    for name, unit, have, want, tolerance in compared:
        if want is None:
            if have is not None:
                yield f"{name} is {have:g} {unit}, asked for none"
        elif have is None:
            yield f"{name} cannot be read back"
        elif abs(have - want) > tolerance:
            yield f"{name} is {have:g} {unit}, asked for {want:g}"


def _step_ms(delay_ms: float) -> float:
    return max(DELAY_STEP_MS, DELAY_TOLERANCE * delay_ms)


def no_drop_elsewhere(run: Artefacts) -> Iterator[str]:
    """Packets were dropped by the bottlenecks' queues and by asked loss alone."""
    shaped = {end.forward for end in run.outcome.links}
    shaped |= {end.backward for end in run.outcome.links}
    for qdisc in run.qdiscs:
        outside = (qdisc.node, qdisc.interface) not in shaped
        if outside and qdisc.parent is None and qdisc.drops:
            yield f"{qdisc.drops} packets dropped by {qdisc.place}"
    for link in run.links:
        for way in ("forward", "backward"):
            found: Direction = getattr(link, way)
            if found.other_drops and not found.loss_percent:
                lost = f"{found.other_drops} packets dropped before the queue"
                yield f"{label(link.name)} {way}: {lost}"
    for each in run.interfaces:
        if each.dropped or each.errors:
            count = each.dropped + each.errors
            yield f"{count} packets dropped by {each.interface} on {each.node}"


def memory_sufficed(run: Artefacts) -> Iterator[str]:
    """TCP never ran short of the machine's memory (`net.ipv4.tcp_mem`), after which
    windows shrink for a reason that no network has."""
    for host, counted in run.counters.items():
        if count := counted.get("TcpExtTCPMemoryPressures"):
            yield f"TCP was short of memory {count} times ({host}): tcp_mem is too low"


def traffic_as_asked(run: Artefacts) -> Iterator[str]:
    """Every entry did what was asked of it, as its tool can tell."""
    for index, (entry, report) in enumerate(_entries(run)):
        for reason in tools.tool(entry.tool).wrong(entry, report):
            yield f"traffic {index}: {reason}"


def _entries(run: Artefacts) -> "zip[tuple[Traffic, Any]]":
    return zip(run.job.traffic, run.reports, strict=True)


def join_deadline_s(run: Artefacts) -> float:
    """How long a connection may live without a subflow on each of its paths.

    To connect, to hear of the first data, to join: a round trip each and one more,
    all on the slowest path with its queue full; and the second after which a lost
    SYN is sent again.
    """
    return SYN_TIMEOUT_S + JOIN_ROUND_TRIPS * max(
        sum(
            2 * (link.delay_ms + link.jitter_ms) / 1e3 + _queue_s(link) for link in path
        )
        for path in _paths(run)
    )


def _paths(run: Artefacts) -> Iterator[list[LinkSettings]]:
    """The links of every path of the network."""
    settings = {link.name: link for link in run.job.links}
    for user in run.users.values():
        for path in user:
            yield [settings[name] for name in path.links if name in settings]


def _queue_s(link: LinkSettings) -> float:
    if link.capacity_mbps is None:
        return 0.0
    return link.queue_packets * FRAME_BYTES * 8 / (link.capacity_mbps * 1e6)


CHECKS: tuple[Check, ...] = (
    transport_as_asked,
    links_as_asked,
    no_fallback,
    subflows_established,
    links_used,
    paths_used,
    no_drop_elsewhere,
    memory_sufficed,
    traffic_as_asked,
    machine_kept_up,
)

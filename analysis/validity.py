"""Whether a run was what was asked: each check gives reasons why not.

A reason is one line of at most a few words a thing, for the `reason` of a row.
"""

from collections.abc import Callable, Iterator

from analysis import measure
from analysis.artefacts import Artefacts
from analysis.asked import FRAME_BYTES, PathAsked
from analysis.paths import Direction

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
UNUSED_PART = 0.01
"""A path is unused if it carried less than this part of the bytes."""


def reasons(run: Artefacts) -> tuple[str, ...]:
    """Why the run does not count; empty if it does."""
    return tuple(reason for check in CHECKS for reason in check(run))


def transport_as_asked(run: Artefacts) -> Iterator[str]:
    """What the kernel says that it used is what was asked."""
    asked, got = run.asked.transport, run.outcome.transport
    names = ["congestion_control"]
    names += ["scheduler"] if asked.protocol == "mptcp" else []
    for name in names:
        want, have = getattr(asked, name), got.get(name)
        if want != have:
            yield f"{name.replace('_', ' ')} is {have}, asked for {want}"


def no_fallback(run: Artefacts) -> Iterator[str]:
    """MPTCP stayed MPTCP on both ends; plain TCP never tried to be it."""
    if run.asked.transport.protocol != "mptcp":
        if count := run.client.mptcp("MPCapableSYNTX"):
            yield f"plain TCP asked for, but {count} connections tried MPTCP"
        return
    streams = sum(entry.parallel for entry in run.asked.traffic)
    connections = run.client.mptcp("MPCapableSYNACKRX")
    if connections < streams:
        yield f"{connections} MPTCP connections for {streams} streams of data"
    for host in ("client", "server"):
        for name, count in run.counters(host).fallbacks():
            yield f"fell back to TCP: {name} is {count} on the {host}"


def subflows_established(run: Artefacts) -> Iterator[str]:
    """Every MPTCP connection has all its subflows, on both ends."""
    if run.asked.transport.protocol != "mptcp":
        return
    wanted = (run.asked.subflows - 1) * run.client.mptcp("MPCapableSYNACKRX")
    for host, name in (("client", "MPJoinSynAckRx"), ("server", "MPJoinAckRx")):
        joined = run.counters(host).mptcp(name)
        if joined < wanted:
            yield f"{joined} of {wanted} further subflows joined ({host})"


def paths_used(run: Artefacts) -> Iterator[str]:
    """Data went over every path that the transport is to use, and no other."""
    carried = measure.path_bytes(run)
    total = sum(carried.values())
    used = {path.number for path in run.asked.used_paths}
    for number, count in carried.items():
        if number in used and count < min(USED_FRAMES * FRAME_BYTES, total / 100):
            yield f"path {number} carried {count} bytes only"
        if number not in used and count > total * UNUSED_PART:
            yield f"path {number} carried {count} bytes, but was not to be used"


def links_as_asked(run: Artefacts) -> Iterator[str]:
    """tc shows the rate, delay, jitter, loss and queue that were asked."""
    seen = {path.number: path for path in run.paths}
    for path in run.asked.paths:
        if path.number not in seen:
            yield f"path {path.number} was not built"
            continue
        for way in ("forward", "backward"):
            for what in _wrong(path, getattr(seen[path.number], way)):
                yield f"path {path.number} {way}: {what}"


def _wrong(path: PathAsked, link: Direction) -> Iterator[str]:
    rate_step = max(RATE_STEP_MBPS, RATE_TOLERANCE * path.capacity_mbps)
    compared = (
        ("rate", "Mbit/s", link.rate_mbps, path.capacity_mbps, rate_step),
        ("delay", "ms", link.delay_ms, path.delay_ms, _step_ms(path.delay_ms)),
        ("jitter", "ms", link.jitter_ms, path.jitter_ms, _step_ms(path.jitter_ms)),
        ("loss", "%", link.loss_percent, path.loss_percent, LOSS_STEP_PERCENT),
        (
            "queue",
            "packets",
            link.queue_packets,
            path.queue_packets,
            QUEUE_STEP_PACKETS,
        ),
    )
    for name, unit, have, want, tolerance in compared:
        if have is None:
            yield f"{name} cannot be read back"
        elif abs(have - want) > tolerance:
            yield f"{name} is {have:g} {unit}, asked for {want:g}"


def _step_ms(delay_ms: float) -> float:
    return max(DELAY_STEP_MS, DELAY_TOLERANCE * delay_ms)


def no_drop_elsewhere(run: Artefacts) -> Iterator[str]:
    """Packets were dropped by the bottlenecks' queues and by asked loss alone."""
    shaped = {end.forward for end in run.outcome.paths}
    shaped |= {end.backward for end in run.outcome.paths}
    for qdisc in run.qdiscs:
        outside = (qdisc.node, qdisc.interface) not in shaped
        if outside and qdisc.parent is None and qdisc.drops:
            yield f"{qdisc.drops} packets dropped by {qdisc.place}"
    for path in run.paths:
        for way in ("forward", "backward"):
            link: Direction = getattr(path, way)
            if link.other_drops and not link.loss_percent:
                lost = f"{link.other_drops} packets dropped before the queue"
                yield f"path {path.number} {way}: {lost}"
    for each in run.links:
        if each.dropped or each.errors:
            count = each.dropped + each.errors
            yield f"{count} packets dropped by {each.interface} on {each.node}"


def traffic_as_long_as_asked(run: Artefacts) -> Iterator[str]:
    """Timed traffic lasted its time, sized traffic sent its bytes."""
    for index, entry in enumerate(run.asked.traffic):
        report = run.reports[index].of(entry.receiver)
        if any(interval.sender for interval in report.intervals):
            yield f"traffic {index}: the {entry.receiver} sent data, not received"
        if report.streams is not None and report.streams != entry.parallel:
            yield f"traffic {index}: {report.streams} streams, not {entry.parallel}"
        slack_s = entry.interval_s * measure.INTERVAL_SLACK
        if entry.duration_s and report.end_s < entry.duration_s - slack_s:
            lasted = f"{report.end_s:.3f} s of {entry.duration_s:g}"
            yield f"traffic {index}: lasted {lasted}"
        sent, received = (
            sum(each.bytes for each in run.reports[index].of(end).intervals)
            for end in (entry.sender, entry.receiver)
        )
        # A server of iperf3 stops reading when the client has handed over its last
        # byte, so it is the sender's count that tells whether all was sent.
        if entry.bytes and sent < entry.bytes:
            yield f"traffic {index}: {sent} bytes sent of {entry.bytes}"
        if not received:
            yield f"traffic {index}: nothing was received"


CHECKS: tuple[Check, ...] = (
    transport_as_asked,
    links_as_asked,
    no_fallback,
    subflows_established,
    paths_used,
    no_drop_elsewhere,
    traffic_as_long_as_asked,
)

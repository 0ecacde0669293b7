"""The law of conservation: a network delivers no more than its links can carry.

The bytes that receivers read within a time are at most the integral of the capacity
over that time, times the share of payload in a frame. No queue adds to them, because
the time begins with the traffic, when nothing waits. The law holds for each traffic
entry, for all entries of a direction together, and for each link's frames. A run that
breaks it has a wrong number somewhere, whatever the cause.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.run import changed_links, clock, schedules, tools
from analysis.run.artefacts import Artefacts
from analysis.run.clock import Window
from analysis.run.labels import label
from analysis.run.payload import UDP_BYTES
from analysis.run.schedules import Steps
from analysis.run.traffic import Traffic
from jobs import FRAME_BYTES, Job, Link, Shape

StepsOf = Callable[[Job, Link, bool, float], Steps]
TOLERANCE = 2e-3
"""By this share a count may exceed the bound: clocks and rates are rounded."""
BURST_FRAMES = 12
"""Bytes that a link's bucket may hold in addition, in full packets: 15,000 bytes in a
TCLink of Mininet's, and two packets elsewhere."""
IP_AND_TCP_BYTES = 40
IP_AND_UDP_BYTES = 28
TIMESTAMP_BYTES = 12
MAPPING_BYTES = 20
"""Of MPTCP, in a full packet with timestamps."""
IP_BYTES = 1500


@dataclass(frozen=True)
class Part:
    """Bytes that the receiver of one traffic entry read, and the most that can be
    payload.

    window : when it read that
    share : the largest share of the bytes of frames that can be payload, 0-1
    paths : the links of each path that the entry may take
    """

    entry: Traffic[Any]
    bytes: float
    window: Window
    share: float
    paths: tuple[tuple[str, ...], ...]


def broken(run: Artefacts) -> Iterator[str]:
    """The reasons why a run breaks the law; none if it obeys it."""
    yield from _delay_lines(run)
    yield from _links(run)
    if run.has_classes:
        return  # its links are counted by class, and hosts have them in common
    parts = _parts(run)
    for part in parts:
        yield from _exceeded(run, [part], part.entry.title)
    for forward in (True, False):
        together = [part for part in parts if part.entry.forward == forward]
        if len(together) > 1:
            yield from _exceeded(run, together, "all entries together")


def payload_share(entry: Traffic[Any], mtu_bytes: int = IP_BYTES) -> float:
    """The largest share of the bytes of frames that can be payload, 0-1.

    mtu_bytes : the largest of the links
    """
    if entry.record.datagrams:
        return UDP_BYTES / FRAME_BYTES
    if entry.record.own_protocol or entry.transport.is_quic:
        return (mtu_bytes - IP_AND_UDP_BYTES) / (mtu_bytes + FRAME_BYTES - IP_BYTES)
    transport = entry.transport
    payload = mtu_bytes - IP_AND_TCP_BYTES
    payload -= TIMESTAMP_BYTES if transport.timestamps else 0
    may_fall_back = entry.flow_bytes is not None or bool(entry.pairs)
    if transport.protocol == "mptcp" and not may_fall_back:
        payload -= MAPPING_BYTES
    return payload / (mtu_bytes + FRAME_BYTES - IP_BYTES)


def _parts(run: Artefacts) -> list[Part]:
    """The entries whose tools say what arrived."""
    found = []
    for index, entry in enumerate(run.traffic):
        report = run.reports[index]
        flow = tools.of(entry, report).flow(entry, report)
        if flow is None:
            continue
        links = {
            path.links for own in entry.by_host for path in run.paths_of(own).values()
        }
        window = clock.window(run, index, flow)
        share = payload_share(entry, max(link.mtu_bytes for link in run.job.links))
        found.append(Part(entry, flow.bytes, window, share, tuple(sorted(links))))
    return found


def _exceeded(run: Artefacts, parts: Sequence[Part], name: str) -> Iterator[str]:
    """Whether parts have more bytes together than their links can carry."""
    window = clock.union([part.window for part in parts])
    most = _most_frame_bytes(run, parts, window)
    if most is None:
        return
    most_bytes = most * max(part.share for part in parts)
    count = sum(part.bytes for part in parts)
    if count > most_bytes * (1 + TOLERANCE):
        yield (
            f"conservation: {name}: {count:.0f} bytes arrived in"
            f" {window.seconds:.3f} s, and the links carry {most_bytes:.0f} at most"
        )


def _most_frame_bytes(
    run: Artefacts, parts: Sequence[Part], window: Window
) -> float | None:
    """The bytes of frames that the links of some entries can carry in a window; None if
    a path has no capacity.

    Links that all paths cross, one each, bound the sum. Two such sets are tried: the
    narrowest link of each path, and the one with the least capacity per path.
    """
    forward = parts[0].entry.forward
    settings = {link.name: link for link in run.job.links}
    paths = [path for part in parts for path in part.paths]
    taken = Counter(name for path in set(paths) for name in set(path))
    carries = {
        name: _link_bytes(run, settings[name], forward, window)
        for name in taken
        if name in settings and settings[name].capacity_mbps is not None
    }
    if not all(any(name in carries for name in path) for path in paths):
        return None
    cuts = []
    for weight in (
        lambda name: carries[name],
        lambda name: carries[name] / taken[name],
    ):
        cut = {min((n for n in path if n in carries), key=weight) for path in paths}
        cuts.append(sum(carries[name] for name in cut))
    return min(cuts)


def _link_bytes(
    run: Artefacts,
    link: Link,
    forward: bool,
    window: Window,
    steps_of: StepsOf = changed_links.capacity,
) -> float:
    """The bytes of frames that a direction of a link can carry in a window.

    steps_of : the link's capacity over time
    """
    end_s = window.end_s + window.unsure_s
    steps = steps_of(run.job, link, forward, end_s)
    mbit = schedules.integral(steps, window.begin_s, window.end_s)
    if window.unsure_s:
        # Nobody knows exactly when the window begins.
        mbit += window.unsure_s * max(value for _, value in steps)
    return mbit * 1e6 / 8 + _burst_bytes(run, link.direction(forward))


def _burst_bytes(run: Artefacts, way: Shape) -> float:
    fabric = run.job.fabric
    depth = (fabric.burst_packets if fabric else None) or 0
    own_bytes = (way.bucket_packets - Shape.bucket_packets) * way.frame_bytes
    return (BURST_FRAMES + depth) * FRAME_BYTES + max(0, own_bytes)


def _links(run: Artefacts) -> Iterator[str]:
    """Links whose shaper sent more than its rate allows, from the run's first to last
    moment."""
    if run.outcome.virtual_s is None:
        return
    settings = {link.name: link for link in run.job.links}
    places = Counter(end.link for end in run.outcome.links)
    whole = Window(0.0, run.outcome.virtual_s)
    for link in run.links:
        asked = settings.get(link.name)
        if asked is None or asked.capacity_mbps is None:
            continue
        for way, forward in (("forward", True), ("backward", False)):
            # A shaper sends its queue to an interface that has gone down.
            most = _link_bytes(run, asked, forward, whole, changed_links.rate)
            most *= places[link.name]
            count = link.direction(forward).bytes
            if count > most * (1 + TOLERANCE):
                yield (
                    f"conservation: {label(asked.name)} {way}: {count} bytes of frames"
                    f" in {whole.end_s:.3f} s, and it carries {most:.0f} at most"
                )


def _delay_lines(run: Artefacts) -> Iterator[str]:
    """Delay lines that are narrower than the link, so that they are the bottleneck."""
    for link in run.links:
        for way, forward in (("forward", True), ("backward", False)):
            one = link.direction(forward)
            if one.order_mbps and one.rate_mbps and one.order_mbps < one.rate_mbps:
                yield (
                    f"conservation: {link.name} {way}: its delay line carries"
                    f" {one.order_mbps:g} Mbit/s, and the link {one.rate_mbps:g}"
                )

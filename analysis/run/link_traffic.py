"""The bytes that the links and paths of a run carried."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.run import disciplines, metrics
from analysis.run.artefacts import Artefacts
from analysis.run.changed_links import loses
from analysis.run.observed_links import Direction, ObservedLink
from analysis.run.traffic import Traffic
from jobs import Shape

WAYS = {"up": True, "down": False}
"""The directions: of what users send, and towards them."""
BY_WAY = ("bytes", "share", "queue_drops")
"""Amounts of a link that are by direction where data flow in both."""


def link_bytes(run: Artefacts) -> dict[str, int]:
    """Bytes of frames that each bottleneck carried in the direction of the data.

    Returns link name to bytes. If data flow in both directions, both are added up.
    """
    directions = {entry.forward for entry in run.traffic}
    return {
        link.name: sum(link.direction(forward).bytes for forward in directions)
        for link in run.links
        if link.forward.rate_mbps is not None
    }


def path_bytes(run: Artefacts, entry: Traffic[Any]) -> dict[int, int]:
    """Bytes of frames in the direction of the data on each path of an entry's host.

    Returns path number, from 1, to bytes. They are counted at the interfaces of the
    host, so they include other entries of the same host. The result is empty if the
    guest does not report the host's interfaces.
    """
    counts = {
        (link.node, link.interface): link.sent_bytes
        if entry.forward
        else link.received_bytes
        for link in run.interfaces
    }
    return {
        number: counts[entry.source, path.interface]
        for number, path in run.paths_of(entry).items()
        if path.interface is not None and (entry.source, path.interface) in counts
    }


def by_link(run: Artefacts, carried: Mapping[str, int]) -> dict[str, Any]:
    """The columns of each bottleneck link.

    carried : link name to bytes, as `link_bytes` returns them

    LINK.queue_packets, LINK.jitter_ms : the settings that tc showed, of the direction
        from users unless all data flow towards them
    LINK.bytes : bytes of frames in the direction of the data
    LINK.share : share of these bytes over all links, 0-1; None if all carried nothing
    LINK.queue_drops : packets that the queue dropped in that direction; None where one
        netem has the queue and random losses, because it counts both together
    LINK.WAY.bytes, LINK.WAY.share, LINK.WAY.queue_drops : the same by direction, `up`
        and `down`, where data flow in both; the columns without it are None then
    LINK.drop_share, LINK.full_drops, LINK.marks : of links with a queue discipline, the
        share of the packets that reached the queue and were dropped, those dropped
        because the queue was full, and those that got a mark of ECN; None if there
        were none, or tc does not say
    """
    columns: dict[str, Any] = {}
    shares: dict[str, float | None] = dict.fromkeys(carried)
    if any(carried.values()):
        shares = dict(zip(carried, metrics.shares(list(carried.values())), strict=True))
    directions = {entry.forward for entry in run.traffic}
    settings = {link.name: link for link in run.job.links}
    observed = {link.name: link for link in run.links}
    for name, frame_bytes in carried.items():
        link = observed[name]
        if name in settings:
            forward = True in directions
            asked, seen = settings[name].direction(forward), link.direction(forward)
            columns[f"{name}.queue_packets"] = _queue_packets(asked, seen)
            columns[f"{name}.jitter_ms"] = round(seen.jitter_ms, 6)
        columns[f"{name}.bytes"] = frame_bytes
        columns[f"{name}.share"] = shares[name]
        dropped = _queue_drops(run, name, link, directions)
        columns[f"{name}.queue_drops"] = dropped
        traits = [link.direction(forward).traits for forward in directions]
        disciplined = any(t.discipline != disciplines.DROP_TAIL for t in traits)
        if disciplined and dropped is not None:
            sent = sum(link.direction(forward).packets for forward in directions)
            reached = sent + dropped
            columns[f"{name}.drop_share"] = dropped / reached if reached else None
            columns[f"{name}.full_drops"] = _sum(t.full_drops for t in traits)
            columns[f"{name}.marks"] = _sum(t.marks for t in traits)
        if len(directions) > 1:
            columns |= dict.fromkeys((f"{name}.{what}" for what in BY_WAY), None)
    return columns | (_by_way(run, list(carried)) if len(directions) > 1 else {})


def _by_way(run: Artefacts, names: Sequence[str]) -> dict[str, Any]:
    """The columns of each bottleneck link and direction."""
    observed = {link.name: link for link in run.links}
    columns: dict[str, Any] = {}
    for way, forward in WAYS.items():
        each = {name: observed[name].direction(forward) for name in names}
        counts = [one.bytes for one in each.values()]
        shares = metrics.shares(counts) if any(counts) else [None] * len(counts)
        for (name, one), share in zip(each.items(), shares, strict=True):
            columns[f"{name}.{way}.bytes"] = one.bytes
            columns[f"{name}.{way}.share"] = share
            columns[f"{name}.{way}.queue_drops"] = _queue_drops(
                run, name, observed[name], {forward}
            )
    return columns


def _queue_drops(
    run: Artefacts, name: str, link: ObservedLink, directions: Iterable[bool]
) -> int | None:
    """Packets that the queue of a link dropped; None if tc counts them together with
    random losses."""
    for forward in directions:
        if link.direction(forward).one_netem and _loses(run, name, forward):
            return None
    return sum(link.direction(forward).queue_drops for forward in directions)


def _loses(run: Artefacts, name: str, forward: bool) -> bool:
    """Whether a direction of a link loses packets at random, at any time."""
    shapes = [one.direction(forward) for one in run.job.links if one.name == name]
    bursts = any(way.impairments and way.impairments.burst_loss for way in shapes)
    return bursts or loses(run.job, name) or any(way.loss_percent for way in shapes)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of the counts that are known; None if none is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _queue_packets(settings: Shape, seen: Direction) -> int | None:
    """The queue's size as tc shows it, or the configured size if tc does not show it.

    tc shows the queue of a tbf as a latency in whole microseconds. That gives a little
    less than a whole number of packets, so the size is rounded.
    """
    shown = seen.queue_packets
    if seen.traits.discipline == disciplines.CAKE:
        return None
    return settings.queue_packets if shown is None else round(shown)

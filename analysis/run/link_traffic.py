"""What the links of a run carried."""

from collections.abc import Mapping
from typing import Any

from analysis.run import metrics
from analysis.run.artefacts import Artefacts
from analysis.run.job import LinkSettings, Traffic
from analysis.run.observed_links import ObservedLink


def link_bytes(run: Artefacts) -> dict[str, int]:
    """Bytes of frames that each bottleneck carried in the direction of the data.

    With traffic in both directions, the sum of both.
    """
    ways = {entry.forward for entry in run.job.traffic}
    return {
        link.name: sum(link.direction(way).bytes for way in ways)
        for link in run.links
        if link.forward.rate_mbps is not None
    }


def path_bytes(run: Artefacts, entry: Traffic) -> dict[int, int]:
    """Bytes of frames in the direction of the data on each path of an entry's host,
    by its interfaces; empty where the guest does not tell them.

    Of all entries of that host together.
    """
    counts = {
        (each.node, each.interface): each.sent_bytes
        if entry.forward
        else each.received_bytes
        for each in run.interfaces
    }
    return {
        number: counts[entry.source, path.interface]
        for number, path in run.paths_of(entry).items()
        if path.interface is not None and (entry.source, path.interface) in counts
    }


def by_link(run: Artefacts, carried: Mapping[str, int]) -> dict[str, Any]:
    """Queue and jitter of each bottleneck, as tc had them; its traffic and drops."""
    columns: dict[str, Any] = {}
    shares: dict[str, float | None] = dict.fromkeys(carried)
    if any(carried.values()):
        parts = metrics.shares(list(carried.values()))
        shares = dict(zip(carried, parts, strict=True))
    ways = {entry.forward for entry in run.job.traffic}
    settings = {link.name: link for link in run.job.links}
    seen = {link.name: link for link in run.links}
    for name, count in carried.items():
        if name in settings:
            columns[f"{name}.queue_packets"] = _queue_packets(
                settings[name], seen[name]
            )
            columns[f"{name}.jitter_ms"] = round(seen[name].forward.jitter_ms, 6)
        columns[f"{name}.bytes"] = count
        columns[f"{name}.share"] = shares[name]
        columns[f"{name}.queue_drops"] = sum(
            seen[name].direction(way).queue_drops for way in ways
        )
    return columns


def _queue_packets(settings: LinkSettings, link: ObservedLink) -> int:
    """The queue's size as tc shows it, or as it was asked where tc does not tell.

    tc shows a tbf queue as a latency in whole microseconds, which is a little less
    than a whole number of packets.
    """
    shown = link.forward.queue_packets
    return settings.queue_packets if shown is None else round(shown)

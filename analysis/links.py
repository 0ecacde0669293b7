"""What the links of a run carried."""

from collections.abc import Mapping
from typing import Any

from analysis import metrics
from analysis.artefacts import Artefacts
from analysis.asked import Traffic


def link_bytes(run: Artefacts) -> dict[str, int]:
    """Bytes of frames that each bottleneck carried in the direction of the data.

    With traffic in both directions, the sum of both.
    """
    ways = {entry.forward for entry in run.asked.traffic}
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
    """Of each bottleneck: its queue and jitter, and what it carried and dropped."""
    columns: dict[str, Any] = {}
    shares: dict[str, float | None] = dict.fromkeys(carried)
    if any(carried.values()):
        parts = metrics.shares(list(carried.values()))
        shares = dict(zip(carried, parts, strict=True))
    ways = {entry.forward for entry in run.asked.traffic}
    asked = {link.name: link for link in run.asked.links}
    seen = {link.name: link for link in run.links}
    for name, count in carried.items():
        if name in asked:
            columns[f"{name}.queue_packets"] = asked[name].queue_packets
            columns[f"{name}.jitter_ms"] = asked[name].jitter_ms
        columns[f"{name}.bytes"] = count
        columns[f"{name}.share"] = shares[name]
        columns[f"{name}.queue_drops"] = sum(
            seen[name].direction(way).queue_drops for way in ways
        )
    return columns

"""Whether the machine of a native run kept up with the network that it emulates.

In real time, an overloaded machine delays packets and programs, and no other file of a
run shows that. The checks apply to runs that recorded how much time was lost. In
virtual time no time is lost.
"""

from collections.abc import Iterator
from typing import Any

from analysis.run import tools
from analysis.run.artefacts import Artefacts
from analysis.run.payload import TCP_SHARE
from analysis.run.traffic import Traffic
from jobs import FRAME_BYTES, Link, Shape

LOST_PART = 0.05
"""The sum of all delays of timers may be this share of the traffic's duration."""
RTT_FACTOR = 1.5
RTT_SLACK_MS = 10.0
"""A round-trip time may exceed that of full queues by this factor and this time."""
UTILISATION = 0.8
"""A single TCP without competitors uses at least this share of its path's capacity."""
LEAST_S = 5.0
"""Shorter transfers are not checked, because they can end in slow start."""
FILLING = ("cubic", "reno")
"""Controllers that use a whole path if its queue holds at least half a round trip."""


def machine_kept_up(run: Artefacts) -> Iterator[str]:
    """Timers were on time, round trips plausible, and single TCPs used their paths."""
    lost = run.outcome.lost
    if lost is None:
        return
    if lost.lost_s > LOST_PART * lost.traffic_s:
        yield (
            f"the machine was too busy: timers were late by {lost.lost_s:.2f} s in "
            f"{lost.traffic_s:.1f} s of traffic, at most {lost.longest_s * 1e3:.0f} ms"
        )
    if run.job.changes:
        return  # what follows is known of links that stay as they are
    for index, (entry, report) in enumerate(zip(run.traffic, run.reports, strict=True)):
        if tools.has(entry, "BULK") and report is not None:
            late = _round_trip(run, entry, report)
            for reason in (*late, *_filled(run, entry, report)):
                yield f"traffic {index}: {reason}"


def _round_trip(run: Artefacts, entry: Traffic[Any], report: Any) -> Iterator[str]:
    rtt_ms = tools.has(entry, "longest_rtt_ms")(entry, report)
    if rtt_ms is None:
        return
    directions = len({other.forward for other in run.traffic})
    most_ms = max(_most_rtt_ms(path, directions) for path in _paths(run, entry))
    if rtt_ms > RTT_FACTOR * most_ms + RTT_SLACK_MS:
        yield (
            f"a round trip took {rtt_ms:.0f} ms, but delays and full queues make at "
            f"most {most_ms:.0f} ms: the machine was too busy"
        )


def _filled(run: Artefacts, entry: Traffic[Any], report: Any) -> Iterator[str]:
    """A single TCP that has a path without loss to itself fills it."""
    transport = entry.transport
    single = transport.protocol == "tcp" and transport.congestion_control in FILLING
    if not single or (entry.duration_s or 0.0) < LEAST_S:
        return
    (path,) = _paths(run, entry)
    others = [other for other in run.traffic if other is not entry]
    shared = {link.name for other in others for p in _paths(run, other) for link in p}
    both = [link.direction(forward) for link in path for forward in (True, False)]
    shaped = [
        link.direction(entry.forward) for link in path if link.capacity_mbps is not None
    ]
    if not shaped or any(way.loss_percent for way in both):
        return
    if any(link.name in shared for link in path):
        return
    narrowest = min(shaped, key=lambda way: way.capacity_mbps or 0.0)
    base_ms = sum(way.delay_ms + way.jitter_ms for way in both)
    if _queue_ms(narrowest) < base_ms / 2 or any(link.jitter_ms for link in path):
        return
    flow = tools.of(entry, report).flow(entry, report)
    goodput_mbps = flow.goodput_mbps if flow else 0.0
    capacity_mbps = (narrowest.capacity_mbps or 0.0) * TCP_SHARE
    if goodput_mbps < UTILISATION * capacity_mbps:
        yield (
            f"a TCP with a path to itself got {goodput_mbps:.2f} of "
            f"{capacity_mbps:.2f} Mbit/s: the machine was too busy"
        )


def _paths(run: Artefacts, entry: Traffic[Any]) -> list[list[Link]]:
    """The links of each path that an entry may take."""
    settings = {link.name: link for link in run.job.links}
    return [
        [settings[name] for name in path.links if name in settings]
        for path in run.paths_of(entry).values()
    ]


def _most_rtt_ms(path: list[Link], directions: int) -> float:
    both = [(link.direction(True), link.direction(False)) for link in path]
    delays_ms = sum(way.delay_ms + way.jitter_ms for ways in both for way in ways)
    queues_ms = sum(max(map(_queue_ms, ways)) for ways in both)
    return delays_ms + directions * queues_ms


def _queue_ms(way: Shape) -> float:
    if way.capacity_mbps is None:
        return 0.0
    return way.queue_packets * FRAME_BYTES * 8 / (way.capacity_mbps * 1e3)

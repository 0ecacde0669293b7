"""Dark paths: the stretches of time in which a job lets no packet pass.

A link is dark while it has no capacity or loses every packet in either direction, or
while the interface of a user on it is down. Times are seconds after the start of the
traffic.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from analysis.run import schedules
from jobs.changes import Series

Span = tuple[float, float]
"""The beginning and the end of a stretch of time."""
ALL_LOST_PERCENT = 100.0


class Way(Protocol):
    """One direction of a link."""

    @property
    def capacity_mbps(self) -> float | None: ...
    @property
    def loss_percent(self) -> float: ...


class Link(Protocol):
    """The settings of a link."""

    @property
    def name(self) -> str: ...
    def direction(self, forward: bool) -> Way: ...


def of_link(link: Link, changes: Sequence[Series], until_s: float) -> list[Span]:
    """The stretches in which no packet crosses a link and comes back."""
    spans: list[Span] = []
    for forward in (True, False):
        way = link.direction(forward)
        mbps = math.inf if way.capacity_mbps is None else way.capacity_mbps
        rates = schedules.capacity(changes, link.name, forward, mbps, until_s)
        losses = schedules.over_time(
            changes, link.name, "loss_percent", forward, way.loss_percent, until_s
        )
        passing = [(at_s, ALL_LOST_PERCENT - lost) for at_s, lost in losses]
        for steps in (rates, passing):
            spans += schedules.zero_spans(steps, until_s)
    return joined(spans)


def of_path(
    links: Iterable[Link], changes: Sequence[Series], until_s: float
) -> list[Span]:
    """The stretches in which any link of a path is dark."""
    return joined(span for link in links for span in of_link(link, changes, until_s))


def of_all(paths: Sequence[Sequence[Span]]) -> list[Span]:
    """The stretches in which all paths are dark.

    paths : the dark stretches of each, in order; at least one path
    """
    common = list(paths[0])
    for other in paths[1:]:
        common = [
            (max(one[0], two[0]), min(one[1], two[1]))
            for one in common
            for two in other
            if max(one[0], two[0]) < min(one[1], two[1])
        ]
    return common


def joined(spans: Iterable[Span]) -> list[Span]:
    """The stretches that at least one span covers, in order and apart."""
    found: list[Span] = []
    for begin_s, end_s in sorted(spans):
        if found and begin_s <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end_s))
        else:
            found.append((begin_s, end_s))
    return found


def touches(spans: Iterable[Span], begin_s: float, end_s: float) -> bool:
    """Whether a stretch lies at least partly between two times, ends included."""
    return any(one <= end_s and begin_s < other for one, other in spans)

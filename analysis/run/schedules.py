"""Links over time: the changes of a job, as steps of a function of time.

Times are seconds after the start of the traffic. A step holds from its time on, ends
excluded. Only the standard library is needed, because plans use this file too.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from jobs.changes import UP, Series

Steps = list[tuple[float, float]]
"""Steps in order of time: (time, value)."""


def over_time(
    series: Sequence[Series],
    link: str,
    quantity: str,
    forward: bool,
    before: float,
    until_s: float,
) -> Steps:
    """A quantity of one direction of a link, from 0 s until a time.

    before : what the link has until its first change
    """
    for one in series:
        if one.link == link and one.quantity == quantity and one.of(forward):
            found = list(one.steps(until_s))
            return found if found and found[0][0] == 0 else [(0.0, before), *found]
    return [(0.0, before)]


def capacity(
    series: Sequence[Series],
    link: str,
    forward: bool,
    before_mbps: float,
    until_s: float,
) -> Steps:
    """The capacity of a link, Mbit/s; 0 while the interfaces of its users are down."""
    rate = over_time(series, link, "capacity_mbps", forward, before_mbps, until_s)
    up = over_time(series, link, UP, forward, 1.0, until_s)
    return combined([rate, up], lambda values: values[0] if values[1] else 0.0)


def combined(functions: Sequence[Steps], how: Any) -> Steps:
    """The steps of what `how` makes of the values of several functions at each time."""
    times = sorted({time for steps in functions for time, _ in steps})
    found: Steps = []
    for time_s in times:
        made = how([at(steps, time_s) for steps in functions])
        if not found or found[-1][1] != made:
            found.append((time_s, made))
    return found


def at(steps: Steps, time_s: float) -> float:
    """The value at a time, at or after the first step."""
    place = bisect_right(steps, time_s, key=lambda step: step[0])
    return steps[max(place - 1, 0)][1]


def integral(steps: Steps, begin_s: float, end_s: float) -> float:
    """The integral between two times, such as Mbit of a capacity in Mbit/s."""
    total = 0.0
    for (from_s, value), (to_s, _) in pairwise([*steps, (end_s, 0.0)]):
        total += value * max(0.0, min(to_s, end_s) - max(from_s, begin_s))
    return total


def mean(steps: Steps, begin_s: float, end_s: float) -> float:
    """The mean over a stretch of time; the value at its beginning if it is empty."""
    if end_s <= begin_s:
        return at(steps, begin_s)
    return integral(steps, begin_s, end_s) / (end_s - begin_s)


def zero_spans(steps: Steps, until_s: float) -> list[tuple[float, float]]:
    """The stretches of time in which a function is 0, such as the outages of a link."""
    ends = pairwise([*steps, (until_s, 0.0)])
    return [
        (begin_s, min(end_s, until_s))
        for (begin_s, value), (end_s, _) in ends
        if not value and begin_s < min(end_s, until_s)
    ]

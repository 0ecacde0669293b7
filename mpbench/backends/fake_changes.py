"""Traces of changed links as a guest leaves them, from the job instead of a kernel."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from analysis.run import schedules
from analysis.run.readers.changes import HEAD
from jobs import Job
from jobs.changes import UP, Series
from topologies.reshaping import OUT_MBPS
from topologies.shaping import Shape
from topologies.wiring import Wiring

END_S = 0.011
"""Changes so shortly before the end of the traffic are not in the record."""


def _made(job: Job, end_s: float) -> list[tuple[float, Series, float]]:
    """The changes before the end: time, series and value."""
    found = [
        (time_s, number, value)
        for number, one in enumerate(job.changes)
        for time_s, value in one.steps(end_s - END_S)
    ]
    found.sort()
    return [(time_s, job.changes[number], value) for time_s, number, value in found]


def record(job: Job, end_s: float) -> bytes:
    """The file `changes.csv`, each change at its very time."""
    lines = [HEAD]
    for at_s, one, value in _made(job, end_s):
        times = f"{at_s:.9f},{at_s:.9f}"
        lines.append(f"{times},{one.link},{one.direction},{one.quantity},{value!r}")
    return "".join(f"{line}\n" for line in lines).encode()


def shapes_at_end(
    job: Job, wiring: Wiring, end_s: float
) -> Mapping[tuple[str, str], Shape]:
    """The last shape of each interface that changed, by node and interface."""
    return dict(_shapes(job, wiring, _made(job, end_s)))


def _shapes(
    job: Job, wiring: Wiring, made: list[tuple[float, Series, float]]
) -> Iterator[tuple[tuple[str, str], Shape]]:
    for place in wiring.links:
        for forward, at in ((True, place.forward), (False, place.backward)):
            both = job.shapes[place.link]
            shape = both if forward or both.down is None else both.down
            values: dict[str, Any] = {}
            for _, one, value in made:
                ours = one.link == place.link and one.of(forward)
                if ours and one.quantity != UP:
                    values[one.quantity] = value
            if values.get("capacity_mbps") == 0:
                values["capacity_mbps"] = OUT_MBPS
            if "queue_packets" in values:
                values["queue_packets"] = int(values["queue_packets"])
            if values:
                yield at, replace(shape, **values)


def mean_shape(job: Job, link: str, forward: bool) -> Shape:
    """A link with the mean of its capacity, which the formula of flows needs.

    forward : whether in the direction from users, else in that towards them

    The mean is over the time of the traffic, or over the changes if that is not known.
    """
    both = job.shapes[link]
    shape = both if forward or both.down is None else both.down
    own = [one for one in job.changes if one.link == link]
    if not own or shape.capacity_mbps is None:
        return shape
    end_s = max(one.period_s or one.at_s[-1] + 1 for one in own)
    ends = [e.duration_s and e.start_s + e.duration_s for e in job.traffic]
    known = [end for end in ends if end]
    if len(known) == len(ends):
        end_s = max(known)
    steps = schedules.capacity(own, link, forward, shape.capacity_mbps, end_s)
    return replace(
        shape, capacity_mbps=max(schedules.mean(steps, 0.0, end_s), OUT_MBPS)
    )

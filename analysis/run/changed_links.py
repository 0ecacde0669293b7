"""Links that changed during a run: when, to what, and whether all was as asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from analysis.run import schedules
from analysis.run.labels import label
from analysis.run.readers.changes import Change
from analysis.run.schedules import Steps
from jobs import Job, Link
from jobs.changes import LOSS_PERCENT, UP

LATEST_S = 0.01
"""A change that comes later than this is reported. In virtual time none does."""

FIELDS = ("capacity_mbps", "delay_ms", "queue_packets", "loss_percent")


def differences(job: Job, made: Sequence[Change], end_s: float) -> Iterator[str]:
    """Differences between the changes that were made and those of the job; one reason
    at most.

    end_s : when the last traffic ended
    """
    asked = _asked(job, end_s - LATEST_S)
    done = [change for change in made if change.at_s < end_s - LATEST_S]
    for wanted, change in zip_longest(asked, done):
        if change is None:
            at_s, link, _, quantity, value = wanted
            yield f"{_words(link, quantity, value)} at {at_s:g} s was not made"
            return
        key = (change.at_s, change.link, change.direction, change.quantity)
        words = _words(change.link, change.quantity, change.value)
        if wanted is None or (*key, change.value) != wanted:
            yield f"{words} at {change.at_s:g} s was not asked for"
            return
        if not 0 <= change.time_s - change.at_s <= LATEST_S:
            late_ms = 1e3 * (change.time_s - change.at_s)
            yield f"{words} came {round(late_ms, 1):g} ms late, at {change.at_s:g} s"
            return


def _asked(job: Job, end_s: float) -> list[tuple[float, str, str, str, float]]:
    """The changes of a job before a time: time, link, direction, quantity, value.

    Those of one time stand in the order of the job.
    """
    found = [
        (time_s, number, value)
        for number, one in enumerate(job.changes)
        for time_s, value in one.steps(end_s)
    ]
    return [
        (time_s, one.link, one.direction, one.quantity, value)
        for time_s, number, value in sorted(found)
        for one in (job.changes[number],)
    ]


def _words(link: str, quantity: str, value: float) -> str:
    return f"{label(link)}: the change of {quantity} to {value:g}"


def at_end(links: Sequence[Link], made: Sequence[Change]) -> tuple[Link, ...]:
    """Settings of each link at the end of a run, by the changes that were made.

    A capacity of 0 stands for a link that was out.
    """
    last: dict[str, dict[str, dict[str, float]]] = {}
    for change in made:
        if change.quantity in FIELDS:
            ways = ("up", "down") if change.direction == "both" else (change.direction,)
            for way in ways:
                of_link = last.setdefault(change.link, {}).setdefault(way, {})
                of_link[change.quantity] = change.value
    return tuple(
        _changed(link, last[link.name]) if link.name in last else link for link in links
    )


def _changed(link: Link, values: Mapping[str, Mapping[str, float]]) -> Link:
    down = link if link.down is None else link.down
    up_values, down_values = values.get("up", {}), values.get("down", {})
    return replace(
        link,
        **up_values,  # type: ignore[arg-type]
        down=replace(down, **down_values, down=None),  # type: ignore[arg-type]
    )


def capacity(job: Job, link: Link, forward: bool, until_s: float) -> Steps:
    """The capacity of a link over time in Mbit/s, 0 while nothing can use it.

    link : one that has a capacity
    """
    before_mbps = link.direction(forward).capacity_mbps or 0.0
    return schedules.capacity(job.changes, link.name, forward, before_mbps, until_s)


def rate(job: Job, link: Link, forward: bool, until_s: float) -> Steps:
    """The rate of a link's shaper over time in Mbit/s. It sends what waits in its queue
    also while the interfaces of users are down."""
    before_mbps = link.direction(forward).capacity_mbps or 0.0
    return schedules.over_time(
        job.changes, link.name, "capacity_mbps", forward, before_mbps, until_s
    )


def mean_capacity_mbps(
    job: Job, link: Link, forward: bool, span: tuple[float, float]
) -> float | None:
    """The mean capacity of a link over a span of time; None if it only delays."""
    own_mbps = link.direction(forward).capacity_mbps
    if own_mbps is None or not changes(job, link.name):
        return own_mbps
    return schedules.mean(capacity(job, link, forward, span[1]), *span)


def changes(job: Job, link: str) -> bool:
    """Whether a link changes during the run."""
    return any(one.link == link for one in job.changes)


def loses(job: Job, link: str) -> bool:
    """Whether a link's random loss changes, so that it may have lost packets before."""
    return any(o.link == link and o.quantity == LOSS_PERCENT for o in job.changes)


def switched(job: Job) -> set[str]:
    """The links whose users' interfaces go down or up."""
    return {one.link for one in job.changes if one.quantity == UP}

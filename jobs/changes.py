"""The changes of links during a run, as steps with nothing to draw."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Annotated

from jobs.marks import Among, Bounds, Length
from jobs.values import MOST_SECONDS, Seconds
from topologies.shaping import Shape

MOST_STEPS = 200_000
"""Steps of all links of a job. One costs a guest about 0.1 ms."""
LEAST_PERIOD_S = 1e-3
BOTH, UP, DOWN = "both", "up", "down"
LOSS_PERCENT = "loss_percent"

RANGES = {
    "capacity_mbps": (0.0, 1e6),
    "delay_ms": (0.0, 10_000.0),
    "queue_packets": (1.0, 1e6),
    LOSS_PERCENT: (0.0, 100.0),
    UP: (0.0, 1.0),
}
"""The least and the greatest value of each quantity that can change."""
WHOLE = ("queue_packets", UP)

_Steps = Length(1, MOST_STEPS)


@dataclass(frozen=True, kw_only=True)
class Series:
    """The changes of one quantity of a link.

    link : name of the link
    direction : `both`, `up` (what users send) or `down`
    quantity : with its unit, or `up` for the interfaces of users, which are up (1) or
        down (0)
    at_s, values : when each step begins, rising, and its value; same length
    period_s : after which the steps begin again; None for never

    Times are seconds after the start of the traffic.
    """

    link: Annotated[str, Length(0, 100)]
    direction: Annotated[str, Among((BOTH, UP, DOWN))]
    quantity: Annotated[str, Among(tuple(RANGES))]
    at_s: Annotated[tuple[Seconds, ...], _Steps]
    values: Annotated[tuple[float, ...], _Steps]
    period_s: Annotated[float, Bounds(LEAST_PERIOD_S, MOST_SECONDS)] | None

    def check(self) -> None:
        if len(self.at_s) != len(self.values):
            raise ValueError("needs as many values as times")
        if any(later <= earlier for earlier, later in pairwise(self.at_s)):
            raise ValueError("at_s: the times do not rise")
        if self.period_s is not None and self.at_s[-1] >= self.period_s:
            raise ValueError("at_s: a step begins after the end of the period")
        low, high = RANGES[self.quantity]
        for value in self.values:
            if not low <= value <= high:
                raise ValueError(f"values: {value:g} is outside {low:g} to {high:g}")
            if self.quantity in WHOLE and value != int(value):
                raise ValueError(f"values: {value:g} is not a whole number")
        if self.quantity == UP and self.direction != BOTH:
            raise ValueError("interfaces are up or down for both directions")

    def of(self, forward: bool) -> bool:
        """Whether the series is of the direction from users, or of that to them."""
        return self.direction in (BOTH, UP if forward else DOWN)

    def steps(self, until_s: float) -> Iterator[tuple[float, float]]:
        """The steps before a time, in order. The later of equal times counts."""
        for turn in count():
            begin_s = turn * (self.period_s or 0.0)
            for at_s, value in zip(self.at_s, self.values, strict=True):
                time_s = round(begin_s + at_s, 9)
                if time_s >= until_s:
                    return
                yield time_s, value
            if self.period_s is None:
                return


def sender_change_fault(way: Shape, one: Series) -> str:
    """Reason why a direction of a link cannot change so; empty if it can.

    Only a link on its sender's interface has reasons: the kinds of its disciplines stay
    as they are, and a netem gives a packet its time when the packet comes.
    """
    if not way.at_sender or one.quantity == UP:
        return ""
    if not way.one_netem:
        if one.quantity in ("capacity_mbps", "queue_packets"):
            return ""
        what = one.quantity.partition("_")[0]
        reason = f"its sender has a queue without a netem, whose {what} stays 0"
        return f"{reason}; give the link a delay, or let another link change"
    if one.quantity == "capacity_mbps":
        reason = "its sender's netem gives packets their times as they come, so its"
        return f"{reason} capacity cannot change; take 'shaper' away, or delay and loss"
    only = ""
    if one.quantity == "delay_ms" and (not way.capacity_mbps or not all(one.values)):
        only = "beside a capacity and above 0"
    if one.quantity == LOSS_PERCENT and not way.delay_ms:
        only = "beside a delay"
    if only:
        what = one.quantity.partition("_")[0]
        return f"the {what} of a sender's netem changes {only} only"
    return ""


def check(
    changes: Sequence[Series], links: Collection[str], bottlenecks: Collection[str]
) -> None:
    """Raises ValueError, in one line, for changes that do not fit a network.

    links : the names of all links; bottlenecks : of those with a capacity
    """
    if sum(len(one.at_s) for one in changes) > MOST_STEPS:
        raise ValueError(f"changes: more than {MOST_STEPS} steps")
    seen: set[tuple[str, str, str]] = set()
    for one in changes:
        known = links if one.quantity in ("delay_ms", UP) else bottlenecks
        if one.link not in known:
            raise ValueError(f"changes: {one.link[:40]!r} has no {one.quantity}")
        ways = (UP, DOWN) if one.direction == BOTH else (one.direction,)
        for way in ways:
            if (one.link, one.quantity, way) in seen:
                raise ValueError(f"changes: {one.link}: {one.quantity} stands twice")
            seen.add((one.link, one.quantity, way))

"""The key `changes` of a job, as a schema; docs/experiment-file.md describes it."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_STEPS = 200_000
MOST_SECONDS = 1e8
LEAST_PERIOD_S = 1e-3

RANGES = {
    "capacity_mbps": (0.0, 1e6),
    "delay_ms": (0.0, 10_000.0),
    "queue_packets": (1.0, 1e6),
    "loss_percent": (0.0, 100.0),
    "up": (0.0, 1.0),
}
"""The least and the greatest value of each quantity that can change."""

WHOLE = ("queue_packets", "up")

Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS)]
Period = Annotated[float, Field(ge=LEAST_PERIOD_S, le=MOST_SECONDS)]
Count = Field(min_length=1, max_length=MOST_STEPS)


class Series(BaseModel):
    """The changes of one quantity of a link, in one direction or in both."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False
    )

    link: Annotated[str, Field(max_length=100)]
    direction: Literal["both", "up", "down"]
    quantity: Literal[tuple(RANGES)]  # type: ignore[valid-type]
    at_s: Annotated[list[Seconds], Count]
    values: Annotated[list[float], Count]
    period_s: Period | None

    @model_validator(mode="after")
    def _fits(self) -> Self:
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
        if self.quantity == "up" and self.direction != "both":
            raise ValueError("interfaces are up or down for both directions")
        return self


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
        known = links if one.quantity in ("delay_ms", "up") else bottlenecks
        if one.link not in known:
            raise ValueError(f"changes: {one.link[:40]!r} has no {one.quantity}")
        ways = ("up", "down") if one.direction == "both" else (one.direction,)
        for way in ways:
            if (one.link, one.quantity, way) in seen:
                raise ValueError(f"changes: {one.link}: {one.quantity} stands twice")
            seen.add((one.link, one.quantity, way))

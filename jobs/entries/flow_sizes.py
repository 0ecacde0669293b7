"""Sizes of the transfers of the tool `flows`: one record per kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

from jobs.marks import Bounds, Length
from jobs.values import Size

MOST_BYTES = 1e12
MOST_POINTS = 1000
"""Points of a distribution, and sizes of a list."""

Mean = Annotated[float, Bounds(1, MOST_BYTES)]
Bytes = Annotated[float, Bounds(0, MOST_BYTES)]
Point = tuple[Bytes, Bytes]


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """All transfers have the same size."""

    kind: Literal["fixed"]
    bytes: Size


@dataclass(frozen=True, kw_only=True)
class Pareto:
    """A Pareto distribution: P(S > s) = (least / s)^shape for s above `least`."""

    kind: Literal["pareto"]
    mean_bytes: Mean
    shape: Annotated[float, Bounds(above=1, most=100)]


@dataclass(frozen=True, kw_only=True)
class Exponential:
    """An exponential distribution."""

    kind: Literal["exponential"]
    mean_bytes: Mean


@dataclass(frozen=True, kw_only=True)
class Listed:
    """Sizes that each user takes in turn."""

    kind: Literal["list"]
    bytes: Annotated[tuple[Size, ...], Length(1, MOST_POINTS)]


@dataclass(frozen=True, kw_only=True)
class Cdf:
    """A distribution function: points (size, probability), linear between them."""

    kind: Literal["cdf"]
    points: Annotated[tuple[Point, ...], Length(1, MOST_POINTS)]

    def check(self) -> None:
        if reason := cdf_fault(self.points):
            raise ValueError(reason)


Sizes = Fixed | Pareto | Exponential | Listed | Cdf


def cdf_fault(points: Sequence[tuple[float, float]]) -> str:
    """The reason why points are no distribution function; "" if they are one."""
    for before, after in pairwise(points):
        if after[0] <= before[0]:
            reason = f"size {after[0]:g} follows {before[0]:g}"
            return f"{reason}; sort the sizes from small to large, each once"
        if after[1] < before[1]:
            reason = f"probability {after[1]:g} follows {before[1]:g}"
            return f"{reason}; give the part of all transfers up to each size"
    if points[-1][0] < 1:
        return "the largest size is below 1 byte; give sizes in bytes"
    if points[-1][1] != 1:
        return f"ends at probability {points[-1][1]:g}; the last must be 1"
    return ""

"""When users open their connections: one record per kind."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.marks import Bounds, Length
from jobs.values import LastingSeconds

MOST_RATE_PER_S = 1e5
MOST_RATES = 100

Rate = Annotated[float, Bounds(1e-6, MOST_RATE_PER_S)]


@dataclass(frozen=True, kw_only=True)
class AtOnce:
    """All connections of a user open at its start."""

    kind: Literal["at_once"]


@dataclass(frozen=True, kw_only=True)
class Even:
    """every_s : time between two connections"""

    kind: Literal["even"]
    every_s: LastingSeconds


@dataclass(frozen=True, kw_only=True)
class Poisson:
    """A Poisson process.

    rates_per_s : the rates, which take turns
    every_s : how long each of several rates lasts
    """

    kind: Literal["poisson"]
    rates_per_s: Annotated[tuple[Rate, ...], Length(1, MOST_RATES)]
    every_s: Annotated[float, Bounds(1e-6, 1e8)] | None

    def check(self) -> None:
        if (self.every_s is None) != (len(self.rates_per_s) == 1):
            raise ValueError("every_s is of several rates, and several rates need it")


Arrivals = AtOnce | Even | Poisson

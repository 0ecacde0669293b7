"""When the queues of links are looked at during a run."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from jobs.marks import Length
from jobs.values import LastingSeconds, Seconds

MOST_TIMES = 2000


@dataclass(frozen=True, kw_only=True)
class Queues:
    """Either an interval or times.

    every_s : in a network of namespaces, queues are looked at once in every interval
    at_s : on the fabric, which adds up by itself, the times that count; ascending
    """

    every_s: LastingSeconds | None = None
    at_s: Annotated[tuple[Seconds, ...], Length(1, MOST_TIMES)] | None = None

    def check(self) -> None:
        if (self.every_s is None) == (self.at_s is None):
            raise ValueError("needs either every_s or at_s")
        if self.at_s and any(b <= a for a, b in pairwise(self.at_s)):
            raise ValueError("at_s: not in ascending order")

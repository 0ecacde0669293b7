"""Outcomes that a traffic entry is to have, whatever the network does to it."""

from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Among, Bounds

YES, NO, ANY, FALLBACK = "yes", "no", "any", "fallback"
MOST_SUBFLOWS = 9


@dataclass(frozen=True, kw_only=True)
class Expect:
    """None for what nothing is said about: then the network of the job decides what
    counts as a fault of the run.

    mptcp : `yes` if every connection is to stay MPTCP, `fallback` if none is to stay
        so, `any` if both are outcomes
    subflows : of each connection in all, the first included; 0 if any number will do
    completes : `yes` if the traffic is to end well, `no` if it is not to, `any` if both
        are outcomes
    """

    mptcp: Annotated[str, Among((YES, FALLBACK, ANY))] | None = None
    subflows: Annotated[int, Bounds(0, MOST_SUBFLOWS)] | None = None
    completes: Annotated[str, Among((YES, NO, ANY))] | None = None

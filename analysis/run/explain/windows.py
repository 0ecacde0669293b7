"""Congestion windows that stayed small after early losses, from a run's trace."""

from dataclasses import dataclass
from itertools import pairwise

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import at, many
from analysis.run.explain.subflows import Subflow
from analysis.run.explain.ways import Way
from jobs import FRAME_BYTES

QUIET_SHARE = 0.5
"""The last loss lies in the first part of a subflow's time: its window could recover
in the rest."""
FULL = 0.75
"""A window that reaches this share of what fills the path has recovered."""


@dataclass(frozen=True)
class Windows:
    """The windows of a subflow, in segments.

    loss_s : times at which retransmissions were first seen
    before, after, last : before the first loss, the least after it, and at the end
    end_s : time of the last sample
    """

    loss_s: tuple[float, ...]
    before: int
    after: int
    last: int
    begin_s: float
    end_s: float


def never_recovered(
    facts: Facts, subflow: Subflow, host: str, way: Way, controller: str
) -> tuple[str, str] | None:
    """The sentence's end and its evidence, if early losses explain a slow path; None
    if they do not, or without a trace.

    host : that sends
    way : the path
    controller : of the congestion
    """
    seen = _windows(facts, subflow, host)
    if seen is None or not way.capacity_mbps:
        return None
    quiet_s = seen.end_s - seen.loss_s[-1]
    if quiet_s < QUIET_SHARE * (seen.end_s - seen.begin_s):
        return None
    fills = round(way.capacity_mbps * 1e6 / 8 * way.round_trip_s / FRAME_BYTES)
    if seen.last >= FULL * fills or seen.after >= seen.before:
        return None
    before = many(seen.before, "segment")
    return (
        f"its congestion window never recovered from losses {at(seen.loss_s)}: it had"
        f" {before} before and {seen.after} after, and {controller} let it grow to"
        f" {seen.last} in the {quiet_s:.0f} s without a loss that followed, where"
        f" {fills} fill the path",
        "cwnd and retransmissions in trace.csv",
    )


def _windows(facts: Facts, subflow: Subflow, host: str) -> Windows | None:
    """The windows of a subflow at its sender; None without losses in a trace."""
    ends = {subflow.local, subflow.remote}
    samples = [one for one in facts.windows(host) if {one.local, one.remote} == ends]
    losses = [
        (n, two)
        for n, (one, two) in enumerate(pairwise(samples))
        if two.retransmissions > one.retransmissions
    ]
    if not losses:
        return None
    first = losses[0][0]
    return Windows(
        loss_s=tuple(two.time_s for _, two in losses),
        before=max(one.cwnd for one in samples[: first + 1]),
        after=min(one.cwnd for one in samples[first + 1 :]),
        last=samples[-1].cwnd,
        begin_s=samples[0].time_s,
        end_s=samples[-1].time_s,
    )

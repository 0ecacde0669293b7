"""Durations in words for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpbench.plan.estimate import Estimate


def span(seconds: float | None) -> str:
    """A duration for people: ``4 s``, ``3 min 05 s``, ``2 h 07 min``."""
    if seconds is None:
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def duration(whole: "Estimate", workers: int) -> str:
    """`about 50 min of virtual time, 2 min of wall time with 2 at a time`."""
    return (
        f"about {span(whole.virtual_s)} of virtual time, {span(whole.wall_s)} of wall "
        f"time with {workers} at a time"
    )

"""Bounds of a run's time. `mpbench.plan` estimates how long it will take."""

from jobs import Job
from mpbench.backends.base import Bounds
from mpbench.plan.estimate import estimate

WALL_BASE_S = 60.0
WALL_PER_VIRTUAL = 10.0
SILENCE_S = 120.0
PER_ESTIMATED = 10.0
"""Wall time allowed for one estimated second: other work, and a slower machine."""


def bounds(
    job: Job, wall_limit_s: float | None = None, silence_limit_s: float | None = None
) -> Bounds:
    """The three bounds of a job's execution.

    The job itself bounds virtual time. Wall time is bounded by one minute plus ten
    times the bound of virtual time, or ten times the estimated wall time if that is
    more, as in large data centres. A guest reaches that only when it hangs, or on a
    machine with much other work. The bound of silence is the estimated wall time, and
    two minutes at least.
    """
    virtual_s = float(job.time_limit_s)
    estimated_s = estimate(job).wall_s
    longest_s = max(WALL_PER_VIRTUAL * virtual_s, PER_ESTIMATED * estimated_s)
    return Bounds(
        virtual_s=virtual_s,
        wall_s=wall_limit_s or WALL_BASE_S + longest_s,
        silence_s=silence_limit_s or max(SILENCE_S, estimated_s),
    )

"""How long a run may take. `mpbench.plan` estimates how long it will take."""

from mpbench.backends.base import Bounds, Job

WALL_BASE_S = 60.0
WALL_PER_VIRTUAL = 10.0
SILENCE_S = 120.0


def bounds(
    job: Job, wall_limit_s: float | None = None, silence_limit_s: float | None = None
) -> Bounds:
    """The three bounds of a job's execution.

    The job itself bounds virtual time. Wall time is bounded by one minute plus ten
    times the bound of virtual time. A guest reaches that only if it is ten times
    slower than the clock: when it hangs, or with links of several Gbit/s.
    """
    virtual_s = float(job["time_limit_s"])
    return Bounds(
        virtual_s=virtual_s,
        wall_s=wall_limit_s or WALL_BASE_S + WALL_PER_VIRTUAL * virtual_s,
        silence_s=silence_limit_s or SILENCE_S,
    )

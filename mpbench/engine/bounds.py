"""How long a run may take; how long it is expected to, says mpbench.plan."""

from mpbench.backends.base import Bounds, Job

WALL_BASE_S = 60.0
WALL_PER_VIRTUAL = 10.0
SILENCE_S = 120.0


def bounds(
    job: Job, wall_limit_s: float | None = None, silence_limit_s: float | None = None
) -> Bounds:
    """The three bounds of a job's execution.

    Virtual time is bounded by the job itself. Wall time by a minute and ten
    times that, which a guest reaches only where it is a tenth as fast as the
    clock: a hang, or links of several Gbit/s.
    """
    virtual_s = float(job["time_limit_s"])
    return Bounds(
        virtual_s=virtual_s,
        wall_s=wall_limit_s or WALL_BASE_S + WALL_PER_VIRTUAL * virtual_s,
        silence_s=silence_limit_s or SILENCE_S,
    )

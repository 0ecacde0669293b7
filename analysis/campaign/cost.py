"""Cost of campaigns: runs, virtual hours, CPU time and wall time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Cost of the runs of one campaign.

    runs : number of finished runs
    planned : number of runs in the plan
    virtual_s : virtual time of all finished runs
    wall_s : sum of the runs' wall times, including the time they waited for a CPU
    cpu_s : CPU time of each run for which it was recorded, or of each sampled run
    sampled : True if `cpu_s` is from runs that were executed again
    """

    name: str
    runs: int
    planned: int
    virtual_s: float
    wall_s: float
    cpu_s: tuple[float, ...]
    sampled: bool = False

    @property
    def cpu_hours(self) -> float | None:
        """CPU time of all finished runs, extrapolated from the mean of `cpu_s`.

        None if no CPU time is known.
        """
        return self.runs * mean(self.cpu_s) / 3600 if self.cpu_s else None

    @property
    def error(self) -> float:
        """Standard error of the mean CPU time, relative to that mean.

        It is 0 if the CPU time of all runs is known, and also if only one is.
        """
        known = len(self.cpu_s)
        if known < 2 or known >= self.runs:
            return 0.0
        return stdev(self.cpu_s) / sqrt(known) / mean(self.cpu_s)


def cost(
    name: str, planned: int, hosts: Sequence[Mapping[str, Any]], sample: Sequence[float]
) -> Cost:
    """The cost of a campaign, from what its runs recorded.

    planned : number of runs in the plan
    hosts : the object `exit` in the host.json of every finished run
    sample : CPU seconds of runs that were executed again; empty if there are none.
        They count only if some runs did not record their own CPU time.
    """
    recorded = [h["cpu_s"] for h in hosts if h.get("cpu_s") is not None]
    use_sample = len(recorded) < len(hosts) and bool(sample)
    return Cost(
        name=name,
        runs=len(hosts),
        planned=planned,
        virtual_s=sum(h["virtual_s"] for h in hosts),
        wall_s=sum(h["wall_s"] for h in hosts),
        cpu_s=tuple(sample if use_sample else recorded),
        sampled=use_sample,
    )

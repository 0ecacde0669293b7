"""The campaigns of the MPCC paper, in the order in which they are executed."""

from collections.abc import Iterator
from pathlib import Path

from mpbench.plan import estimate, make_plan, total
from mpbench.spec import load

FOLDER = Path(__file__).parents[1] / "experiments/mpcc"
ORDER = (
    "mpcc-theorem-5.1",
    "mpcc-theorem-5.1-fig-1",
    "mpcc-fig-16-17",
    "mpcc-worst-case",
    "mpcc-fig-7-8-rates",
    "mpcc-fig-7-8-windows",
    "mpcc-fig-14",
    "mpcc-fig-10-olia-rates",
    "mpcc-fig-10-olia-windows",
    "mpcc-fig-10-lia",
    "mpcc-thesis-low-bdp",
    "mpcc-thesis-lossy-low-bdp",
    "mpcc-fig-19-rates",
    "mpcc-fig-19-windows",
    "mpcc-fig-10-rates",
    "mpcc-fig-10-windows",
    "mpcc-fig-11-rates",
    "mpcc-fig-11-windows",
    "mpcc-fig-15",
    "mpcc-fig-9",
    "mpcc-fig-5b-rates",
    "mpcc-fig-5b-windows",
    "mpcc-fig-6b-rates",
    "mpcc-fig-6b-windows",
    "mpcc-fig-5a",
    "mpcc-fig-6a",
    "mpcc-fig-12",
    "mpcc-fig-13",
    "mpcc-fig-14-grid",
    "mpcc-fig-15-grid",
)
"""Statements per CPU hour decide: the cheap campaigns come first, the grids last."""
REUSED = {
    "mpcc-fig-11-rates": "mpcc-fig-10-rates",
    "mpcc-fig-11-windows": "mpcc-fig-10-windows",
}
"""Campaigns that copy the runs of an earlier one."""


def cpu_s(name: str) -> float:
    """The estimate of `mpbench plan` for a campaign, CPU seconds on a quiet machine.

    A campaign that copies all of its runs costs nothing.
    """
    if name in REUSED:
        return 0.0
    plan = make_plan(load(FOLDER / f"{name}.yaml"), {})
    return total(estimate(run.job) for run in plan.runs).wall_s


def affordable(hours: float) -> Iterator[str]:
    """The first campaigns, as long as the sum of their estimates fits into `hours`."""
    left_s = hours * 3600
    for name in ORDER:
        left_s -= cpu_s(name)
        if left_s < 0:
            return
        yield name

"""The campaigns of the MPCC paper, in the order in which they are executed."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from mpbench.experiment_files import load
from mpbench.plan import estimate, make_plan, total

FOLDER = Path(__file__).parents[1] / "experiments/mpcc"
FIGURES = (
    ("mpcc-theorem-5.1", "mpcc-theorem-5.1-fig-1"),
    ("mpcc-fig-5a",),
    ("mpcc-fig-6a",),
    ("mpcc-fig-7-8-rates", "mpcc-fig-7-8-windows"),
    ("mpcc-fig-16-17",),
    (
        "mpcc-fig-10-rates",
        "mpcc-fig-10-windows",
        "mpcc-fig-11-rates",
        "mpcc-fig-11-windows",
    ),
    ("mpcc-fig-14",),
    ("mpcc-fig-10-olia-rates", "mpcc-fig-10-olia-windows"),
    ("mpcc-thesis-low-bdp", "mpcc-thesis-lossy-low-bdp"),
    ("mpcc-scheduler-bulk", "mpcc-scheduler-short", "mpcc-scheduler-limited"),
    ("mpcc-fig-9",),
    ("mpcc-fig-15",),
    ("mpcc-fig-19-rates", "mpcc-fig-19-windows"),
    ("mpcc-fig-5b-rates", "mpcc-fig-5b-windows"),
    ("mpcc-fig-6b-rates", "mpcc-fig-6b-windows"),
    ("mpcc-worst-case",),
    ("mpcc-fig-10-lia",),
    ("mpcc-fig-12",),
    ("mpcc-fig-13",),
    ("mpcc-fig-14-grid",),
    ("mpcc-fig-15-grid",),
)
"""The campaigns that are judged together.

The paper's main claims come first, then the other figures. The networks of Table 1 come
last, because 30 networks have answered for Figs 14 and 15 by then.
"""
ORDER = tuple(chain.from_iterable(FIGURES))
REUSED = {
    "mpcc-fig-11-rates": "mpcc-fig-10-rates",
    "mpcc-fig-11-windows": "mpcc-fig-10-windows",
}
"""Campaigns that copy the runs of an earlier one."""
SLOWER = {"mpcc-fig-19-rates": 2.5, "mpcc-fig-19-windows": 2.5}
"""Factor between the estimate of a campaign and its time.

A run of mpcc-fig-19-rates took 27 s of CPU time where `mpbench plan` says 11 s: its 180
subflows send at least two segments per round trip, and again what the queues drop. The
runs of the other controllers are assumed to take as long.
"""


def cpu_s(name: str) -> float:
    """Cost of a campaign, CPU seconds on a quiet machine: the plan's estimate, put
    right where a measured run differs from it.

    A campaign that copies all of its runs costs nothing.
    """
    if name in REUSED:
        return 0.0
    plan = make_plan(load(FOLDER / f"{name}.yaml"), {})
    wall_s = total(estimate(run.job) for run in plan.runs).wall_s
    return wall_s * SLOWER.get(name, 1.0)


def affordable(hours: float) -> Iterator[str]:
    """The campaigns whose costs fit into `hours` together, in their order.

    A figure whose campaigns do not all fit is left out, and cheaper ones follow.
    """
    left_s = hours * 3600
    for names in FIGURES:
        needed_s = sum(cpu_s(name) for name in names)
        if needed_s <= left_s:
            left_s -= needed_s
            yield from names

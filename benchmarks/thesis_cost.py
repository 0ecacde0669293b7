"""CPU time that the whole thesis takes, from a sample of its runs.

    python -m benchmarks.thesis_cost [--runs 300] [--seed 1] [--points FILE]

draws runs of each campaign of the thesis, as many as its part of the expected time
asks for and LEAST at least, executes them one by one in guests of this build, and
measures the CPU time of all processes of a guest. The total of a campaign is the mean
of its sample times the number of its runs, and the interval of the whole is that of a
stratified sample. What a campaign costs beside its guests is measured by
`python -m benchmarks.campaign_overhead`, and not counted here.

`--points` writes the factors, the case and the CPU time of each run that was drawn to a
CSV file. `thesis_cost.csv` is such a file; benchmarks/test_thesis_cost.py compares the
estimates of `mpbench plan` with it.
"""

import argparse
import csv
import json
import math
import os
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.virtual_lab_speed import execute
from jobs import dump
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import load
from mpbench.plan import Plan, make_plan
from mpbench.plan.estimate import estimate, total

FILES = Path(__file__).parents[1] / "experiments/thesis"
LEAST = 4
"""Runs of a campaign that are drawn at least, or all if it has fewer."""
TWO_SIDED_95 = 1.96
KEPT = Path(__file__).with_suffix(".csv")
CAMPAIGN, CASE, CPU_S = "campaign", "case", "cpu_s"
"""The columns of a file of points beside those of factors."""


@dataclass(frozen=True)
class Sampled:
    """A campaign's sample.

    runs : of the whole campaign
    cpu_s : of each run that was drawn
    """

    name: str
    runs: int
    cpu_s: Sequence[float]

    @property
    def total_s(self) -> float:
        """Estimated CPU time of the campaign."""
        return self.runs * statistics.fmean(self.cpu_s)

    @property
    def variance(self) -> float:
        """Variance of `total_s`, in s^2; none is left where all runs were drawn."""
        drawn = len(self.cpu_s)
        if drawn in (1, self.runs):
            return 0.0
        rest = 1 - drawn / self.runs
        return self.runs**2 * rest * statistics.variance(self.cpu_s) / drawn


@dataclass(frozen=True)
class Measured:
    """A run that was executed.

    factors : by canonical key
    """

    campaign: str
    case: str
    cpu_s: float
    factors: Mapping[str, float | int | str]


def shares(expected_s: Mapping[str, float], runs: int) -> dict[str, int]:
    """The number of runs to draw of each campaign.

    expected_s : CPU time that each campaign is expected to take
    """
    whole_s = sum(expected_s.values())
    return {
        name: max(LEAST, round(runs * part_s / whole_s))
        for name, part_s in expected_s.items()
    }


def half_width_s(campaigns: Sequence[Sampled]) -> float:
    """Half of the 95 % interval of the sum."""
    return TWO_SIDED_95 * math.sqrt(sum(one.variance for one in campaigns))


def plans() -> dict[str, Plan]:
    """The plan of each campaign of the thesis."""
    files = sorted(FILES.glob("*.yaml"))
    return {file.stem: make_plan(load(file), {}) for file in files}


def sample(
    name: str, plan: Plan, count: int, rng: random.Random
) -> tuple[Sampled, list[Measured]]:
    """Execute runs that are drawn."""
    backend = VirtualBackend()
    drawn = rng.sample(plan.runs, min(count, len(plan.runs)))
    cpu = max(os.sched_getaffinity(0))
    found = [
        Measured(name, run.case, execute(dump(run.job), backend, cpu), run.factors)
        for run in drawn
    ]
    return Sampled(name, len(plan.runs), [one.cpu_s for one in found]), found


def write(file: Path, rows: Sequence[Measured]) -> None:
    """Write a file of points."""
    keys = list(dict.fromkeys(key for row in rows for key in row.factors))
    with file.open("w", newline="") as opened:
        table = csv.writer(opened, lineterminator="\n")
        table.writerow([CAMPAIGN, CASE, CPU_S, *keys])
        for row in rows:
            values = (row.factors.get(key, "") for key in keys)
            table.writerow([row.campaign, row.case, f"{row.cpu_s:.2f}", *values])


def read(file: Path = KEPT) -> list[Measured]:
    """The runs of a file of points."""
    with file.open(newline="") as opened:
        return [
            Measured(
                row.pop(CAMPAIGN),
                row.pop(CASE),
                float(row.pop(CPU_S)),
                {key: json.loads(value) for key, value in row.items() if value},
            )
            for row in csv.DictReader(opened)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=Path, metavar="FILE")
    options = parser.parse_args()
    rng, found = random.Random(options.seed), plans()
    expected_s = {
        name: total(estimate(run.job) for run in plan.runs).wall_s
        for name, plan in found.items()
    }
    counts = shares(expected_s, options.runs)
    print("| campaign | runs | drawn | CPU, minutes | as planned |", flush=True)
    print("|---|---:|---:|---:|---:|")
    campaigns, executed = [], list[Measured]()
    for name, plan in found.items():
        one, rows = sample(name, plan, counts[name], rng)
        campaigns.append(one)
        executed += rows
        if options.points:
            write(options.points, executed)
        planned = f"{expected_s[name] / 60:.1f}"
        words = f"| {len(one.cpu_s)} | {one.total_s / 60:.1f} | {planned} |"
        print(f"| {name} | {one.runs} {words}", flush=True)
    whole_s = sum(one.total_s for one in campaigns)
    runs = sum(one.runs for one in campaigns)
    planned = f"{sum(expected_s.values()) / 60:.0f}"
    half = f"{half_width_s(campaigns) / 60:.0f}"
    drawn = sum(len(one.cpu_s) for one in campaigns)
    print(f"| all | {runs} | {drawn} | {whole_s / 60:.0f} ± {half} | {planned} |")


if __name__ == "__main__":
    main()

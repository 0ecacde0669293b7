"""Judge what `explain` says of buffers by its registered criterion.

    python -m studies.explain_buffers RESULTS

RESULTS is the folder of the campaign studies/explain/buffers.yaml. The criterion is
that of studies/notes/explain.md; it was registered before the runs.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.run.explain import buffers
from analysis.run.explain.facts import load

SHARES = (0.15, 0.2)
HELD, NOT_HELD = 1.10, 1.05
"""Goodput with usual buffers over that with the buffer of the case: at least the first
where the buffer held the run, and less than the second where it did not."""
USUAL = "usual"
MOST_WRONG = 0.05


@dataclass(frozen=True)
class Run:
    """A run of the campaign.

    ratio : the goodput of the same network with usual buffers over that of this run
    told : whether `explain` says that a buffer held it, by share of the buffer
    """

    case: str
    ratio: float
    told: dict[float, bool]


@dataclass(frozen=True)
class Count:
    """The runs with small buffers that are told at a share, and those that are not."""

    held_told: int
    held_silent: int
    not_held_told: int
    usual_told: int

    @property
    def wrong(self) -> float:
        """The part of the told runs that the buffer did not hold."""
        told = self.held_told + self.not_held_told
        return self.not_held_told / told if told else 0.0


def count(runs: Sequence[Run], share: float) -> Count:
    small = [run for run in runs if not run.case.endswith(USUAL)]
    held = [run.told[share] for run in small if run.ratio >= HELD]
    other = [run.told[share] for run in small if run.ratio < NOT_HELD]
    usual = [run.told[share] for run in runs if run.case.endswith(USUAL)]
    return Count(sum(held), len(held) - sum(held), sum(other), sum(usual))


def share_that_stays(lower: Count, upper: Count) -> float:
    """The share by the first rule. lower, upper : at `SHARES`"""
    better = lower.held_told > upper.held_told
    return SHARES[0] if lower.wrong <= MOST_WRONG and better else SHARES[1]


def read(results: Path) -> list[Run]:
    """The runs that are ok, with what `explain` says at each share."""
    table = pd.read_csv(results / "runs.csv")
    table = table[table["verdict"] == "ok"]
    rows = [
        (row["point"], *str(row["case"]).split("-"), row["goodput_mbps"], row["id"])
        for row in table.to_dict("records")
    ]
    usual = {
        (point, controller): mbps
        for point, controller, size, mbps, _ in rows
        if size == USUAL
    }
    return [
        Run(
            f"{controller}-{size}",
            usual[point, controller] / mbps,
            _told(results / "runs" / run),
        )
        for point, controller, size, mbps, run in rows
        if (point, controller) in usual
    ]


def _told(folder: Path) -> dict[float, bool]:
    facts, before = load(folder), buffers.OF_BUFFER
    told = {}
    try:
        for share in SHARES:
            buffers.OF_BUFFER = share
            told[share] = any(buffers.held(facts))
    finally:
        buffers.OF_BUFFER = before
    return told


def main() -> int:
    runs = read(Path(sys.argv[1]))
    counts = [count(runs, share) for share in SHARES]
    print(
        "| share | held and told | held, not told | told, not held | usual and told |"
    )
    print("|---|---:|---:|---:|---:|")
    for share, one in zip(SHARES, counts, strict=True):
        cells = (one.held_told, one.held_silent, one.not_held_told, one.usual_told)
        print(f"| {share:g} | {' | '.join(map(str, cells))} |")
    print(f"\nThe share {share_that_stays(*counts):g} stays.")
    return int(any(one.usual_told for one in counts))


if __name__ == "__main__":
    sys.exit(main())

"""Judge the comparison of releases by its registered criterion.

    python -m studies.releases RESULTS

RESULTS has the folders of the campaigns of experiments/releases. The criterion is that
of studies/notes/releases.md. It was registered before the runs.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import binom

BASE = "7.3"
QUESTIONS = 18
LEVEL = 1 - 0.05 / QUESTIONS
MARGIN_PERCENT = 1.0
CAMPAIGNS = {
    "releases-bulk": "goodput_mbps",
    "releases-lossy": "goodput_mbps",
    "releases-handover": "goodput_mbps",
    "releases-backup": "goodput_mbps",
    "releases-downloads": "completion_time_s",
    "releases-qemu": "goodput_mbps",
}
"""The metric of each campaign."""
FURTHER = {"releases-paired": "goodput_mbps"}
"""A campaign with a registration of its own."""
Verdict = Literal["changed", "same", "undecided"]


@dataclass(frozen=True)
class Found:
    """The answer to a question.

    percent : differences of networks, (older - 7.3) / 7.3
    low, high : of the interval of their median; None if there are too few networks
    """

    campaign: str
    protocol: str
    release: str
    percent: np.ndarray
    low: float | None
    high: float | None

    @property
    def median(self) -> float:
        return float(np.median(self.percent))

    @property
    def verdict(self) -> Verdict:
        if self.low is None or self.high is None:
            return "undecided"
        if self.low >= -MARGIN_PERCENT and self.high <= MARGIN_PERCENT:
            return "same"
        away = self.low > 0 or self.high < 0
        return "changed" if away and abs(self.median) > MARGIN_PERCENT else "undecided"


def interval(values: np.ndarray, level: float = LEVEL) -> tuple[float, float] | None:
    """Order statistics that hold the median at a level; None if none do.

    The k-th smallest and the k-th largest of n values miss the median with probability
    2 P(B < k), B binomial with n and 1/2.
    """
    ordered, count = np.sort(values), len(values)
    for k in range(count // 2, 0, -1):
        if 1 - 2 * binom.cdf(k - 1, count, 0.5) >= level:
            return float(ordered[k - 1]), float(ordered[count - k])
    return None


def answers(name: str, metric: str, rows: pd.DataFrame) -> Iterator[Found]:
    """The answers of a campaign, from its table of runs."""
    good = rows[rows["verdict"] == "ok"]
    by_case = good.pivot_table(index="point", columns="case", values=metric)
    for case in by_case.columns:
        protocol, _, release = str(case).partition("-")
        base = f"{protocol}-{BASE}"
        if release == BASE or base not in by_case.columns:
            continue
        pairs = by_case[[base, case]].dropna()
        percent = (100 * (pairs[case] / pairs[base] - 1)).to_numpy(float)
        if not len(percent):
            continue
        low, high = interval(percent) or (None, None)
        yield Found(name, protocol, release, percent, low, high)


def table(found: list[Found]) -> Iterator[str]:
    """The answers as a table in Markdown."""
    yield "| campaign | transport | Linux | n | median | interval | single networks | |"
    yield "|---|---|---|---:|---:|---|---|---|"
    for one in found:
        between = "none"
        if one.low is not None and one.high is not None:
            between = f"{one.low:+.2f} to {one.high:+.2f} %"
        ends = f"{one.percent.min():+.1f} to {one.percent.max():+.1f} %"
        yield (
            f"| {one.campaign.removeprefix('releases-')} | {one.protocol.upper()} |"
            f" {one.release} | {len(one.percent)} | {one.median:+.2f} % | {between} |"
            f" {ends} | {one.verdict} |"
        )


def main(folder: Path) -> int:
    found: list[Found] = []
    for name, metric in (CAMPAIGNS | FURTHER).items():
        file = folder / name / "runs.csv"
        if file.is_file():
            found += answers(name, metric, pd.read_csv(file))
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Judge the comparison of releases by its registered criterion.

    python -m studies.releases            the table, from the rows that are kept
    python -m studies.releases RESULTS    from the folders of the campaigns
    python -m studies.releases RESULTS --keep    which also keeps their rows

The campaigns are those of experiments/releases. The criterion is that of
studies/notes/releases.md. It was registered before the runs.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import binom

KEPT = Path(__file__).with_name("rows") / "releases"
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
WORDS = {
    "releases-bulk": "bulk, no loss",
    "releases-lossy": "bulk, random loss",
    "releases-handover": "path 1 down for 3 s",
    "releases-backup": "a backup takes over",
    "releases-downloads": "300 kB, completion time",
    "releases-qemu": "bulk, in QEMU",
    "releases-paired": "bulk, random loss, a seed per link",
}
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
    yield (
        "| traffic | transport | Linux | networks | median | interval |"
        " single networks | verdict |"
    )
    yield "|---|---|---|---:|---:|---|---|---|"
    for one in found:
        between = "none"
        if one.low is not None and one.high is not None:
            between = f"{signed(one.low, 2)} to {signed(one.high, 2)} %"
        ends = f"{signed(one.percent.min(), 1)} to {signed(one.percent.max(), 1)} %"
        yield (
            f"| {WORDS[one.campaign]} | {one.protocol.upper()} | {one.release} |"
            f" {len(one.percent)} | {signed(one.median, 2)} % | {between} | {ends} |"
            f" {one.verdict} |"
        )


def signed(value: float, digits: int) -> str:
    """A number with its sign, and 0 without one."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else f"{0:.{digits}f}"


def rows_of(folder: Path, name: str, metric: str) -> pd.DataFrame | None:
    """The table of a campaign, from its results or as it is kept; None without."""
    for file in (folder / name / "runs.csv", folder / f"{name}.csv"):
        if file.is_file():
            return pd.read_csv(file)[["point", "case", "verdict", metric]]
    return None


def main(folder: Path, keep: bool = False) -> int:
    found: list[Found] = []
    for name, metric in (CAMPAIGNS | FURTHER).items():
        rows = rows_of(folder, name, metric)
        if rows is None:
            continue
        if keep:
            KEPT.mkdir(parents=True, exist_ok=True)
            rows.to_csv(KEPT / f"{name}.csv", index=False)
        found += answers(name, metric, rows)
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--keep"]
    sys.exit(main(Path(words[0]) if words else KEPT, "--keep" in sys.argv))

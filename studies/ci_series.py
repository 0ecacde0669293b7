"""Judge a series of patches from the rows of its campaigns.

    python -m studies.ci_series            the table, from the rows that are kept
    python -m studies.ci_series RESULTS    from the folders of the campaigns
    python -m studies.ci_series RESULTS --keep    which also keeps their rows

The campaigns are those of experiments/ci, with the limit that they state.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.campaign import comparison, limits
from analysis.campaign.limits import Judgement

KEPT = Path(__file__).with_name("rows") / "ci"
CAMPAIGNS = {
    "ci-series": "7.3, random loss",
    "ci-series-no-loss": "7.3, no random loss",
    "ci-series-6-12": "6.12, random loss",
}
STEPS = {
    "comment": "a comment",
    "rewrite": "a harmless rewrite",
    "burst": "half of the scheduler's burst",
    "unbootable": "a check that comes too early",
    "repaired": "the check in its place",
    "third": "a third of the window after a loss",
}
"""The kernels of the series, and the change that each brings."""
FACTORS = tuple(
    f"path{path}.{name}"
    for path in (1, 2)
    for name in ("capacity_mbps", "delay_ms", "loss_percent")
)
METRIC = "goodput_mbps"
LIMIT_PERCENT = 2.0
SEED = 1


def judged(rows: pd.DataFrame, step: str) -> Judgement | None:
    """The judgement of a step against stock Linux; None without a pair of ok runs."""
    factors = [name for name in FACTORS if name in rows]
    cases = ("mptcp-stock", f"mptcp-{step}")
    pairs = comparison.pairs(rows, rows, factors, dict([cases]), METRIC)
    rng = np.random.default_rng(SEED)
    return limits.judge(pairs, cases, METRIC, LIMIT_PERCENT, "more", rng, 0.95)


def cell(rows: pd.DataFrame, step: str) -> str:
    """Outcome and interval of a step, or why its runs failed."""
    found = judged(rows, step)
    if found is None:
        of_step = rows[rows["case"] == f"mptcp-{step}"]
        return f"not ok: {', '.join(sorted(set(of_step['reason'])))}"
    if found.equal == found.pairs:
        return f"{found.outcome}: all {found.pairs} equal"
    low, high = found.median.low, found.median.high
    if low is None or high is None:
        return f"{found.outcome}: no interval"
    return f"{found.outcome}: {low:+.1f} to {high:+.1f} %"


def table(campaigns: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Each patch with its outcome in each campaign, in Markdown."""
    yield f"| patch | {' | '.join(CAMPAIGNS[name] for name in campaigns)} |"
    yield "|---" * (len(campaigns) + 1) + "|"
    for step, words in STEPS.items():
        cells = " | ".join(cell(rows, step) for rows in campaigns.values())
        yield f"| {words} | {cells} |"


def rows_of(folder: Path, name: str) -> pd.DataFrame | None:
    """The table of a campaign, from its results or as it is kept; None without."""
    for file in (folder / name / "runs.csv", folder / f"{name}.csv"):
        if file.is_file():
            rows = pd.read_csv(file)
            known = ["point", "case", "repetition", "verdict", "reason", METRIC]
            return rows[[*known, *(name for name in FACTORS if name in rows)]]
    return None


def main(folder: Path, keep: bool = False) -> int:
    found = {name: rows_of(folder, name) for name in CAMPAIGNS}
    there = {name: rows for name, rows in found.items() if rows is not None}
    for name, rows in there.items():
        if keep:
            KEPT.mkdir(parents=True, exist_ok=True)
            rows.to_csv(KEPT / f"{name}.csv", index=False)
    print("\n".join(table(there)))
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--keep"]
    sys.exit(main(Path(words[0]) if words else KEPT, "--keep" in sys.argv))

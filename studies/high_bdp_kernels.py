"""Judge which configurations leave connections on one path in networks of long delay.

    python -m studies.high_bdp_kernels RESULTS

RESULTS has the results of studies/causes/high-bdp-kernels.yaml, whose head has the
criterion. It was registered before the runs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from analysis.published import intervals
from analysis.report.markdown import markdown
from mpbench.report.loading import load_campaign

LEVEL = 0.95
NEAR, ONE_PATH, MOST = 0.2, 0.99, 0.5
"""E_AB near 0, the least share of one path that is used alone, and what most means."""
BENEFIT = "experimental_aggregation_benefit"
SHARES = ("path1.share", "path2.share")


def row(case: str, runs: pd.DataFrame) -> list[str]:
    """Numbers and outcome of a case.

    runs : one row per network, with BENEFIT and SHARES
    """
    benefit = runs[BENEFIT].to_numpy(float)
    middle = float(pd.Series(benefit).median())
    low, high = intervals.median(benefit, LEVEL)
    alone = int((runs[list(SHARES)].max(axis=1) > ONE_PATH).sum())
    chance = binomtest(alone, len(runs)).proportion_ci(LEVEL, "exact")
    if low > NEAR and chance.high < MOST:
        outcome = "excluded"
    elif abs(middle) <= NEAR and alone > MOST * len(runs):
        outcome = "**candidate**"
    else:
        outcome = "open"
    return [
        f"`{case}`", str(len(runs)), f"{middle:.2f} ({low:.2f} to {high:.2f})",
        f"{alone} ({chance.low:.0%} to {chance.high:.0%})", outcome,
    ]  # fmt: skip


def judged(runs: pd.DataFrame) -> list[list[str]]:
    """A row for each case with several subflows, in the order of the runs."""
    good = runs[(runs["verdict"] == "ok") & runs[BENEFIT].notna()]
    return [row(case, good[good["case"] == case]) for case in good["case"].unique()]


def main(words: Sequence[str]) -> int:
    (folder,) = words
    campaign, _ = load_campaign(Path(folder))
    head = ["case", "networks", "median of E_AB", "networks with one path", "outcome"]
    print("\n".join(markdown(head, judged(campaign.runs))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

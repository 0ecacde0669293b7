"""Which runs under MPCC are stuck, and what a wide receive window changes.

    python -m studies.stuck_runs RESULTS

RESULTS has the results or the kept rows of studies/causes/mpcc-receive-window.yaml,
whose head says when a run is stuck.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mpbench.report.loading import load_campaign

LEAST_PART = 0.6
"""Of lia's goodput on the same network; a stuck run has less."""
MOST_RETRANSMITTED = 1e-4
"""Of its segments; a stuck run has less."""
PAIRS = (
    ("mpcc_loss_wide", "mpcc_loss"),
    ("mpcc_latency_wide", "mpcc_latency"),
    ("lia_wide", "lia"),
    ("mpcc_loss_lowrtt", "mpcc_loss"),
)


def by_network(runs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A metric with a row for each network and a column for each case."""
    return runs.pivot(index="point", columns="case", values=metric)


def stuck(runs: pd.DataFrame) -> pd.DataFrame:
    """Whether the run of a network (row) and case (column) is stuck.

    runs : one row per run, with point, case, goodput_mbps and retransmission_ratio
    """
    goodput = by_network(runs, "goodput_mbps")
    slow = goodput.lt(LEAST_PART * goodput["lia"], axis=0)
    return slow & (by_network(runs, "retransmission_ratio") < MOST_RETRANSMITTED)


def main(words: Sequence[str]) -> int:
    (folder,) = words
    campaign, _ = load_campaign(Path(folder))
    runs = campaign.runs
    goodput, found = by_network(runs, "goodput_mbps"), stuck(runs)
    slow = goodput.lt(LEAST_PART * goodput["lia"], axis=0)
    for case in found:
        over_lia = (goodput[case] / goodput["lia"]).median()
        print(
            f"{case}: {found[case].sum()} of {len(found)} stuck, {slow[case].sum()} "
            f"below {LEAST_PART} of lia; median over lia {over_lia:.3f}"
        )
    factors = list(runs.filter(regex=r"^path\d\.(queueing_)?delay_ms$"))
    networks = runs.drop_duplicates("point").set_index("point")
    at = found.index[found.any(axis=1)]
    print(networks.loc[at, factors].join(goodput.loc[at].round(1)).to_string())
    for one, other in PAIRS:
        ratio = (goodput[one] / goodput[other])[~found.any(axis=1)]
        low, high = ratio.quantile([0.05, 0.95])
        print(
            f"{one} over {other} where none is stuck: median {ratio.median():.3f}, "
            f"5th and 95th percentile {low:.3f} and {high:.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

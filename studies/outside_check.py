"""Judge the check against Debian's kernels by its registered criterion.

    python -m studies.outside_check RESULTS

RESULTS is the folder of experiments/outside/outside-qemu.yaml. The criterion and its
margins are those of studies/notes/outside-check.md. They were registered before the
runs.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

PROTOCOLS = ("tcp", "mptcp")
OTHER = "_debian"
LOSS = "path1.loss_percent"
METRIC = "goodput_mbps"
NETWORKS = 20
MEDIAN_PERCENT = 1.0
EACH_PERCENT = 5.0
EACH_AT_LEAST = 8
LOSSY_PERCENT = 10.0


@dataclass(frozen=True)
class Clause:
    """A clause of the criterion for one protocol.

    holds : None while runs are missing
    found : the number that decides, in words
    """

    protocol: str
    name: str
    holds: bool | None
    found: str


def differences(rows: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """Relative differences in percent, with the loss, of networks with both runs ok.

    rows : the table of runs, one row per run
    """
    good = rows[rows["verdict"] == "ok"]
    pairs = good.pivot_table(index=["point", LOSS], columns="case", values=METRIC)
    names = [protocol, protocol + OTHER]
    pairs = pairs.reindex(columns=names).dropna().reset_index()
    ours, theirs = pairs[names[0]], pairs[names[1]]
    return pairs.assign(percent=100 * (theirs - ours) / ours)


def clauses(rows: pd.DataFrame) -> Iterator[Clause]:
    """The clauses of the criterion, for each protocol."""
    for protocol in PROTOCOLS:
        of_both = rows[rows["case"].isin([protocol, protocol + OTHER])]
        bad = int((of_both["verdict"] != "ok").sum())
        whole = len(of_both) == 2 * NETWORKS
        all_ok = False if bad else True if whole else None
        found = f"{len(of_both) - bad} of {2 * NETWORKS} runs are ok"
        yield Clause(protocol, "all ok", all_ok, found)
        pairs = differences(rows, protocol)
        clean = pairs[pairs[LOSS] == 0]["percent"]
        lossy = pairs[pairs[LOSS] > 0]["percent"]
        yield _median(protocol, "median", clean, MEDIAN_PERCENT)
        near = int((clean.abs() <= EACH_PERCENT).sum())
        far = len(clean) - near
        enough = near >= EACH_AT_LEAST
        too_few = far > NETWORKS // 2 - EACH_AT_LEAST
        decided = enough or too_few
        found = f"{near} of {len(clean)} lie within {EACH_PERCENT:g} %"
        yield Clause(protocol, "each", enough if decided else None, found)
        yield _median(protocol, "with loss", lossy, LOSSY_PERCENT)


def _median(protocol: str, name: str, found: "pd.Series[float]", most: float) -> Clause:
    if found.empty:
        return Clause(protocol, name, None, "no network has both runs")
    middle = float(found.median())
    words = f"median {middle:+.2f} % of {len(found)} (limit {most:g} %)"
    whole = len(found) == NETWORKS // 2
    return Clause(protocol, name, abs(middle) <= most if whole else None, words)


def main(folder: Path) -> int:
    """Print the clauses; 0 if all hold, 1 if one does not, 3 if one is undecided."""
    rows = pd.read_csv(folder / "runs.csv")
    found = list(clauses(rows))
    for one in found:
        word = {True: "holds", False: "does not hold", None: "undecided"}[one.holds]
        print(f"{one.protocol:<6} {one.name:<10} {word:<14} {one.found}")
    if any(one.holds is False for one in found):
        return 1
    return 3 if any(one.holds is None for one in found) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

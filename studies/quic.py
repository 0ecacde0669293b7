"""Judge the comparison of MPTCP with multipath QUIC by its registered statements.

    python -m studies.quic RESULTS          the tables, from the folders of campaigns
    python -m studies.quic RESULTS --keep   which also keeps their rows
    python -m studies.quic                  from the rows that are kept

The campaigns are those of experiments/quic. The statements stand in
studies/notes/quic.md and were registered before the runs. A campaign that was
not run has no table. A statement about a cell with fewer than three runs is not judged.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.figures.intervals import mean_interval

KEPT = Path(__file__).with_name("rows") / "quic"
LEAST = 3
LEAST_NETWORKS = 70
COUPLED = ("lia", "olia", "balia")
MPTCP = ("upstream", "cubic", *COUPLED, "bbr")
QUIC = ("noq", "picoquic")
CAPACITIES = ["path1.capacity_mbps", "path2.capacity_mbps"]
SIZE = "traffic.size_bytes"
BASE = ["point", "case", "repetition", "verdict"]


@dataclass(frozen=True)
class Campaign:
    """A campaign: its metrics with their labels, and the factors of its cells."""

    metrics: Mapping[str, str]
    factors: tuple[str, ...] = ()


GOODPUT = {"goodput_mbps": "goodput, Mbit/s"}
HANDOVER = Campaign({**GOODPUT, "interruption_s": "interruption, s"})
SHARED = Campaign(
    {
        "multi.goodput_mbps": "multipath user, Mbit/s",
        "single.goodput_mbps": "TCPs, Mbit/s",
    }
)
CAMPAIGNS = {
    "quic-bulk": Campaign({"goodput_mbps": "goodput / capacity"}, tuple(CAPACITIES)),
    "quic-lossy": Campaign({"goodput_mbps": "goodput / capacity"}, tuple(CAPACITIES)),
    "quic-down": HANDOVER,
    "quic-silent": HANDOVER,
    "quic-delay": HANDOVER,
    "quic-one-tcp": SHARED,
    "quic-five-tcps": SHARED,
    "quic-short": Campaign({"completion_time_s": "time, s"}, (SIZE,)),
    "quic-page": Campaign({"page.load_time_s": "load time, s"}),
    "quic-video": Campaign(
        {
            "video.bitrate_mbps": "bitrate, Mbit/s",
            "video.stalled_s": "stalled, s",
        }
    ),
}


def good(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs that count."""
    return rows[rows["verdict"] == "ok"]


def relative(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows; of campaigns over several networks, goodput over capacity."""
    if set(CAPACITIES) <= set(CAMPAIGNS[name].factors):
        capacity = rows[CAPACITIES].sum(axis=1)
        return rows.assign(goodput_mbps=rows["goodput_mbps"] / capacity)
    return rows


def cell(rows: pd.DataFrame, case: str, metric: str) -> tuple[float, float] | None:
    """Mean and half width of a case's runs; None if there are too few."""
    values = good(rows).loc[rows["case"] == case, metric].dropna()
    if len(values) < LEAST:
        return None
    return mean_interval(values.to_numpy(float))


def mean(rows: pd.DataFrame, case: str, metric: str) -> float | None:
    found = cell(rows, case, metric)
    return found[0] if found else None


Judge = Callable[[pd.DataFrame, str], bool | None]
"""Whether a statement holds of a case; None if it cannot be judged."""


def wins(rows: pd.DataFrame, case: str) -> bool | None:
    """Q1 and Q2: more goodput than `upstream` in at least 70 % of the networks."""
    pairs = good(rows).pivot_table(index="point", columns="case", values="goodput_mbps")
    if not {case, "upstream"} <= set(pairs.columns):
        return None
    both = pairs[[case, "upstream"]].dropna()
    if len(both) < LEAST_NETWORKS:
        return None
    return int((both[case] > both["upstream"]).sum()) >= 0.7 * len(both)


def at_most(metric: str, bound: float) -> Judge:
    def judge(rows: pd.DataFrame, case: str) -> bool | None:
        found = mean(rows, case, metric)
        return None if found is None else found <= bound

    return judge


def at_least(metric: str, bound: float) -> Judge:
    def judge(rows: pd.DataFrame, case: str) -> bool | None:
        found = mean(rows, case, metric)
        return None if found is None else found >= bound

    return judge


def ratio(
    metric: str, base: str, holds: Callable[[float], bool], size: float | None = None
) -> Judge:
    """Whether the ratio to another case's mean is as it should be.

    size : of the transfers that count; all if None
    """

    def judge(rows: pd.DataFrame, case: str) -> bool | None:
        if size is not None:
            rows = rows[rows[SIZE] == size]
        one, other = mean(rows, case, metric), mean(rows, base, metric)
        return None if one is None or other is None else holds(one / other)

    return judge


INTERRUPTED, TCPS = "interruption_s", "single.goodput_mbps"
STATEMENTS: tuple[tuple[str, str, tuple[str, ...], Judge], ...] = (
    ("Q1", "quic-bulk", QUIC, wins),
    ("Q2", "quic-lossy", QUIC, wins),
    ("Q3", "quic-down", (*MPTCP, "picoquic"), at_most(INTERRUPTED, 1)),
    ("Q3", "quic-down", ("noq",), at_least(INTERRUPTED, 3)),
    ("Q4", "quic-silent", (*MPTCP, "picoquic"), at_most(INTERRUPTED, 2)),
    ("Q4", "quic-silent", ("noq",), at_least(INTERRUPTED, 3)),
    ("Q5", "quic-delay", (*MPTCP, *QUIC), at_most(INTERRUPTED, 1)),
    ("Q6", "quic-one-tcp", COUPLED, ratio(TCPS, "tcp", lambda x: x >= 0.8)),
    ("Q6", "quic-one-tcp", QUIC, ratio(TCPS, "tcp", lambda x: x < 0.8)),
    ("Q7", "quic-five-tcps", COUPLED, ratio(TCPS, "tcp", lambda x: x >= 0.9)),
    ("Q7", "quic-five-tcps", QUIC, ratio(TCPS, "tcp", lambda x: x < 0.9)),
    (
        *("Q8", "quic-short", QUIC),
        ratio("completion_time_s", "tcp", lambda x: x <= 1.1, 1e4),
    ),
    (
        *("Q8", "quic-short", QUIC),
        ratio("completion_time_s", "upstream", lambda x: x <= 1.1, 1e7),
    ),
    ("Q9", "quic-page", QUIC, ratio("page.load_time_s", "cubic", lambda x: x <= 1.1)),
    (
        *("Q10", "quic-video", QUIC),
        ratio("video.bitrate_mbps", "cubic", lambda x: x >= 0.95),
    ),
)
"""Name, campaign, cases, and what must hold of each of them (studies/notes/quic.md)."""


def table(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """A campaign's cells in Markdown: mean and half width of each case."""
    campaign, rows = CAMPAIGNS[name], relative(rows, name)
    parts = [("", rows)]
    if SIZE in campaign.factors:
        sizes = sorted(rows[SIZE].unique())
        parts = [(f"{s / 1000:g} kB: ", rows[rows[SIZE] == s]) for s in sizes]
    heads = [f"{a}{label}" for a, _ in parts for label in campaign.metrics.values()]
    yield f"`experiments/quic/{name}.yaml`"
    yield ""
    yield "| case | runs | " + " | ".join(heads) + " |"
    yield "|---|---:|" + "---|" * len(heads)
    for case in dict.fromkeys(rows["case"]):
        cells = [cell(p, case, metric) for _, p in parts for metric in campaign.metrics]
        words = [f"{c[0]:.3g} ± {c[1]:.2g}" if c else "" for c in cells]
        ran = rows[rows["case"] == case]
        yield f"| `{case}` | {len(good(ran))} of {len(ran)} | {' | '.join(words)} |"


def judged(found: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """The statements in Markdown."""
    yield "| statement | campaign | holds for | does not hold for | not judged |"
    yield "|---|---|---|---|---|"
    for name, campaign, cases, judge in STATEMENTS:
        by: dict[bool | None, list[str]] = {True: [], False: [], None: []}
        for case in cases:
            rows = found.get(campaign)
            by[None if rows is None else judge(rows, case)].append(f"`{case}`")
        words = " | ".join(", ".join(by[key]) for key in (True, False, None))
        yield f"| {name} | `{campaign}` | {words} |"


def rows_of(folder: Path, name: str) -> pd.DataFrame | None:
    """The rows of a campaign, from its results or as they are kept; None without."""
    campaign = CAMPAIGNS[name]
    for file in (folder / name / "runs.csv", folder / f"{name}.csv"):
        if file.is_file():
            columns = [*BASE, *campaign.factors, *campaign.metrics]
            return pd.read_csv(file)[columns]
    return None


def main(folder: Path, keep: bool = False) -> int:
    all_rows = {name: rows_of(folder, name) for name in CAMPAIGNS}
    found = {name: rows for name, rows in all_rows.items() if rows is not None}
    for name, rows in found.items():
        if keep:
            KEPT.mkdir(parents=True, exist_ok=True)
            rows.to_csv(KEPT / f"{name}.csv", index=False)
        print("\n".join(table(name, rows)), end="\n\n")
    print("\n".join(judged(found)))
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--keep"]
    sys.exit(main(Path(words[0]) if words else KEPT, "--keep" in sys.argv))

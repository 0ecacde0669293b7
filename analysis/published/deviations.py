"""Published deviations over designs beside ours.

`results/published/thesis-table-{3.2,4.1,5.2}.csv` has one printed number per row. Ours
are in the tables that `mpbench sensitivity` writes.

A standard deviation of three values is a poor estimate: its 95 % interval reaches from
half to six times its value. The F test of the ratio compares two of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import pandas as pd

from analysis import late_scipy as scipy
from analysis.published import files
from analysis.published.judging import Verdict

COLUMNS = (
    "source",
    "row",
    "environment",
    "experiment",
    "case",
    "group",
    "metric",
    "statistic",
    "percent",
)
THEIR_DESIGNS = 3
"""[thesis] 3.3.3, 4.2.3 and 5.2.3."""
LEVEL = 0.05
FACTOR = 2.0
"""Deviations within this factor of each other count as equal."""


@dataclass(frozen=True)
class Printed:
    """One number of a published table.

    row, environment : its place in the table
    experiment, case, metric, statistic : the column of ours that it corresponds to
    percent : relative standard deviation in per cent
    decimals : number of printed decimals
    group : values of the factors that split the table, by column
    """

    source: str
    row: str
    environment: str
    experiment: str
    case: str
    metric: str
    statistic: str
    percent: float
    decimals: int
    group: Mapping[str, float] = field(default_factory=dict)


def read(path: Path) -> list[Printed]:
    """The numbers of a file. Raises ValueError, `file:line: what is wrong`."""
    found = []
    if files.columns(path) != COLUMNS:
        raise ValueError(f"{path}:1: the columns are not {', '.join(COLUMNS)}")
    for place, row in files.rows(path):
        try:
            found.append(_printed(row))
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{place}: {error}") from None
    if not found:
        raise ValueError(f"{path}: no rows, so there is nothing to compare with")
    return found


def _printed(row: Mapping[str, str]) -> Printed:
    text = row["percent"].strip()
    pairs = [part.partition("=") for part in row["group"].split() if part]
    return Printed(
        **{name: row[name] for name in COLUMNS if name not in ("group", "percent")},
        group={name: float(value) for name, _, value in pairs},
        percent=float(text),
        decimals=len(text.partition(".")[2]),
    )


def ours(printed: Printed, tables: pd.DataFrame) -> pd.Series | None:
    """Our row for a published number, from the designs with most points; or None.

    tables : tables of `sensitivity.frame` with the columns `experiment` and `points`
    """
    wanted = {
        "experiment": printed.experiment,
        "case": printed.case,
        "metric": printed.metric,
        "statistic": printed.statistic,
        **printed.group,
    }
    rows = tables
    for name, value in wanted.items():
        if name not in rows.columns:
            return None
        rows = rows[rows[name] == value]
    return None if rows.empty else rows.sort_values("points").iloc[-1]


def judged(theirs: float, mine: float, designs: int) -> Verdict:
    """Whether two sample deviations agree, by the rule `deviations` of rules.yaml.

    They differ if the F test says so. They agree if the 90 % interval of their ratio is
    within FACTOR on either side.
    """
    if apart(theirs, mine, designs) < LEVEL:
        return Verdict.DIFFERS
    if theirs == 0:
        return Verdict.AGREES
    low, high = (
        (mine / theirs) / sqrt(scipy.stats.f.ppf(p, designs - 1, THEIR_DESIGNS - 1))
        for p in (1 - LEVEL, LEVEL)
    )
    within = low >= 1 / FACTOR and high <= FACTOR
    return Verdict.AGREES if within else Verdict.UNDECIDED


def apart(theirs: float, mine: float, designs: int) -> float:
    """Two-sided p-value of the F test that two sample deviations have one variance.

    theirs : standard deviation over THEIR_DESIGNS designs
    mine : standard deviation over `designs` designs
    """
    if theirs == 0 or mine == 0:
        return 1.0 if theirs == mine else 0.0
    ratio = (mine / theirs) ** 2
    tail = scipy.stats.f.sf(ratio, designs - 1, THEIR_DESIGNS - 1)
    return float(2 * min(tail, 1 - tail))

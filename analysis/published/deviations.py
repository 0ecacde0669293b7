"""Published deviations over designs beside ours, as a page.

`results/published/thesis-table-{3.2,4.1,5.2}.csv` has one printed number per row. Ours
are in the tables that `mpbench sensitivity` writes.

A deviation of three values is known badly: the 95 % interval of what it estimates goes
from half of it to six times as much. Two are told apart by the F test of their ratio.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import pandas as pd
from scipy import stats

from analysis.report.markdown import markdown

COLUMNS = (
    *("source", "row", "environment", "experiment", "case", "group"),
    *("metric", "statistic", "percent"),
)
THEIR_DESIGNS = 3
"""[thesis] 3.3.3, 4.2.3 and 5.2.3."""
LEVEL = 0.05
HEAD = ("", "", "statistic", "published", "ours", "apart", "of each of our designs")


@dataclass(frozen=True)
class Printed:
    """One number of a published table.

    row, environment : its place there
    experiment, case, group, metric, statistic : what it is of; `group` is columns of
        factors that are lists, to their values
    percent : relative standard deviation; decimals : as printed
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
    """Raises ValueError, `file:line: what is wrong`."""
    found = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}:1: the columns are not {', '.join(COLUMNS)}")
        for row in reader:
            try:
                found.append(_printed(row))
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"{path}:{reader.line_num}: {error}") from None
    if not found:
        raise ValueError(f"{path}: no rows, so there is nothing to set ours beside")
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
    """The row of ours for a published number: that of the most points; None if none.

    tables : those of `sensitivity.frame`, with `experiment` and `points`
    """
    wanted = {
        "experiment": printed.experiment,
        "case": printed.case,
        "metric": printed.metric,
        "statistic": printed.statistic,
        **printed.group,
    }
    found = tables
    for name, value in wanted.items():
        if name not in found.columns:
            return None
        found = found[found[name] == value]
    return None if found.empty else found.sort_values("points").iloc[-1]


def apart(theirs: float, mine: float, designs: int) -> float:
    """p value, two-sided, that two sample deviations estimate the same one.

    theirs : over THEIR_DESIGNS designs; mine : over `designs`
    """
    if theirs == 0 or mine == 0:
        return 1.0 if theirs == mine else 0.0
    ratio = (mine / theirs) ** 2
    tail = stats.f.sf(ratio, designs - 1, THEIR_DESIGNS - 1)
    return float(2 * min(tail, 1 - tail))


def page(printed: Sequence[Printed], tables: pd.DataFrame) -> Iterator[str]:
    """The lines of the page."""
    source = printed[0].source
    yield f"# {source[0].upper()}{source[1:]}"
    yield ""
    yield (
        "Standard deviation over independent designs of the median and the quartiles,"
        " relative to the metric's range, in per cent. Ours is from"
        " `mpbench sensitivity`, with n - 1 in the denominator."
    )
    yield ""
    rows, p_values, largest = [], [], 0.0
    for each in printed:
        mine = ours(each, tables)
        name, environment = each.row, each.environment
        head = [name, environment, each.statistic, f"{each.percent:.{each.decimals}f}"]
        if mine is None:
            rows.append([*head, "-", "-", "not run"])
            continue
        percent = 100 * float(mine["relative_deviation"])
        p = apart(each.percent, percent, int(mine["designs"]))
        p_values.append(p)
        largest = max(largest, percent)
        values = [mine[f"design{i + 1}"] for i in range(int(mine["designs"]))]
        verdict = f"**p = {p:.2g}**" if p < LEVEL else "no"
        shown = ", ".join(f"{value:.4f}" for value in values)
        rows.append([*head, f"{percent:.{each.decimals}f}", verdict, shown])
    yield from markdown(HEAD, rows)
    missing = len(printed) - len(p_values)
    if missing:
        yield f"{missing} of {len(printed)} numbers were not run here: a stated subset."
        yield ""
    if p_values:
        yield from _verdict(printed, tables, p_values, largest)


def _verdict(
    printed: Sequence[Printed],
    tables: pd.DataFrame,
    p_values: Sequence[float],
    largest: float,
) -> Iterator[str]:
    different = sum(p < LEVEL for p in p_values)
    printed_largest = max(each.percent for each in printed)
    yield (
        f"The largest of ours is {largest:.3g} %, of the published"
        f" {printed_largest:.3g} %. {different} of {len(p_values)} differ by the F test"
        f" at {LEVEL:g}; chance alone makes {LEVEL * len(p_values):.1f} of so many"
        " differ."
    )
    yield ""
    used = tables[tables["experiment"].isin({each.experiment for each in printed})]
    for number in sorted({int(n) for n in used["designs"]}):
        low, high = (
            sqrt(stats.f.ppf(p, number - 1, THEIR_DESIGNS - 1))
            for p in (LEVEL / 2, 1 - LEVEL / 2)
        )
        yield (
            f"So few designs tell little: a deviation of {number} differs from one of"
            f" {THEIR_DESIGNS} by this test only if it is more than {high:.1f} times as"
            f" large, or less than one {1 / low:.1f}th."
        )
        yield ""
    for (name, points), part in used.groupby(["experiment", "points"], sort=False):
        designs = ", ".join(str(n) for n in sorted(set(part["designs"])))
        yield f"- {name}: {designs} designs of {points} points"
    yield ""

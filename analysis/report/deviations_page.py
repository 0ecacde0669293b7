"""The page that sets published deviations over designs beside ours."""

from collections.abc import Iterator, Sequence
from math import sqrt

import pandas as pd
from scipy import stats

from analysis.published.deviations import LEVEL, THEIR_DESIGNS, Printed, apart, ours
from analysis.report.markdown import markdown

HEAD = ("", "", "statistic", "published", "ours", "apart", "of each of our designs")


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

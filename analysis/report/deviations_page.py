"""The page that sets published deviations over designs beside ours."""

import re
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import pandas as pd

from analysis import late_scipy as scipy
from analysis.campaign.numbers import short
from analysis.published.deviations import (
    FACTOR,
    LEVEL,
    THEIR_DESIGNS,
    Printed,
    apart,
    judged,
    ours,
)
from analysis.published.judging import Verdict
from analysis.report.markdown import markdown

_COUNTED = re.compile(
    r"^(\d+) of \d+ numbers agree, (\d+) differ and (\d+) are undecided\.", re.MULTILINE
)
HEAD = (
    "",
    "",
    "statistic",
    "published",
    "ours",
    "verdict",
    "F test",
    "value of each of our designs",
)


def page(printed: Sequence[Printed], tables: pd.DataFrame) -> Iterator[str]:
    """The lines of the page: one table row per printed number, and a verdict."""
    source = printed[0].source
    yield f"# {source[0].upper()}{source[1:]}"
    yield ""
    yield (
        "The table shows the standard deviation of medians and quartiles over"
        " independent designs, relative to the metric's range, in per cent. Our values"
        " are from `mpbench sensitivity`, with n - 1 in the denominator."
    )
    yield ""
    rows, p_values, largest = [], [], 0.0
    verdicts: list[Verdict] = []
    for number in printed:
        row = ours(number, tables)
        published = f"{number.percent:.{number.decimals}f}"
        head = [number.row, number.environment, number.statistic, published]
        if row is None:
            rows.append([*head, "-", "not measured", "-", "not run"])
            continue
        percent = 100 * float(row["relative_deviation"])
        p = apart(number.percent, percent, int(row["designs"]))
        p_values.append(p)
        largest = max(largest, percent)
        values = [row[f"design{i + 1}"] for i in range(int(row["designs"]))]
        verdict = judged(number.percent, percent, int(row["designs"]))
        verdicts.append(verdict)
        told = f"**{verdict.value}**" if verdict is Verdict.DIFFERS else verdict.value
        shown = ", ".join(f"{value:.4f}" for value in values)
        ours_text = f"{percent:.{number.decimals}f}"
        rows.append([*head, ours_text, told, f"p = {p:.2g}", shown])
    yield from markdown(HEAD, rows)
    counts = [verdicts.count(verdict) for verdict in Verdict]
    yield (
        f"{counts[0]} of {len(printed)} numbers agree, {counts[1]} differ and"
        f" {counts[2]} are undecided. Two deviations agree if the 90 % interval of"
        f" their ratio is within a factor of {FACTOR:g}."
    )
    yield ""
    missing = len(printed) - len(p_values)
    if missing:
        yield f"{missing} of the {len(printed)} numbers were not measured here."
        yield ""
    if p_values:
        yield from _verdict(printed, tables, p_values, largest)


def verdicts(page: Path) -> tuple[Verdict, ...]:
    """The verdicts that such a page counts, those that agree first; none without a
    count."""
    found = _COUNTED.search(page.read_text(encoding="utf-8"))
    counts = map(int, found.groups()) if found else ()
    return tuple(
        verdict
        for verdict, count in zip(Verdict, counts, strict=False)
        for _ in range(count)
    )


def _verdict(
    printed: Sequence[Printed],
    tables: pd.DataFrame,
    p_values: Sequence[float],
    largest: float,
) -> Iterator[str]:
    different = sum(p < LEVEL for p in p_values)
    printed_largest = max(number.percent for number in printed)
    yield (
        f"The largest deviation is {short(largest)} % in ours and"
        f" {short(printed_largest)} %"
        f" in the published table. {different} of {len(p_values)} pairs differ by the F"
        f" test at {LEVEL:g}. If all deviations were equal, {LEVEL * len(p_values):.1f}"
        " pairs would differ by chance."
    )
    yield ""
    used = tables[tables["experiment"].isin({number.experiment for number in printed})]
    for count in sorted({int(n) for n in used["designs"]}):
        low, high = (
            sqrt(scipy.stats.f.ppf(p, count - 1, THEIR_DESIGNS - 1))
            for p in (LEVEL / 2, 1 - LEVEL / 2)
        )
        yield (
            f"This test has little power: a deviation over {count} designs differs from"
            f" one over {THEIR_DESIGNS} only if it is more than {high:.1f} times, or"
            f" less than {low:.2f} times, as large."
        )
        yield ""
    for (name, points), part in used.groupby(["experiment", "points"], sort=False):
        designs = ", ".join(str(n) for n in sorted(set(part["designs"])))
        yield f"- {name}: {designs} designs of {points} points"
    yield ""

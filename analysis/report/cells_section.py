"""Published cells beside our values: the figures and tables of a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import pandas as pd

from analysis.campaign.numbers import short
from analysis.figures import cells as cells_figure
from analysis.figures.style import Target
from analysis.published.cells import DIGITS, PRECISION, Cell, Compared, compare
from analysis.published.judging import Verdict
from analysis.published.publication import Counts
from analysis.report.answers_section import counts as counts_text
from analysis.report.markdown import markdown

HEAD = (
    "",
    "",
    "published",
    "ours",
    "n",
    "difference",
    "verdict",
    "printed digits",
    "chance",
)
READING = (
    '"Ours" is the mean over the runs of a case, with its 95 % confidence interval'
    " (Student's t over n seeds). It agrees if this interval meets the published value"
    " with its rounding, or the published interval, and reaches no further than"
    f" {PRECISION:.0%} of the published value. It is undecided where the interval is"
    ' wider or there is one run. "Printed digits" says whether our mean rounds to them.'
    " The chance is the share of redrawn sets of runs that have the same verdict."
)


def file_name(source: str) -> str:
    """The name of a published table's figure, without suffix."""
    return re.sub(r"[^a-z0-9]+", "-", source.lower()).strip("-")


def draw(cells: Sequence[Cell], runs: pd.DataFrame, target: Target) -> None:
    """Draw one published table: one panel per row of the table.

    cells : the cells of one source, at least one
    runs : the rows that enter statistics
    """
    rows: dict[tuple[str, str], list[cells_figure.Line]] = {}
    for cell in cells:
        rows.setdefault((cell.row, cell.unit), []).append(_line(compare(cell, runs)))
    cells_figure.draw(
        [cells_figure.Panel(*row, lines_) for row, lines_ in rows.items()], target
    )


def _line(compared: Compared) -> cells_figure.Line:
    cell, ours = compared.cell, None
    if compared.ours is not None:
        ours = cells_figure.Mark(compared.ours, compared.margin)
    return cells_figure.Line(
        cell.column, cells_figure.Mark(cell.value, cell.margin), ours
    )


def lines(compared: Sequence[Compared], figures: Mapping[str, str]) -> Iterator[str]:
    """The section with one figure and one table per published table.

    figures : the figure's file by the table's source, where there is one
    """
    if not compared:
        return
    yield "## Ours beside the published"
    yield ""
    for source, group in groupby(compared, key=lambda one: one.cell.source):
        of_source = list(group)
        yield f"### {source}"
        yield ""
        if source in figures:
            yield f"![{source}, ours beside the published]({figures[source]})"
            yield ""
        yield from table(of_source)
        counts = Counts.of(
            [one.verdict for one in of_source], [one.fragile for one in of_source]
        )
        yield counts_text(counts, "cells")
        yield ""
    yield READING
    yield ""


def table(compared: Sequence[Compared]) -> Iterator[str]:
    """One table row per cell, then the cells' notes."""
    yield from markdown(list(HEAD), [_row(one) for one in compared], numbers_from=2)
    notes = dict.fromkeys(one.cell.note for one in compared if one.cell.note)
    for note in notes:
        yield f"- {note}"
    if notes:
        yield ""


def _row(compared: Compared) -> list[str]:
    cell = compared.cell
    unit = f" {cell.unit}" if cell.unit else ""
    published = f"{cell.value:.{cell.decimals}f}"
    published += f" ± {cell.margin:g}" if cell.margin else ""
    if compared.ours is None:
        ours, difference = f"- ({compared.why_not})", "-"
    else:
        ours = _number(compared.ours)
        ours += f" ± {_margin(compared.margin)}" if compared.margin is not None else ""
        difference = short(compared.ours - cell.value, sign="+")
        if abs(compared.ours - cell.value) >= 1000:
            difference = f"{compared.ours - cell.value:+.0f}"
        if cell.value:
            difference += f" ({(compared.ours - cell.value) / cell.value:+.1%})"
    rounds = {True: "same", False: "other", None: "-"}[compared.rounds]
    chance = "-" if compared.chance is None else f"{compared.chance:.0%}"
    more = (verdict(compared), rounds, chance)
    name = f"{cell.row}{f',{unit}' if unit else ''}"
    return [name, cell.column, published, ours, str(compared.n), difference, *more]


def verdict(compared: Compared) -> str:
    """The verdict in words, with what weakens it."""
    name = compared.verdict.value if compared.verdict else "not measured"
    if compared.verdict is Verdict.DIFFERS:
        name = f"**{name}**"
    return name + (", fragile" if compared.fragile else "")


def _number(value: float) -> str:
    """Four significant digits, and all digits before the decimal point."""
    return f"{value:.0f}" if abs(value) >= 10**DIGITS else f"{value:.{DIGITS}g}"


def _margin(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"

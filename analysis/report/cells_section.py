"""Published cells beside our values: the figures and tables of a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import pandas as pd

from analysis.figures import cells as cells_figure
from analysis.figures.style import Target
from analysis.published.cells import DIGITS, Cell, Compared, compare
from analysis.report.markdown import markdown

HEAD = ("", "", "published", "ours", "n", "difference", "agrees")


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


def lines(
    cells: Sequence[Cell], runs: pd.DataFrame, figures: Mapping[str, str]
) -> Iterator[str]:
    """The section with one figure and one table per published table.

    runs : the rows that enter statistics
    figures : the figure's file by the table's source, where there is one
    """
    if not cells:
        return
    yield "## Ours beside the published"
    yield ""
    for source, group in groupby(cells, key=lambda cell: cell.source):
        of_source = list(group)
        yield f"### {source}"
        yield ""
        if source in figures:
            yield f"![{source}, ours beside the published]({figures[source]})"
            yield ""
        rows = [_row(compare(cell, runs)) for cell in of_source]
        yield from markdown(list(HEAD), rows, numbers_from=2)
        notes = dict.fromkeys(cell.note for cell in of_source if cell.note)
        for note in notes:
            yield f"- {note}"
        if notes:
            yield ""
    yield (
        '"Ours" is the mean over the runs of a case, with its 95 % confidence interval'
        " (Student's t over n seeds). The two agree if this interval reaches the"
        " published value, or the published interval where one is printed."
    )
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
        difference = f"{compared.ours - cell.value:+.3g}"
        if abs(compared.ours - cell.value) >= 1000:
            difference = f"{compared.ours - cell.value:+.0f}"
        if cell.value:
            difference += f" ({(compared.ours - cell.value) / cell.value:+.1%})"
    verdict = {True: "yes", False: "**no**", None: "-"}[compared.agrees]
    name = f"{cell.row}{f',{unit}' if unit else ''}"
    return [name, cell.column, published, ours, str(compared.n), difference, verdict]


def _number(value: float) -> str:
    """Four significant digits, and all digits before the decimal point."""
    return f"{value:.0f}" if abs(value) >= 10**DIGITS else f"{value:.{DIGITS}g}"


def _margin(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"

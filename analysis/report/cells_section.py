"""Published cells beside ours, as figures and tables of a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import pandas as pd

from analysis.figures import cells as beside
from analysis.figures.style import Target
from analysis.published.cells import DIGITS, Cell, Compared, compare
from analysis.report.markdown import markdown

HEAD = ("", "", "published", "ours", "n", "difference", "agrees")


def file_name(source: str) -> str:
    """Of the figure of a published table, without suffix."""
    return re.sub(r"[^a-z0-9]+", "-", source.lower()).strip("-")


def draw(cells: Sequence[Cell], good: pd.DataFrame, target: Target) -> None:
    """One published table as a figure: a panel a row of it.

    cells : of one source, at least one
    good : the runs that enter statistics
    """
    rows: dict[tuple[str, str], list[beside.Line]] = {}
    for cell in cells:
        rows.setdefault((cell.row, cell.unit), []).append(_line(compare(cell, good)))
    beside.draw([beside.Panel(*row, found) for row, found in rows.items()], target)


def _line(found: Compared) -> beside.Line:
    cell = found.cell
    ours = None if found.ours is None else beside.Mark(found.ours, found.margin)
    return beside.Line(cell.column, beside.Mark(cell.value, cell.margin), ours)


def lines(
    cells: Sequence[Cell], good: pd.DataFrame, figures: Mapping[str, str]
) -> Iterator[str]:
    """A table for each published one, below its figure.

    good : the runs that enter statistics
    figures : source to the figure's file, where there is one
    """
    if not cells:
        return
    yield "## Ours beside the published"
    yield ""
    for source, group in groupby(cells, key=lambda cell: cell.source):
        mine = list(group)
        yield f"### {source}"
        yield ""
        if source in figures:
            yield f"![{source}, ours beside the published]({figures[source]})"
            yield ""
        rows = [_row(compare(cell, good)) for cell in mine]
        yield from markdown(list(HEAD), rows, numbers_from=2)
        notes = dict.fromkeys(cell.note for cell in mine if cell.note)
        for note in notes:
            yield f"- {note}"
        if notes:
            yield ""
    yield (
        "Ours is the mean over the runs of a case with its 95 % interval (Student's t"
        " over n seeds). Both agree if that interval reaches the published value, or"
        " its interval where one is printed."
    )
    yield ""


def _row(found: Compared) -> list[str]:
    cell = found.cell
    unit = f" {cell.unit}" if cell.unit else ""
    published = f"{cell.value:.{cell.decimals}f}"
    published += f" ± {cell.margin:g}" if cell.margin else ""
    if found.ours is None:
        ours, difference = f"- ({found.why_not})", "-"
    else:
        ours = _number(found.ours)
        ours += f" ± {_margin(found.margin)}" if found.margin is not None else ""
        difference = f"{found.ours - cell.value:+.3g}"
        if abs(found.ours - cell.value) >= 1000:
            difference = f"{found.ours - cell.value:+.0f}"
        if cell.value:
            difference += f" ({(found.ours - cell.value) / cell.value:+.1%})"
    verdict = {True: "yes", False: "**no**", None: "-"}[found.agrees]
    name = f"{cell.row}{f',{unit}' if unit else ''}"
    return [name, cell.column, published, ours, str(found.n), difference, verdict]


def _number(value: float) -> str:
    """Four digits that count, and all of those before the point."""
    return f"{value:.0f}" if abs(value) >= 10**DIGITS else f"{value:.{DIGITS}g}"


def _margin(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"

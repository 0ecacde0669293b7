"""Published cells beside ours, as tables of a page."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import pandas as pd

from analysis.cells import DIGITS, Cell, Compared, compare
from analysis.tables import markdown

HEAD = ("", "", "published", "ours", "n", "difference", "agrees")


def lines(cells: Sequence[Cell], good: pd.DataFrame) -> Iterator[str]:
    """A table for each published one.

    good : the runs that enter statistics
    """
    if not cells:
        return
    yield "## Ours beside the published"
    yield ""
    for source, group in groupby(cells, key=lambda cell: cell.source):
        mine = list(group)
        yield f"### {source}"
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

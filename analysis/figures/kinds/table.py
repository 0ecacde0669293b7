"""Medians and quartiles as a table; in PDF a page of its own, with three rules."""

import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill
from typing import Literal

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.numbers import quartiles
from analysis.figures import style
from analysis.figures.data import (
    factor_values,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    parameter_column,
    rows_of,
    value_text,
)
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.titles import title

POINTS = 72
LINE = 1.5
"""Height of a row, in font sizes."""
GAP = 1.6
"""Distance between two columns, in font sizes."""
HEAD_LETTERS, NOTE_LETTERS = 18, 80
"""Headings and notes with more letters than this take several lines."""
RULES = (0.9, 0.5, 0.9)
"""Widths in points of the rules above and below the heading, and of the last."""


_PATH = re.compile(r"path\d+")


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One row per case, and one column per value of the factor `by`.

    Without `by` there is a column for the whole run, and one for each part of it (a
    flow, a user, a phase) that has the metric. The page shows the table as text; a
    PDF file is written if the target's look asks for PDF.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    rows = rows_of(request, runs)
    if rows[column].isna().all():
        raise metric_missing(request)
    by = [parameter_column(rows, request.by)] if request.by else []
    rows = networks(rows, ["case", *by])
    columns = _columns(request, rows, column)
    cells = []
    for case in rows["case"].unique():
        of_case = rows["case"] == case
        known = int(rows.loc[of_case, column].notna().sum())
        if not known:
            continue
        texts = (quartiles(values[of_case]) for values in columns.values())
        cells.append((str(case), str(known), *texts))
    name = without_mathematics(label(column))
    note = f"The table shows medians of {name}, with the first and third quartile."
    figure = DrawnFigure(
        title(request), "", note, head=("case", "n", *columns), cells=tuple(cells)
    )
    if "pdf" in target.look.formats:
        _plot(figure.head, figure.cells, note, target)
    return figure


def _columns(
    request: FigureRequest, rows: pd.DataFrame, column: str
) -> dict[str, pd.Series]:
    """The values of each column of the table by its heading."""
    if request.by:
        by = parameter_column(rows, request.by)
        unit = label(by).partition(" [")[2].rstrip("]")
        return {
            value_text(value, unit, with_unit=True): rows[column].where(
                rows[by] == value
            )
            for value in factor_values(rows[by])
        }
    columns = {without_mathematics(label(column)): rows[column]}
    for part in parts(rows, column):
        name = part.removesuffix(f".{column}").replace(".", ": ")
        columns[name] = rows[part]
    return columns


def parts(runs: pd.DataFrame, column: str) -> list[str]:
    """Columns of the same metric for a part of a run: `<part>.goodput_mbps`."""
    names = [name for name in runs.columns if str(name).endswith(f".{column}")]
    return [n for n in names if not _PATH.match(n) and runs[n].notna().any()]


def _plot(
    head: Sequence[str], cells: Sequence[Sequence[str]], note: str, target: style.Target
) -> None:
    """The table in PDF: first column to the left, others to the right, note below.

    The font shrinks where the columns of the paper, if the look names any, are too
    narrow.
    """
    look = replace(target.look, formats=("pdf",))
    columns = look.columns
    with style.styled(look):
        size = float(matplotlib.rcParams["font.size"])
        rows = [[fill(text, HEAD_LETTERS) for text in head], *map(list, cells)]
        lines = max(text.count("\n") for text in rows[0]) + 1
        widths = [max(_width(row[k], size) for row in rows) for k in range(len(head))]
        least = sum(widths) + GAP * size * len(head)
        note = fill(note, max(HEAD_LETTERS, min(NOTE_LETTERS, int(least / size * 1.8))))
        wide = least if columns is None else style.COLUMN_INCHES[columns] * POINTS
        scale = min(1.0, wide / least)
        size, widths = size * scale, [width * scale for width in widths]
        high = (lines + len(cells) + 1 + note.count("\n") + 1) * LINE * size
        figure = Figure(figsize=(wide / POINTS, high / POINTS))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, wide), ylim=(high, 0))
        axes.axis("off")
        edges = np.cumsum([0.5, lines, *[1] * len(cells)]) * LINE * size
        left = right = (wide - least * scale) / 2
        for k, width in enumerate(widths):
            right += width + GAP * size
            end = right - GAP * size / 2
            x = end if k else end - width
            side: Literal["left", "right"] = "right" if k else "left"
            for row, top, bottom in zip(rows, edges, edges[1:], strict=False):
                y = (top + bottom) / 2
                text = axes.text(x, y, row[k], size=size, ha=side, va="center")
                text.set_multialignment(side)
        for y, width in zip(edges[[0, 1, -1]], RULES, strict=True):
            axes.plot((left, right), (y, y), color="black", linewidth=width)
        start = left + GAP * size / 2
        axes.text(start, edges[-1] + size / 2, note, size=size * 0.9, va="top")
        style.save(figure, replace(target, look=look))


def _width(text: str, size: float) -> float:
    """Width in points of the longest line of a text."""
    font = FontProperties(family=matplotlib.rcParams["font.family"])
    lines = [line for line in text.split("\n") if line.strip()]
    paths = [TextPath((0, 0), line, size=size, prop=font) for line in lines]
    return max((path.get_extents().x1 for path in paths), default=0.0)

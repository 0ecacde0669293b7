"""A table as a picture of its own: a page of a PDF file, with three rules."""

from textwrap import fill
from typing import Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from analysis.figures import style
from analysis.figures.drawn_figure import PageText

POINTS = 72
LINE = 1.5
"""Height of a row, in font sizes."""
GAP = 1.6
"""Distance between two columns, in font sizes."""
HEAD_LETTERS, NOTE_LETTERS = 18, 80
"""Headings and notes with more letters than this take several lines."""
RULES = (0.9, 0.5, 0.9)
"""Widths in points of the rules above and below the heading, and of the last."""


def draw(data: PageText, look: style.Look) -> Figure:
    """Draw the table: first column to the left, others to the right, note below.

    The font shrinks where the columns of the paper, if the look names any, are too
    narrow.
    """
    columns = look.columns
    size = float(matplotlib.rcParams["font.size"])
    rows = [[fill(text, HEAD_LETTERS) for text in data.head], *map(list, data.cells)]
    lines = max(text.count("\n") for text in rows[0]) + 1
    widths = [max(_width(row[k], size) for row in rows) for k in range(len(data.head))]
    least = sum(widths) + GAP * size * len(data.head)
    note = fill(
        data.note, max(HEAD_LETTERS, min(NOTE_LETTERS, int(least / size * 1.8)))
    )
    wide = least if columns is None else style.COLUMN_INCHES[columns] * POINTS
    scale = min(1.0, wide / least)
    size, widths = size * scale, [width * scale for width in widths]
    high = (lines + len(data.cells) + 1 + note.count("\n") + 1) * LINE * size
    figure = Figure(figsize=(wide / POINTS, high / POINTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, wide), ylim=(high, 0))
    axes.axis("off")
    edges = np.cumsum([0.5, lines, *[1] * len(data.cells)]) * LINE * size
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
    return figure


def _width(text: str, size: float) -> float:
    """Width in points of the longest line of a text."""
    font = FontProperties(family=matplotlib.rcParams["font.family"])
    lines = [line for line in text.split("\n") if line.strip()]
    paths = [TextPath((0, 0), line, size=size, prop=font) for line in lines]
    return max((path.get_extents().x1 for path in paths), default=0.0)

"""A table set as a page of its own, for a paper: three rules and no box."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Literal

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from analysis.figures import style

POINTS = 72
LINE = 1.5
"""Height of a row, in sizes of the letters."""
GAP = 1.6
"""Between two columns, likewise."""
HEAD_LETTERS, NOTE_LETTERS = 18, 80
"""Longer ones go over several lines."""
RULES = (0.9, 0.5, 0.9)
"""Width of those above and below the head, and at the end, points."""


def draw(
    head: Sequence[str], cells: Sequence[Sequence[str]], note: str, target: style.Target
) -> list[Path]:
    """First column to the left, others to the right, the note below; PDF alone.

    Letters shrink where the paper's columns, if the look says any, are too narrow.
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
        size, widths = size * scale, [each * scale for each in widths]
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
        return style.save(figure, replace(target, look=look))


def _width(text: str, size: float) -> float:
    """Of the longest line, in points."""
    font = FontProperties(family=matplotlib.rcParams["font.family"])
    lines = [line for line in text.split("\n") if line.strip()]
    paths = [TextPath((0, 0), line, size=size, prop=font) for line in lines]
    return max((path.get_extents().x1 for path in paths), default=0.0)

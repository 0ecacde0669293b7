"""A design as a CSV file and as a pair plot."""

import csv
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from wsp.designs import Design
from wsp.factors import Factor

_SIDE_INCHES = 1.7  # of one small plot
_LARGEST = 12  # factors beyond which a pair plot is unreadable


def write_csv(design: Design, path: Path) -> None:
    """Write one row a point: its number from 0, then a column for each factor.

    Numbers are the shortest that read back as the same double.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["point", *(f.name for f in design.factors)])
        for number, row in enumerate(design.points):
            values = zip(design.factors, row, strict=True)
            writer.writerow([number, *(_text(f, v) for f, v in values)])


def _text(factor: Factor, value: float) -> str:
    return str(int(value)) if factor.integer else repr(float(value))


def pair_plot(design: Design, path: Path, title: str = "") -> None:
    """Draw each factor against each other, and a histogram of each, as a PNG.

    The histograms are what thesis Fig. 3.2 shows. Raises ValueError for more than
    12 factors. The same design gives the same bytes (with one matplotlib).
    """
    d = len(design.factors)
    if d > _LARGEST:
        raise ValueError(
            f"pair plot: {d} factors; it can be read up to {_LARGEST}, plot fewer"
        )
    side = max(4.0, _SIDE_INCHES * d)
    figure = Figure(figsize=(side, side), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(d, d, squeeze=False, sharex="col")
    for row, across in enumerate(design.factors):
        for column, along in enumerate(design.factors):
            axes = grid[row, column]
            if column > row:
                axes.set_visible(False)
                continue
            _panel(axes, design, row, column)
            if row == d - 1:
                axes.set_xlabel(along.name, fontsize=8)
            if column == 0:
                axes.set_ylabel(
                    across.name if row else f"{across.name}\n(points)", fontsize=8
                )
            axes.tick_params(labelsize=7, labelleft=column == 0)
            axes.spines[["top", "right"]].set_visible(False)
    if title:
        figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=120, format="png", metadata={"Software": None})

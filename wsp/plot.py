"""A design as a pair plot; a module of its own, since matplotlib is slow to import."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wsp.designs import Design

_SIDE_INCHES = 1.7  # of one small plot
_BINS = 10  # of a histogram
_LARGEST = 12  # factors beyond which a pair plot is unreadable


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
    for row in range(d):
        for column in range(d):
            axes = grid[row, column]
            if column > row:
                axes.set_axis_off()
            else:
                _panel(axes, design, row, column)
    if title:
        figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=120, format="png", metadata={"Software": None})


def _panel(axes: Axes, design: Design, row: int, column: int) -> None:
    """The small plot of factor `row` (upwards) against factor `column`."""
    x = design.points[:, column]
    axes.tick_params(labelsize=7, length=2)
    axes.spines[["top", "right"]].set_visible(False)
    if row == column:
        factor = design.factors[row]
        ends = (factor.minimum, factor.maximum)
        bins = np.linspace(*ends, _BINS + 1).tolist() if ends[0] < ends[1] else _BINS
        axes.hist(x, bins=bins, color="0.75", edgecolor="white", linewidth=0.5)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.yaxis.tick_right()
        axes.spines["left"].set_visible(False)
        axes.spines["right"].set_visible(True)
    else:
        axes.plot(x, design.points[:, row], "o", color="C0", markersize=2, mew=0)
        if column > 0:
            axes.tick_params(labelleft=False)
    if column == 0 and row > 0:
        axes.set_ylabel(design.factors[row].name, fontsize=8)
    if row == len(design.factors) - 1:
        axes.set_xlabel(design.factors[column].name, fontsize=8)

"""Histograms of factors, with an even spread as a line."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import palette, style
from analysis.figures.axes import logarithmic
from analysis.figures.kinds.histogram.data import Factor, HistogramData

MOST_STROKES = 60
"""More values than these are no strokes of their own."""


def draw(data: HistogramData, look: style.Look) -> list[Figure]:
    """Draw one histogram per factor."""
    count = len(data.factors)
    columns = 2 if count in (2, 4) else min(3, count)
    if look.narrow:
        columns = min(2, count)
    parts = style.split(data.factors, columns, 2.0)
    return [_picture(replace(data, factors=part), columns) for part in parts]


def _picture(data: HistogramData, columns: int) -> Figure:
    factors = data.factors
    rows = math.ceil(len(factors) / columns)
    figure, axes = style.panels(columns, rows)
    figure.set_size_inches(max(2.7 * columns, 4.2), 2.0 * rows + 0.3)
    for place, (axis, factor) in enumerate(zip(axes, factors, strict=False)):
        _bars(axis, factor)
        axis.axhline(
            len(factor.values) / factor.bars,
            color=palette.ORANGE,
            lw=1.2,
            ls="--",
            label="an even spread",
        )
        axis.set_xlabel(factor.label)
        axis.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
        if place % columns == 0:
            axis.set_ylabel("design points")
    for axis in axes[len(factors) :]:
        axis.set_visible(False)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", frameon=False)
    return figure


def _bars(axis: Axes, factor: Factor) -> None:
    """Draw a bar per range, with a stroke per value, or a bar per value."""
    look: dict[str, Any] = {"color": palette.LIGHT_BLUE, "edgecolor": palette.BLUE}
    if factor.names:
        _, counts = np.unique(factor.values, return_counts=True)
        axis.bar(range(len(counts)), counts, 0.6, **look)
        axis.set_xticks(range(len(counts)), factor.names)
        axis.set_xlim(-0.6, len(counts) - 0.4)
        return
    counts, edges = np.histogram(factor.values, factor.edges)
    axis.bar(edges[:-1], counts, np.diff(edges), align="edge", **look)
    if len(factor.values) <= MOST_STROKES:
        foot = axis.get_xaxis_transform()
        axis.vlines(
            factor.values, 0, 0.05, transform=foot, color=palette.BLUE, lw=1, zorder=3
        )
    if factor.log:
        logarithmic(axis, "x", float(factor.values.min()))

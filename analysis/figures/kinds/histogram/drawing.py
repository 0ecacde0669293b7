"""Histograms of factors, with an even spread as a line."""

import math
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.campaign.columns import label
from analysis.figures import palette, style
from analysis.figures.kinds.histogram.data import HistogramData


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
        values = data.points[factor].to_numpy(float)
        values = values[np.isfinite(values)]
        axis.hist(values, data.bins, color=palette.LIGHT_BLUE, edgecolor=palette.BLUE)
        axis.axhline(
            len(values) / data.bins,
            color=palette.ORANGE,
            lw=1.2,
            ls="--",
            label="an even spread",
        )
        axis.set_xlabel(label(factor))
        axis.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
        if place % columns == 0:
            axis.set_ylabel("design points")
    for axis in axes[len(factors) :]:
        axis.set_visible(False)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", frameon=False)
    return figure

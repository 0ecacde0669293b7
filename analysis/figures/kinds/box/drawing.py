"""Box plots of a metric by batches of a criterion."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.campaign import batches
from analysis.figures import palette, style
from analysis.figures.axes import from_zero, logarithmic
from analysis.figures.kinds.box.data import BoxData, Panel

SPREAD = 0.56
"""Width over which the points of a box are spread, in boxes."""
GOLDEN = 0.6180339887498949
COLUMNS = 2
"""The most panels side by side."""
LABEL_INCHES = 0.78
"""Width that the label of a batch needs."""


def draw(data: BoxData, look: style.Look) -> list[Figure]:
    """Draw one panel per name, and in it one box per batch."""
    columns = 1 if look.narrow else min(COLUMNS, len(data.panels))
    parts = style.split(list(data.panels), columns, style.PANEL_INCHES[1])
    return [
        _picture(replace(data, panels={n: data.panels[n] for n in names}), columns)
        for names in parts
    ]


def _picture(data: BoxData, columns: int) -> Figure:
    panels, bounds, labels, lines = data.panels, data.bounds, data.labels, data.lines
    rows = math.ceil(len(panels) / columns)
    figure, axes = style.panels(columns, rows)
    width, height = style.PANEL_INCHES
    width = max(width, 0.7 + LABEL_INCHES * (len(bounds) - 1))
    figure.set_size_inches(width * columns, height * rows)
    for place, (axis, name) in enumerate(zip(axes, panels, strict=False)):
        panel = panels[name]
        for value in lines:
            axis.axhline(
                value, color=palette.GREY, lw=0.8, ls="-" if not value else ":"
            )
        _boxes(axis, panel, bounds, palette.colour(data.numbers[panel.case]))
        if panel.bound is not None:
            _mark_bound(axis, panel.criterion, panel.bound, bounds)
        axis.set_xlabel(labels[0])
        if place % columns == 0:
            axis.set_ylabel(labels[1])
        if len(panels) > 1:
            axis.set_title(name, loc="left")
    if data.shown:
        axes[0].set_ylim(*data.shown.ends)
    elif data.log:
        least = min(float(panel.values.min()) for panel in panels.values())
        logarithmic(axes[0], "y", least)
    elif min(float(panel.values.min()) for panel in panels.values()) >= 0:
        from_zero(axes[: len(panels)], 0.02)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    return figure


def _boxes(axis: Axes, panel: Panel, bounds: Sequence[float], colour: str) -> None:
    by_batch = batches.groups(panel.criterion, panel.values, bounds)
    for place, group in enumerate(by_batch):
        boxed = len(group) >= style.LEAST_BOX
        axis.plot(
            place + _spread(len(group)),
            np.sort(group),
            ".",
            color=colour,
            alpha=0.6 if boxed else 1,
            ms=5 if boxed else 8,
            mew=0,
            zorder=3,
        )
    filled = [i for i, group in enumerate(by_batch) if len(group) >= style.LEAST_BOX]
    if filled:
        _draw_boxes(axis, by_batch, filled, colour)
    names = [
        f"{batches.label(bounds, i)}\nn = {len(group)}"
        for i, group in enumerate(by_batch)
    ]
    axis.set_xticks(range(len(by_batch)), names)
    axis.set_xlim(-0.6, len(by_batch) - 0.4)


def _draw_boxes(
    axis: Axes, by_batch: Sequence[np.ndarray], filled: Sequence[int], colour: str
) -> None:
    """filled : the batches that have values enough for a box"""
    median = palette.ORANGE if colour != palette.ORANGE else palette.NEUTRAL
    axis.boxplot(
        [by_batch[place] for place in filled],
        positions=filled,
        widths=0.62,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={
            "facecolor": (*_rgb(colour), 0.12),
            "edgecolor": colour,
        },
        whiskerprops={"color": colour},
        capprops={"color": colour},
        medianprops={"color": median, "lw": 1.8},
        zorder=2,
    )


def _mark_bound(
    axis: Axes, criterion: pd.Series, bound: pd.Series, bounds: Sequence[float]
) -> None:
    by_batch = batches.groups(criterion, bound, bounds)
    places = [i for i, group in enumerate(by_batch) if len(group)]
    axis.plot(
        places,
        [float(np.median(by_batch[i])) for i in places],
        "D",
        color="black",
        mfc="white",
        ms=4.5,
        zorder=4,
        label="most that headers allow (median)",
    )
    axis.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        handletextpad=0.2,
    )


def _spread(count: int) -> np.ndarray:
    """Sideways positions that are even and not random: the golden ratio's sequence."""
    return (np.arange(1, count + 1) * GOLDEN % 1 - 0.5) * SPREAD


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue

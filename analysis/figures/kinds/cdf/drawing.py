"""Steps of cumulative distributions: the part of the values that are at most x."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style
from analysis.figures.kinds.cdf.data import CdfData, Curves

HEIGHT_INCHES = 2.8
MOST_COLUMNS = 3
"""The most panels side by side."""


def draw(data: CdfData, look: style.Look) -> list[Figure]:
    """Draw one panel per name, and in it one curve per name."""
    columns = 1 if look.narrow else min(MOST_COLUMNS, len(data.panels))
    curves = max(map(len, data.panels.values()))
    height = HEIGHT_INCHES + style.LEGEND_ROW_INCHES * curves
    parts = style.split(list(data.panels), columns, height, 0)
    return [
        _picture(
            replace(data, panels={n: data.panels[n] for n in names}), columns, look
        )
        for names in parts
    ]


def _picture(data: CdfData, columns: int, look: style.Look) -> Figure:
    panels = data.panels
    rows = -(-len(panels) // columns)
    figure, places = style.panels(columns, rows)
    width = style.PANEL_INCHES[0]
    if look.columns:
        width = style.COLUMN_INCHES[look.columns] / columns
    legend = 0.0
    same = _same_count(panels)
    # Panels whose curves tell their own numbers of values need legends of their own.
    together = len(panels) > 1 and bool(same)
    named: dict[str, Artist] = {}
    for place, (axis, name) in enumerate(zip(places, panels, strict=False)):
        for value in data.lines:
            axis.axvline(value, color=palette.GREY, lw=0.8, ls=":")
        _panel(axis, panels[name], data, same)
        handles, names = axis.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
        if not together:
            height = style.legend_above(axis, handles, names, width - 0.7)
            legend = max(legend, height)
        axis.set_xlabel(data.label)
        if place % columns == 0:
            axis.set_ylabel(f"part of the runs{f' (n = {same})' if same else ''}")
        if together:
            axis.set_title(name, loc="left", parse_math=False)
        elif len(panels) > 1:
            axis.text(0.02, 0.96, name, transform=axis.transAxes, va="top")
    for axis in places[len(panels) :]:
        axis.set_visible(False)
    height = (HEIGHT_INCHES + legend) * rows
    if together:
        wide = width * columns - 0.4
        height += style.legend_outside(figure, [*named.values()], [*named], wide)
    figure.set_size_inches(width * columns, height)
    return figure


def _same_count(panels: Mapping[str, Curves]) -> int:
    """The number of values of each curve; 0 if they differ."""
    counts = {len(values) for curves in panels.values() for values in curves.values()}
    return counts.pop() if len(counts) == 1 else 0


def _panel(axis: Axes, curves: Curves, data: CdfData, same: int) -> None:
    """Draw the curves.

    same : the number of values of each curve, which the axis tells; 0 if they differ
    """
    numbers = data.numbers
    low = min(float(values.min()) for values in curves.values())
    high = max(float(values.max()) for values in curves.values())
    margin = 0.04 * (high - low) or 0.5
    ends = (low - margin, high + margin)
    if data.log:
        ends = (low / 1.1, high * 1.1)
    for name, values in curves.items():
        steps = np.sort(values.to_numpy(float))
        count = len(steps)
        axis.step(
            [ends[0], *steps, ends[1]],
            [0, *np.arange(1, count + 1) / count, 1],
            where="post",
            **palette.curve(numbers[name], len(numbers), count),
            label=name if same else f"{name} (n = {count})",
        )
    if data.log:
        axes.dress(axis, (data.label, ""), "x", (low, 1))
    axis.set_xlim(*(data.shown.ends if data.shown else ends))
    axis.set_ylim(0, 1.02)

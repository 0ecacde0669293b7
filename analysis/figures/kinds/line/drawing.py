"""Lines of means with intervals, one per case."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style, theory_marks
from analysis.figures.data import value_text
from analysis.figures.kinds.line.data import Curve, LineData

MOST_NAMED = 6
"""The most values whose names fit below an axis."""
LEAST_STEP = 0.15
"""The part of a linear axis between two values whose names fit beside each other."""
APART = 0.25
"""The part of the least step between two values that the marks of one value fill."""
MOST_COLUMNS = 3
"""The most panels side by side."""


def draw(data: LineData, look: style.Look) -> list[Figure]:
    """Draw one panel per name, and in it one line per case."""
    columns = 1 if look.narrow else min(MOST_COLUMNS, len(data.panels))
    legend = style.LEGEND_ROW_INCHES * len(data.numbers)
    parts = style.split(data.panels, columns, style.PANEL_INCHES[1], legend)
    return [_picture(replace(data, panels=part), columns, look) for part in parts]


def _picture(data: LineData, columns: int, look: style.Look) -> Figure:
    panels, numbers = data.panels, data.numbers
    figure, places = style.panels(columns, -(-len(panels) // columns))
    for place, (axis, panel) in enumerate(zip(places, panels, strict=False)):
        for line in data.lines:
            axis.axhline(line, color=palette.GREY, lw=0.8, ls=":")
        beside = _apart(list(panel.curves.values()), data.log in ("x", "both"))
        for (name, curve), x in zip(panel.curves.items(), beside, strict=True):
            _plot(axis, name, x, curve, numbers[name])
        for model, known in theory_marks.numbered(data.expected):
            known = known.of(panel.points)
            theory_marks.draw(axis, known, data.at, numbers, model, joined=True)
        axes.dress(axis, data.labels, data.log, (data.values[0], panel.least))
        if place % columns:
            axis.set_ylabel("")
        if panel.name:
            axis.set_title(panel.name)
        lowest = axis.get_ylim()[0]
        signed = 0.0 in data.lines or data.log in ("y", "both")
        if panel.least >= 0 > lowest and not signed:
            axes.from_zero([axis])  # An interval below 0 tells nothing of the metric.
        if data.shown:
            axis.set_ylim(*data.shown)
        if data.log in ("x", "both") or _are_apart(data.values):
            _name_values(axis, data.values, data.unit)
    for axis in places[len(panels) :]:
        axis.set_visible(False)
    if len(panels) == 1:
        axes.size_with_legend(figure, places[0])
    else:
        axes.size_panels(figure, places[: len(panels)], columns, look)
    return figure


def _are_apart(values: Sequence[float]) -> bool:
    """Whether the names of all values fit below a linear axis."""
    steps = np.diff(values)
    return len(steps) > 0 and bool(steps.min() >= LEAST_STEP * steps.sum())


def _name_values(axis: Axes, values: Sequence[float], unit: str) -> None:
    """Write an axis's values as the factor has them, if they fit."""
    if len(values) <= MOST_NAMED:
        axis.set_xticks(values, [value_text(x, unit) for x in values])
        axis.set_xticks([], minor=True)
        if unit == "bytes":
            axis.set_xlabel(axis.get_xlabel().removesuffix(" [bytes]"))


def _apart(curves: Sequence[Curve], log: bool) -> list[np.ndarray]:
    """The places of each curve's marks, beside those of the others for the same value.

    Intervals of several cases would otherwise cover one another.
    """
    values = np.unique(np.concatenate([curve.x for curve in curves]))
    scaled = np.log(values) if log else values
    if len(curves) < 2 or len(values) < 2:
        return [curve.x for curve in curves]
    step = float(np.diff(scaled).min()) * APART / len(curves)
    shifts = [step * (i - (len(curves) - 1) / 2) for i in range(len(curves))]
    return [
        curve.x * np.exp(shift) if log else curve.x + shift
        for curve, shift in zip(curves, shifts, strict=True)
    ]


def _plot(axis: Axes, name: str, x: np.ndarray, curve: Curve, number: int) -> None:
    axis.errorbar(
        x,
        curve.means,
        yerr=curve.halves,
        label=name,
        color=palette.colour(number),
        linestyle=palette.dash(number),
        marker=palette.marker(number),
        markersize=4,
        linewidth=1.2,
        elinewidth=0.9,
        capsize=2.5,
    )

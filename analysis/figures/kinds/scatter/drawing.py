"""Marks of networks against a criterion or a factor."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style, theory_marks
from analysis.figures.kinds.scatter.data import Marks, ScatterData

MOST_COLUMNS = 3
"""The most panels side by side."""
BESIDE_SHARE = 0.6
"""The part of the distance between two values that the marks of all cases take."""


def draw(data: ScatterData, look: style.Look) -> list[Figure]:
    """Draw one mark with its interval per network and case."""
    columns = 1 if look.narrow else min(MOST_COLUMNS, len(data.panels))
    legend = style.LEGEND_ROW_INCHES * len(data.numbers)
    parts = style.split(data.panels, columns, style.PANEL_INCHES[1], legend)
    return [_picture(replace(data, panels=part), columns, look) for part in parts]


def _picture(data: ScatterData, columns: int, look: style.Look) -> Figure:
    panels = data.panels
    figure, places = style.panels(columns, -(-len(panels) // columns))
    moved = _moved(data)
    least = (
        min(data.at.values()),
        min(min(m.means) for panel in panels for m in panel.cases.values()),
    )
    for place, (axis, panel) in enumerate(zip(places, panels, strict=False)):
        for value in data.lines:
            axis.axhline(value, color=palette.GREY, lw=0.8, ls=":")
        for name, marks in panel.cases.items():
            _plot(axis, name, marks, data.numbers[name], moved[name])
        for model, known in theory_marks.numbered(data.expected):
            known = known.of(panel.points)
            theory_marks.draw(axis, known, data.at, data.numbers, model, joined=False)
        axes.dress(axis, data.labels, data.log, least)
        if place % columns:
            axis.set_ylabel("")
        if panel.name:
            axis.set_title(panel.name)
        if data.shown:
            axis.set_ylim(*data.shown.ends)
    for axis in places[len(panels) :]:
        axis.set_visible(False)
    if len(panels) == 1:
        axes.size_with_legend(figure, places[0])
    else:
        _same_across(places[: len(panels)])
        axes.size_panels(figure, places[: len(panels)], columns, look)
    return figure


def _same_across(places: list[Axes]) -> None:
    """Give all panels the range of the widest one."""
    ends = [axis.get_xlim() for axis in places]
    for axis in places:
        axis.set_xlim(min(a for a, _ in ends), max(b for _, b in ends))


def _moved(data: ScatterData) -> dict[str, Callable[[float], float]]:
    """The horizontal place of each case's marks, from the value that they have.

    Where cases stand side by side, they take BESIDE_SHARE of the least distance between
    two values, of their logarithms on a logarithmic axis.
    """
    places = sorted(set(data.at.values()))
    if not data.beside or len(places) < 2:
        return dict.fromkeys(data.numbers, float)
    log = data.log in ("x", "both")
    known = [math.log(one) for one in places] if log else places
    width = BESIDE_SHARE * min(b - a for a, b in pairwise(known))
    names = [n for n in data.numbers if any(n in p.cases for p in data.panels)]
    found: dict[str, Callable[[float], float]] = {}
    for place, name in enumerate(names):
        by = width * ((place + 0.5) / len(names) - 0.5)
        found[name] = partial(_times if log else _plus, math.exp(by) if log else by)
    return found


def _plus(by: float, value: float) -> float:
    return value + by


def _times(by: float, value: float) -> float:
    return value * by


def _plot(
    axis: Axes,
    name: str,
    marks: Marks,
    number: int,
    moved: Callable[[float], float],
) -> None:
    axis.errorbar(
        [moved(one) for one in marks.x],
        marks.means,
        yerr=marks.halves,
        label=name,
        color=palette.colour(number),
        **palette.hollow(number),
        markersize=4.5,
        alpha=0.8,
        elinewidth=0.7,
    )

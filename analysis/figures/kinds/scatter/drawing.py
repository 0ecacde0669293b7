"""Marks of networks against a criterion or a factor."""

from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style, theory_marks
from analysis.figures.kinds.scatter.data import Marks, ScatterData

MOST_COLUMNS = 3
"""The most panels side by side."""


def draw(data: ScatterData, look: style.Look) -> list[Figure]:
    """Draw one mark with its interval per network and case."""
    columns = 1 if look.narrow else min(MOST_COLUMNS, len(data.panels))
    legend = style.LEGEND_ROW_INCHES * len(data.numbers)
    parts = style.split(data.panels, columns, style.PANEL_INCHES[1], legend)
    return [_picture(replace(data, panels=part), columns, look) for part in parts]


def _picture(data: ScatterData, columns: int, look: style.Look) -> Figure:
    panels = data.panels
    figure, places = style.panels(columns, -(-len(panels) // columns))
    least = (
        min(data.at.values()),
        min(min(m.means) for panel in panels for m in panel.cases.values()),
    )
    for place, (axis, panel) in enumerate(zip(places, panels, strict=False)):
        for value in data.lines:
            axis.axhline(value, color=palette.GREY, lw=0.8, ls=":")
        for name, marks in panel.cases.items():
            _plot(axis, name, marks, data.numbers[name])
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


def _plot(axis: Axes, name: str, marks: Marks, number: int) -> None:
    axis.errorbar(
        marks.x,
        marks.means,
        yerr=marks.halves,
        label=name,
        color=palette.colour(number),
        **palette.hollow(number),
        markersize=4.5,
        alpha=0.8,
        elinewidth=0.7,
    )

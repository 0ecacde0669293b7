"""Marks with intervals, one group per case."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style, theory_marks
from analysis.figures.intervals import mean_interval
from analysis.figures.kinds.cases.data import CasesData, Series

WIDTH = 0.6
"""Width of all marks of a case together; neighbouring cases are 1 apart."""


def draw(data: CasesData, look: style.Look) -> Figure:
    """Draw the mean of each part with its interval, and theory beside it."""
    figure, (axis,) = style.panels(1)
    for value in data.lines:
        axis.axhline(value, color=palette.GREY, lw=0.8, ls=":")
    for number, series in enumerate(data.parts):
        places = _places(data.cases, number, len(data.parts))
        colour = palette.colour(number)
        if len(data.parts) > 1:
            _measured(axis, series, places, number)
        else:
            _one_part(axis, series, places, data.numbers)
            colour = palette.NEUTRAL
        theory_marks.beside(axis, series.expected, places, colour, not number)
    more_inches = axes.name_places(axis, data.cases, look)
    axis.set_xlim(-0.6, len(data.cases) - 0.4)
    axes.dress(axis, data.labels, None, (1, 1))
    if min(series.least for series in data.parts) >= 0:
        axes.from_zero([axis])
    axes.size_with_legend(figure, axis, more_inches)
    return figure


def _places(cases: Sequence[str], number: int, count: int) -> dict[str, float]:
    """Places of the marks of part `number` of `count`, by case."""
    shift = WIDTH * ((number + 0.5) / count - 0.5)
    return {case: place + shift for place, case in enumerate(cases)}


def _one_part(
    axis: Axes, series: Series, places: Mapping[str, float], numbers: Mapping[str, int]
) -> None:
    """Marks in the colours of their cases; the legend names them once."""
    for case, group in series.values.items():
        label = None if case != next(iter(series.values)) else series.part
        alone = replace(series, values={case: group}, part=label or "measured")
        _measured(axis, alone, places, numbers[case])
    for container in axis.containers[1:]:
        container.set_label("_nolegend_")


def _measured(
    axis: Axes, series: Series, places: Mapping[str, float], number: int
) -> None:
    intervals = [mean_interval(g.to_numpy(float)) for g in series.values.values()]
    axis.errorbar(
        [places[case] for case in series.values],
        [mean for mean, _ in intervals],
        yerr=[half for _, half in intervals],
        label=series.part or "measured",
        color=palette.colour(number),
        marker=palette.marker(number),
        linestyle="none",
        markersize=4.5,
        capsize=2.5,
        elinewidth=0.9,
    )

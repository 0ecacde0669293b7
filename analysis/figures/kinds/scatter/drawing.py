"""Marks of networks against a criterion or a factor."""

from matplotlib.figure import Figure

from analysis.figures import axes, palette, style, theory_marks
from analysis.figures.kinds.scatter.data import ScatterData


def draw(data: ScatterData, look: style.Look) -> Figure:
    """Draw one mark with its interval per network and case."""
    figure, (axis,) = style.panels(1)
    for value in data.lines:
        axis.axhline(value, color=palette.GREY, lw=0.8, ls=":")
    for name, marks in data.cases.items():
        axis.errorbar(
            marks.x,
            marks.means,
            yerr=marks.halves,
            label=name,
            color=palette.colour(data.numbers[name]),
            **palette.hollow(data.numbers[name]),
            markersize=4.5,
            alpha=0.8,
            elinewidth=0.7,
        )
    for model, known in theory_marks.numbered(data.expected):
        theory_marks.draw(axis, known, data.at, data.numbers, model, joined=False)
    least = (min(data.at.values()), min(min(m.means) for m in data.cases.values()))
    axes.dress(axis, data.labels, data.log, least)
    if data.shown:
        axis.set_ylim(*data.shown.ends)
    axes.size_with_legend(figure, axis)
    return figure

"""Scales and labels of a figure's axes, as its request asks for them."""

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from analysis.figures import style
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.request import FigureRequest


def dress(
    axis: Axes,
    request: FigureRequest,
    labels: tuple[str, str],
    least: tuple[float, float],
) -> None:
    """Set the scales and labels of a figure whose data are drawn.

    labels : of the horizontal and the vertical axis, where the request gives none
    least : the smallest values that are drawn, horizontally and vertically

    Raises UndrawableError if a logarithmic axis would have to show 0 or less.
    """
    given = request.labels
    axis.set_xlabel(_plain(given.x) if given and given.x else labels[0])
    axis.set_ylabel(_plain(given.y) if given and given.y else labels[1])
    if request.log in ("x", "both"):
        _logarithmic(axis, "x", least[0])
    if request.log in ("y", "both"):
        _logarithmic(axis, "y", least[1])


def save_with_legend(figure: Figure, axis: Axes, target: style.Target) -> None:
    """Save a figure of one panel, with a legend above it if it has several labels."""
    handles, names = axis.get_legend_handles_labels()
    width, height = style.PANEL_INCHES
    if len(names) > 1:
        height += style.legend_above(axis, handles, names, width - 0.7)
    figure.set_size_inches(width, height)
    style.save(figure, target)


def _plain(text: str) -> str:
    """A user's text, in which a dollar sign begins no formula."""
    return text.replace("$", r"\$")


def _logarithmic(axis: Axes, which: Literal["x", "y"], least: float) -> None:
    if least <= 0:
        raise UndrawableError(
            f"values of 0 or less have no place on a logarithmic {which} axis; leave "
            "log out"
        )
    (axis.set_xscale if which == "x" else axis.set_yscale)("log")
    scale = axis.xaxis if which == "x" else axis.yaxis
    formatter = ScalarFormatter()
    formatter.set_scientific(False)
    scale.set_major_formatter(formatter)
    low, high = scale.get_view_interval()
    scale.set_minor_formatter(ScalarFormatter() if high / low < 10 else NullFormatter())

"""Scales and labels of a figure's axes, as its request asks for them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, NullFormatter

from analysis.figures import style
from analysis.figures.drawn_figure import UndrawableError

SCALE_INCHES = 0.7
"""Width of the vertical axis with its label."""
NAME_GAP_INCHES = 0.1
NEARLY_EQUAL = 1.05


def dress(
    axis: Axes, labels: tuple[str, str], log: str | None, least: tuple[float, float]
) -> None:
    """Set the scales and labels of a figure whose data are drawn.

    labels : of the horizontal and the vertical axis
    log : the axes with a logarithmic scale, "x", "y" or "both"
    least : the smallest values that are drawn, horizontally and vertically

    Raises UndrawableError if a logarithmic axis would have to show 0 or less.
    """
    axis.set_xlabel(labels[0])
    axis.set_ylabel(labels[1])
    if log in ("x", "both"):
        logarithmic(axis, "x", least[0])
    if log in ("y", "both"):
        logarithmic(axis, "y", least[1])


def from_zero(panels: Sequence[Axes], below: float = 0.0) -> None:
    """Let axes with one vertical scale begin at 0, with some space above.

    below : the part of the range that is left below 0
    """
    highest = max(axis.dataLim.y1 for axis in panels)
    top = max(highest * 1.05, panels[0].get_ylim()[1])
    panels[0].set_ylim(-below * top, top)


def name_places(axis: Axes, names: Sequence[str], look: style.Look) -> float:
    """Write names below the places 0, 1, 2 ... of the horizontal axis.

    Names that would overlap stand upright. Returns the height in inches that they then
    need beside that of a line.
    """
    width = style.COLUMN_INCHES.get(look.columns or 0, style.PANEL_INCHES[0])
    upright = not fit(names, width)
    axis.set_xticks(
        range(len(names)), names, rotation=90 if upright else 0, parse_math=False
    )
    return max(map(text_inches, names)) if upright else 0.0


def fit(names: Sequence[str], width_inches: float) -> bool:
    """Whether names fit below evenly spaced places without touching each other.

    width_inches : of the figure
    """
    apart = (width_inches - SCALE_INCHES) / max(len(names), 1)
    wide = [text_inches(name) + NAME_GAP_INCHES for name in names]
    return all(a + b <= 2 * apart for a, b in pairwise(wide))


def text_inches(text: str) -> float:
    """The width of a text in the present style, that of its longest line."""
    font = FontProperties(size=rcParams["font.size"], family=rcParams["font.family"])
    measure = text_to_path.get_text_width_height_descent
    return max(float(measure(line, font, False)[0]) for line in text.split("\n")) / 72


def size_with_legend(figure: Figure, axis: Axes, more_inches: float = 0.0) -> None:
    """Size a figure of one panel, with a legend above it if it has several labels.

    more_inches : by which the figure is higher than usual
    """
    handles, names = axis.get_legend_handles_labels()
    width, height = style.PANEL_INCHES
    height += more_inches
    if len(names) > 1:
        height += style.legend_above(axis, handles, names, width - 0.7)
    figure.set_size_inches(width, height)


def size_panels(
    figure: Figure, panels: Sequence[Axes], columns: int, look: style.Look
) -> None:
    """Size a figure of several panels, with one legend above all of them.

    panels : those that show something
    columns : the number of panels side by side
    """
    labelled: dict[str, Artist] = {}
    for axis in panels:
        handles, names = axis.get_legend_handles_labels()
        labelled |= dict(zip(names, handles, strict=True))
    width, height = style.PANEL_INCHES
    width, height = width * columns, height * -(-len(panels) // columns)
    if look.columns:
        width = style.COLUMN_INCHES[look.columns]
    if len(labelled) > 1:
        height += style.legend_outside(
            figure, [*labelled.values()], [*labelled], width - SCALE_INCHES
        )
    figure.set_size_inches(width, height)


def logarithmic(axis: Axes, which: Literal["x", "y"], least: float) -> None:
    """Give an axis a logarithmic scale with plain numbers.

    least : the smallest value that is drawn

    An axis of nearly equal values stays linear, because a logarithm would look the
    same, and has no ticks in so small a range.
    """
    if least <= 0:
        raise UndrawableError(
            f"values of 0 or less have no place on a logarithmic {which} axis; leave "
            "log out"
        )
    limits = axis.get_xlim() if which == "x" else axis.get_ylim()
    if 0 < max(limits) <= NEARLY_EQUAL * min(limits):
        return
    (axis.set_xscale if which == "x" else axis.set_yscale)("log")
    scale = axis.xaxis if which == "x" else axis.yaxis
    formatter = FuncFormatter(lambda value, _: f"{value:.10g}")
    scale.set_major_formatter(formatter)
    low, high = scale.get_view_interval()
    scale.set_minor_formatter(formatter if high / low < 10 else NullFormatter())

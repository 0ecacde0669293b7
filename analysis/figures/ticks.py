"""Ticks and labels of axes, made readable once a figure is drawn.

Bytes are kB and MB. A power of ten that all ticks share stands in the label's unit, and
not above the axis, where a legend is. Ticks are as far apart as their numbers need. A
label or a title that is longer than its axis has several lines.
"""

import math
import textwrap
from collections.abc import Sequence

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import (
    AutoLocator,
    FuncFormatter,
    NullFormatter,
    ScalarFormatter,
)

from analysis.campaign.numbers import bytes_text

BYTES = " [bytes]"
LEAST, MOST = 1e-3, 1e6
"""Ticks below, and from there on, have a power of ten in common."""
LETTER = 0.62
"""Width of a digit, in font sizes."""
BESIDE = 6.0
"""Dots between a label or title and what stands beside it."""
GAP = 1.0
"""Room between the numbers of two ticks, in font sizes."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Apart(AutoLocator):
    """Ticks of a horizontal axis, so few that their numbers do not touch."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        axis = self.axis
        if not isinstance(axis, Axis):
            return super().tick_values(vmin, vmax)
        inches = axis.axes.get_window_extent().width / axis.axes.figure.dpi
        letters = inches * 72 / float(rcParams["font.size"])
        found: Sequence[float] = ()
        for count in range(min(9, max(1, axis.get_tick_space())), 0, -1):
            self.set_params(nbins=count, min_n_ticks=min(2, count))
            found = super().tick_values(vmin, vmax)
            shown = [at for at in found if vmin <= at <= vmax]
            names = axis.get_major_formatter().format_ticks(shown)
            wide = LETTER * max(map(len, names), default=0) + GAP
            if len(shown) * wide <= letters:
                break
        return found


def put_right(figure: Figure) -> None:
    """Make the ticks, labels and titles of all axes of a drawn figure readable."""
    together: dict[int, list[Axis]] = {}
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            # Axes that share a scale share the object of their major ticks.
            together.setdefault(id(axis.major), []).append(axis)
    for group in together.values():
        _number(group)
    for axes in figure.axes:
        if isinstance(axes.xaxis.get_major_locator(), AutoLocator):
            axes.xaxis.set_major_locator(Apart())
    _wrap(figure)


def _number(group: list[Axis]) -> None:
    """Write the numbers of axes that share their ticks."""
    axis = group[0]
    labels = [each.get_label_text() for each in group]
    formatter = axis.get_major_formatter()
    linear = axis.get_scale() == "linear"
    if linear and not isinstance(formatter, ScalarFormatter):
        return
    if any(label.endswith(BYTES) for label in labels):
        named = FuncFormatter(lambda at, _: bytes_text(at))
        axis.set_major_formatter(named)
        if not isinstance(axis.get_minor_formatter(), NullFormatter):
            axis.set_minor_formatter(named)
        for each, label in zip(group, labels, strict=True):
            each.set_label_text(label.removesuffix(BYTES))
        return
    if not linear:
        return
    low, high = sorted(axis.get_view_interval())
    ticks = [abs(at) for at in axis.get_majorticklocs() if low <= at <= high]
    largest = max(ticks, default=0)
    if not any(labels) or not largest or LEAST <= largest < MOST:
        return
    power = 3 * math.floor(math.log10(largest) / 3)
    axis.set_major_formatter(FuncFormatter(lambda at, _: f"{at / 10**power:.6g}"))
    ten = f"10{str(power).translate(SUPERSCRIPTS)}"
    for each, label in zip(group, labels, strict=True):
        what, bracket, unit = label.partition(" [")
        if label:
            each.set_label_text(
                f"{what} [{ten} {unit}" if bracket else f"{label} [{ten}]"
            )


def lay_out(figure: Figure) -> None:
    """Give axes and legends the places that a drawing would give them."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def _wrap(figure: Figure) -> None:
    """Break labels and titles that are longer than their place."""
    if not any(_is_long(axes, figure) for axes in figure.axes):
        return
    lay_out(figure)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    boxes = {axes: axes.get_window_extent() for axes in shown}
    for axes, box in boxes.items():
        beside = {
            other: b
            for other, b in boxes.items()
            if other is not axes and b.y0 < box.y1 and b.y1 > box.y0
        }
        right = [b.x0 for b in beside.values() if b.x0 > box.x1]
        room = min(right, default=figure.bbox.x1) - box.x0
        for text in _titles(axes):
            _break(text, text.get_window_extent().width, room - bool(right) * BESIDE)
        across, up = axes.xaxis.label, axes.yaxis.label
        # A label is centred below its axes, and so are those of the axes beside it.
        middle = (box.x0 + box.x1) / 2
        reach = [middle - figure.bbox.x0, figure.bbox.x1 - middle]
        for other, b in beside.items():
            if other.get_xlabel():
                reach.append((abs((b.x0 + b.x1) / 2 - middle) - BESIDE) / 2)
            elif b.x0 > box.x1:
                reach.append(b.x0 - middle - BESIDE)
        _break(across, across.get_window_extent().width, 2 * min(reach))
        _break(up, up.get_window_extent().height, box.height)


def _break(text: Text, long: float, room: float) -> None:
    words = text.get_text()
    if words and long > room > 0:
        text.set_text(textwrap.fill(words, max(8, int(len(words) * room / long))))


def _titles(axes: Axes) -> list[Text]:
    words = (axes.get_title(), axes.get_title("left"))
    found = [each for each in axes.get_children() if isinstance(each, Text)]
    return [each for each in found if each.get_text() and each.get_text() in words]


def _is_long(axes: Axes, figure: Figure) -> bool:
    """Whether a label or a title may not fit, by the letters that it has."""
    width, height = figure.get_size_inches()
    place = axes.get_subplotspec()
    rows, columns = place.get_gridspec().get_geometry() if place else (1, 1)
    letter = LETTER * float(rcParams["font.size"]) / 72
    across = [*(text.get_text() for text in _titles(axes)), axes.get_xlabel()]
    wide = max(map(len, across)) * letter > 0.8 * width / columns
    return bool(wide or len(axes.get_ylabel()) * letter > 0.5 * height / rows)

"""Windows, rates and the like over time: a panel a case and quantity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.run.series import Line

PANEL_INCHES = (4.4, 1.9)
SIDE_BY_SIDE = 2
"""Cases that stand beside one another; of more, each has a row."""
SHADES = ("#EDEDED", "#DCDCDC")
LINE_WIDTH = 0.8
LEGEND_COLUMNS = 4


@dataclass(frozen=True)
class Panel:
    """case, quantity : names; label : of the ordinate; lines : by name"""

    case: str
    quantity: str
    label: str
    lines: Mapping[str, Line]


def draw(
    panels: Sequence[Panel],
    phases: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
    target: style.Target,
) -> list[Path]:
    """Quantities below one another and up to two cases side by side; of more cases
    a row each, of a single quantity two to a row.

    panels : at least one; every case has the same quantities in the same order
    phases : shaded and named, s; span : s that are shown
    """
    cases = list(dict.fromkeys(panel.case for panel in panels))
    quantities = list(dict.fromkeys(panel.quantity for panel in panels))
    beside = len(cases) <= SIDE_BY_SIDE and not target.look.narrow
    if target.look.narrow:
        order, columns = panels, 1
    elif beside:
        order = [p for q in quantities for p in panels if p.quantity == q]
        columns = len(cases)
    else:
        order, columns = panels, len(quantities) if len(quantities) > 1 else 2
    rows = -(-len(order) // columns)
    with style.styled(target.look):
        width, height = PANEL_INCHES
        figure = Figure(
            figsize=(width * columns, height * rows + 0.4), layout="constrained"
        )
        axes = list(figure.subplots(rows, columns, squeeze=False, sharex=True).flat)
        _share(axes, order)
        for place, (axis, panel) in enumerate(zip(axes, order, strict=False)):
            _panel(axis, panel, phases, span)
            if len(cases) > 1 and (place < columns or not beside):
                axis.set_title(panel.case, loc="left")
            if place + columns >= len(order):
                axis.set_xlabel("time [s]")
                axis.tick_params(labelbottom=True)
        for axis in axes[len(order) :]:
            axis.set_visible(False)
        _from_zero(axes, order)
        _legend(figure, order)
        return style.save(figure, target)


def _share(axes: Sequence[Axes], order: Sequence[Panel]) -> None:
    """One ordinate for each quantity."""
    first: dict[str, Axes] = {}
    for axis, panel in zip(axes, order, strict=False):
        if panel.quantity in first:
            axis.sharey(first[panel.quantity])
        first.setdefault(panel.quantity, axis)


def _from_zero(axes: Sequence[Axes], order: Sequence[Panel]) -> None:
    """Once all is drawn, which the upper end of a shared ordinate goes by."""
    below = {
        panel.quantity
        for panel in order
        if any((line.values < 0).any() for line in panel.lines.values())
    }
    for axis, panel in zip(axes, order, strict=False):
        if panel.quantity not in below:
            axis.set_ylim(bottom=0)


def _panel(
    axis: Axes,
    panel: Panel,
    phases: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
) -> None:
    axis.set_xlim(*span)
    for number, (name, (start, end)) in enumerate(phases.items()):
        axis.axvspan(start, end, color=SHADES[number % len(SHADES)], lw=0, zorder=0)
        middle = (max(start, span[0]) + min(end, span[1])) / 2
        if span[0] < middle < span[1] and len(phases) > 1:
            axis.annotate(
                name,
                (middle, 1),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                color="#606060",
                fontsize="small",
            )
    for name, line in panel.lines.items():
        inside = (line.times >= span[0]) & (line.times <= span[1])
        user, path = line.place
        axis.plot(
            line.times[inside],
            line.values[inside],
            color=style.SERIES[(user + 3 * path) % len(style.SERIES)],
            lw=LINE_WIDTH,
            label=name,
        )
    axis.set_ylabel(panel.label)


def _legend(figure: Figure, order: Sequence[Panel]) -> None:
    named: dict[str, Artist] = {}
    for axis in figure.axes:
        handles, names = axis.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
    if len(named) > 1:
        legend = figure.legend(
            list(named.values()),
            list(named),
            loc="outside upper left",
            ncols=LEGEND_COLUMNS,
            frameon=False,
        )
        for handle in legend.get_lines():
            handle.set_linewidth(2)

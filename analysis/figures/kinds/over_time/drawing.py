"""Lines of single runs over time, quantities below one another."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import palette, style
from analysis.figures.kinds.over_time import mark_drawing, theory_drawing
from analysis.figures.kinds.over_time.data import OverTimeData, Panel

PANEL_INCHES = (4.4, 1.9)
SIDE_BY_SIDE = 2
"""The most cases that stand side by side; of more cases, each has a row."""
SHADES = ("#EDEDED", "#DCDCDC")
OUTAGE = "#F9DDD0"
LINE_WIDTH = 0.8
CAPACITY_DASHES = (0, (4, 2))
LEAST_ROOM = 0.04
"""Part of an ordinate above its highest line."""
LETTERS = 44
"""Letters of a line in an empty panel."""


def draw(data: OverTimeData, look: style.Look) -> list[Figure]:
    """Draw quantities below one another, and up to two cases side by side.

    Of more cases each has a row; of a single quantity, two stand in a row.
    """
    numbers = _numbers(name for panel in data.panels for name in panel.lines)
    parts = list(_pages(data, look))
    several = len({panel.case for panel in data.panels}) > 1
    return [
        _picture(replace(data, panels=part), look, numbers, several) for part in parts
    ]


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """The number of each line, for its colour. A path has one colour whether it has
    one subflow, or the first of several."""
    numbers: dict[str, int] = {}
    heads: dict[str, int] = {}
    for name in dict.fromkeys(names):
        head = name.removesuffix(" (1)")
        numbers[name] = heads.setdefault(head, len(heads))
    return numbers


def _pages(data: OverTimeData, look: style.Look) -> Iterator[list[Panel]]:
    """The panels of each picture, so that none is wider or taller than a page."""
    cases = list(dict.fromkeys(panel.case for panel in data.panels))
    quantities = list(dict.fromkeys(panel.quantity for panel in data.panels))
    height = PANEL_INCHES[1]
    if len(cases) <= SIDE_BY_SIDE:
        columns = len(cases) if look.narrow else 1
        parts = style.split(quantities, 1, height * columns)
        kept = [(cases, list(part)) for part in parts]
    else:
        across = 1 if look.narrow else SIDE_BY_SIDE
        of_cases = across if len(quantities) == 1 else 1
        beside = range(0, len(quantities), across)
        rows = style.split(cases, of_cases, height)
        kept = [
            (list(some), quantities[i : i + across]) for i in beside for some in rows
        ]
    for some_cases, some_quantities in kept:
        part = [
            panel
            for panel in data.panels
            if panel.case in some_cases and panel.quantity in some_quantities
        ]
        if part:
            yield part


def _picture(
    data: OverTimeData, look: style.Look, numbers: Mapping[str, int], several: bool
) -> Figure:
    """One of the pictures.

    numbers : the number of each line of all pictures: one name has one colour
    several : whether the pictures together show several cases
    """
    panels = data.panels
    cases = list(dict.fromkeys(panel.case for panel in panels))
    quantities = list(dict.fromkeys(panel.quantity for panel in panels))
    beside = len(cases) <= SIDE_BY_SIDE and not look.narrow
    if look.narrow:
        order, columns = panels, 1
    elif beside:
        order = [p for q in quantities for p in panels if p.quantity == q]
        columns = len(cases)
    else:
        order, columns = panels, len(quantities) if len(quantities) > 1 else 2
    rows = -(-len(order) // columns)
    width, height = PANEL_INCHES
    figure = Figure(
        figsize=(width * columns, height * rows + 0.4), layout="constrained"
    )
    axes = list(figure.subplots(rows, columns, squeeze=False, sharex=True).flat)
    _share(axes, order)
    for place, (axis, panel) in enumerate(zip(axes, order, strict=False)):
        _panel(axis, panel, data.phases, data.span, numbers)
        mark_drawing.draw(axis, panel.marks, data.span)
        theory_drawing.draw(
            axis,
            panel.theory,
            list(panel.lines),
            data.models,
            data.span,
            lambda name: palette.colour(numbers[name]),
        )
        if several and (place < columns or not beside):
            axis.set_title(panel.case, loc="left")
        if place + columns >= len(order):
            axis.set_xlabel("time [s]")
            axis.tick_params(labelbottom=True)
    for axis in axes[len(order) :]:
        axis.set_visible(False)
    _from_zero(axes, order, named=len(data.phases) > 1)
    partly = any(panel.silent for panel in panels)
    _legend(figure, (*mark_drawing.LOOKS, *data.models), always=partly)
    return figure


def _share(axes: Sequence[Axes], order: Sequence[Panel]) -> None:
    """One ordinate for each quantity."""
    first: dict[str, Axes] = {}
    for axis, panel in zip(axes, order, strict=False):
        if panel.quantity in first:
            axis.sharey(first[panel.quantity])
        first.setdefault(panel.quantity, axis)


def _from_zero(axes: Sequence[Axes], order: Sequence[Panel], named: bool) -> None:
    """Once all is drawn, which the upper end of a shared ordinate goes by.

    named : whether the names of phases stand at the upper end
    """
    below = {
        panel.quantity
        for panel in order
        if any((line.values < 0).any() for line in panel.lines.values())
    }
    for axis, panel in zip(axes, order, strict=False):
        if panel.theory or named:  # no line crosses the phases' names
            axis.margins(y=0.15)
        if panel.quantity not in below:
            axis.set_ylim(bottom=0)
            _leave_room(axis, panel)


def _leave_room(axis: Axes, panel: Panel) -> None:
    """A level line has no space above it once the ordinate begins at 0."""
    highest = max((float(max(line.values)) for line in panel.lines.values()), default=0)
    least = highest * (1 + LEAST_ROOM)
    if axis.get_ylim()[1] < least:
        axis.set_ylim(top=least)


def _panel(
    axis: Axes,
    panel: Panel,
    phases: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
    numbers: Mapping[str, int],
) -> None:
    """numbers : the number of each line in the figure: one name has one colour."""
    axis.set_xlim(*span)
    if panel.missing:
        axis.text(
            0.5,
            0.5,
            textwrap.fill(panel.missing, LETTERS),
            transform=axis.transAxes,
            ha="center",
            va="center",
            color="#606060",
        )
    for outage in panel.outages:
        axis.axvspan(outage.begin_s, outage.end_s, color=OUTAGE, lw=0, zorder=0.5)
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
    count = max(numbers.values(), default=0) + 1
    for name, line in panel.lines.items():
        inside = (line.times >= span[0]) & (line.times <= span[1])
        axis.plot(
            line.times[inside],
            line.values[inside],
            lw=LINE_WIDTH,
            label=name,
            **palette.time_line(numbers[name], count, int(inside.sum())),
        )
    for name, steps in panel.bounds.items():
        owner = next((line for line in panel.lines if _belongs(line, name)), None)
        if owner is not None:
            times = [time for time, _ in steps] + [max(span[1], steps[-1][0])]
            values = [value for _, value in steps] + [steps[-1][1]]
            axis.step(
                times,
                values,
                where="post",
                color=palette.colour(numbers[owner]),
                ls=CAPACITY_DASHES,
                lw=LINE_WIDTH,
                alpha=0.8,
            )
    if panel.bounds:  # one entry of the legend for all of them
        axis.plot([], [], color=palette.GREY, ls=CAPACITY_DASHES, label=panel.bound)
    axis.set_ylabel(panel.label)


def _belongs(line: str, name: str) -> bool:
    """Whether a line is of the path or entry `name`, perhaps of one of its subflows."""
    return line == name or line.startswith(f"{name} (")


def _legend(figure: Figure, last: Sequence[str], always: bool = False) -> None:
    """last : the names that stand at the end; always : also of a single line"""
    named: dict[str, Artist] = {}
    for axis in figure.axes:
        handles, names = axis.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
    named |= {name: named.pop(name) for name in last if name in named}
    if len(named) > 1 or (always and named) or not named.keys().isdisjoint(last):
        width = float(figure.get_size_inches()[0])
        columns = style.legend_columns(list(named), width - 0.4)
        legend = figure.legend(
            list(named.values()),
            list(named),
            loc="outside upper left",
            ncols=columns,
            frameon=False,
        )
        height = style.LEGEND_ROW_INCHES * -(-len(named) // columns)
        figure.set_size_inches(width, figure.get_size_inches()[1] + height)
        for handle in legend.get_lines():
            handle.set_linewidth(2)

"""Published numbers beside ours, as points with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from analysis.figures import palette, style

PANEL_INCHES = 3.0
ROW_INCHES = 0.24
FRAME_INCHES = 1.0
"""Height that title, ticks and label of a row of panels need."""
MOST_IN_A_ROW = 3
LEAST_RANGE = 0.25
"""The shortest range of an axis, as a part of its largest value."""


@dataclass(frozen=True)
class Mark:
    """A value and half of its 95 % interval; None where it has none."""

    value: float
    margin: float | None = None


@dataclass(frozen=True)
class Line:
    """One line of a panel with two marks; ours is None where nothing was measured."""

    name: str
    published: Mark
    ours: Mark | None


@dataclass(frozen=True)
class Panel:
    """One quantity: its name, its unit ('' for a number), its lines from the top."""

    title: str
    unit: str
    lines: Sequence[Line]


def draw(panels: Sequence[Panel], target: style.Target) -> None:
    """Draw one panel per quantity; published marks are hollow, ours are filled.

    panels : at least one
    """
    across = 1 if target.look.narrow else min(MOST_IN_A_ROW, len(panels))
    down = -(-len(panels) // across)
    most = max(len(panel.lines) for panel in panels)
    with style.styled(target.look):
        figure, axes = style.grid(across, down)
        height = FRAME_INCHES + ROW_INCHES * most
        figure.set_size_inches(1.2 + PANEL_INCHES * across, 0.3 + height * down)
        for axis in axes[len(panels) :]:
            axis.remove()
        for axis, panel in zip(axes, panels, strict=False):
            _panel(axis, panel)
        figure.legend(
            *axes[0].get_legend_handles_labels(),
            loc="outside upper left",
            ncols=2,
            frameon=False,
        )
        style.save(figure, target)


def _panel(axis: Axes, panel: Panel) -> None:
    places = range(len(panel.lines), 0, -1)
    for place, line in zip(places, panel.lines, strict=True):
        first = place == len(panel.lines)
        if line.ours is not None:
            ends = (line.published.value, line.ours.value)
            axis.plot(ends, (place, place), color=palette.LIGHT_BLUE, lw=3, zorder=1)
        axis.errorbar(
            line.published.value,
            place,
            xerr=line.published.margin,
            fmt="D",
            mfc="white",
            color=palette.ORANGE,
            ms=5.5,
            capsize=2,
            label="published" if first else None,
        )
        if line.ours is not None:
            axis.errorbar(
                line.ours.value,
                place,
                xerr=line.ours.margin,
                fmt="o",
                color=palette.BLUE,
                ms=4,
                capsize=2,
                label="ours" if first else None,
            )
    axis.set_yticks(list(places), [line.name for line in panel.lines])
    axis.set_ylim(0.4, len(panel.lines) + 0.6)
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(*_range(*axis.get_xlim()))
    axis.grid(axis="x", color="#E5E5E5", lw=0.6)
    axis.set_axisbelow(True)
    axis.set_title(panel.title, loc="left")
    axis.set_xlabel(panel.unit)


def _range(low: float, high: float) -> tuple[float, float]:
    """The range of an axis for values from `low` to `high`.

    It begins at 0 where the marks then still take half of the width. Otherwise it is
    wide enough that a difference of some thousandths does not look large.
    """
    if 0 < low < high / 2:
        return 0.0, high
    missing = LEAST_RANGE * high - (high - low)
    return (low - missing / 2, high + missing / 2) if missing > 0 else (low, high)

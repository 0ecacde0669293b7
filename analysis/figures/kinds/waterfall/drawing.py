"""Bars of objects over time, one panel per case."""

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.figures import axes, palette, style
from analysis.figures.kinds.waterfall.data import WaterfallData
from analysis.run.tools import Stay

BAR_INCHES = 0.055
LEAST_INCHES, MOST_INCHES = 1.3, 3.6
"""Heights of a panel. Of many objects the bars are thin."""
FRAME_INCHES = 0.6
WIDE_INCHES = 4.4


def draw(data: WaterfallData, look: style.Look) -> list[Figure]:
    """Draw one bar per object, from when it could be requested until its end."""
    columns = 1 if look.narrow else min(2, len(data.stays))
    most = max(map(len, data.stays.values()))
    height = min(MOST_INCHES, max(LEAST_INCHES, most * BAR_INCHES))
    parts = style.split(list(data.stays), columns, height + FRAME_INCHES)
    end_s = max(s.end_s for stays in data.stays.values() for s in stays if s)
    return [
        _picture(
            replace(data, stays={case: data.stays[case] for case in part}),
            columns,
            height + FRAME_INCHES,
            end_s,
        )
        for part in parts
    ]


def _picture(data: WaterfallData, columns: int, height: float, end_s: float) -> Figure:
    columns = min(columns, len(data.stays))
    rows = -(-len(data.stays) // columns)
    figure, places = style.grid(columns, rows)
    for place, (axis, (case, stays)) in enumerate(
        zip(places, data.stays.items(), strict=False)
    ):
        _bars(axis, stays)
        axis.set_title(case, loc="left", parse_math=False)
        axis.set_xlim(0, end_s * 1.02)
        axis.set_xlabel("time [s]")
        if place % columns == 0:
            axis.set_ylabel("object")
    for axis in places[len(data.stays) :]:
        axis.set_visible(False)
    names = ["waits", "arrives"]
    looks = [Patch(color=palette.LIGHT_BLUE), Patch(color=palette.BLUE)]
    width = WIDE_INCHES * columns
    legend = style.legend_outside(figure, looks, names, width - axes.SCALE_INCHES)
    figure.set_size_inches(width, height * rows + legend)
    return figure


def _bars(axis: Axes, stays: Sequence[Stay | None]) -> None:
    there = [(place, stay) for place, stay in enumerate(stays) if stay]
    places = [place for place, _ in there]
    axis.barh(
        places,
        [stay.first_s - stay.ready_s for _, stay in there],
        left=[stay.ready_s for _, stay in there],
        height=0.8,
        color=palette.LIGHT_BLUE,
    )
    # The narrowest bars would not be seen without their outline.
    axis.barh(
        places,
        [stay.end_s - stay.first_s for _, stay in there],
        left=[stay.first_s for _, stay in there],
        height=0.8,
        color=palette.BLUE,
        edgecolor=palette.BLUE,
        linewidth=0.4,
    )
    axis.set_ylim(len(stays) - 0.4, -0.6)

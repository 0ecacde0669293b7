"""Maps of medians, with the number in each cell."""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.campaign.numbers import digits, short
from analysis.figures import axes, palette, scales, style
from analysis.figures.kinds.heat_map.data import HeatMapData

ROW_INCHES = 0.3
FRAME_INCHES = 0.75
MOST_COLUMNS = 3
"""The most maps side by side."""
CELL_INCHES = 0.62
SCALE_INCHES = 1.1
"""Width of the names of the rows and of the vertical axis."""
BAR_INCHES = 0.9
"""Width of the colour bar with its label."""
LIGHT = "#F4F6F8"
RISING = LinearSegmentedColormap.from_list("rising", [LIGHT, palette.BLUE, "#00324F"])
AROUND = LinearSegmentedColormap.from_list(
    "around", ["#7A3500", palette.ORANGE, LIGHT, palette.BLUE, "#00324F"]
)
DARK = 0.45
"""The brightness below which a number is white."""


def draw(data: HeatMapData, look: style.Look) -> list[Figure]:
    """Draw one map per case, all with the same colours."""
    columns = 1 if look.narrow else min(MOST_COLUMNS, len(data.maps))
    wide = len(data.across) * CELL_INCHES + SCALE_INCHES
    if look.columns:
        wide = (style.COLUMN_INCHES[look.columns] - BAR_INCHES) / columns
    upright = not axes.fit(data.across, wide - SCALE_INCHES + axes.SCALE_INCHES)
    names = max(map(axes.text_inches, data.across)) if upright else 0.0
    height = len(data.up) * ROW_INCHES + FRAME_INCHES + names
    norm = norm_of(data)
    pictures = []
    for part in style.split(list(data.maps), columns, height, 0.2):
        shown = replace(data, maps={case: data.maps[case] for case in part})
        across = min(columns, len(part))
        figure = _picture(shown, across, norm, upright)
        rows = -(-len(part) // across)
        figure.set_size_inches(wide * across + BAR_INCHES, height * rows)
        pictures.append(figure)
    return pictures


def norm_of(data: HeatMapData) -> Normalize:
    every = np.concatenate([table.ravel() for table in data.maps.values()])
    known = every[np.isfinite(every)]
    if data.signed:
        top = data.shown.high if data.shown else float(np.abs(known).max())
        most = max(top, data.nothing) or 1.0
        return Normalize(-most, most)
    low, high = float(known.min()), float(known.max())
    if scales.is_logarithmic(known):
        return LogNorm(low, high)
    if data.shown:
        low, high = data.shown.low, data.shown.high
    if high - low < scales.LEAST_SPAN * abs(high):
        # Full colours would make a difference of what is none.
        half = scales.WIDENED_SPAN / 2 * abs(high)
        low, high = low - half, high + half
    return Normalize(low, high)


def _picture(data: HeatMapData, columns: int, norm: Normalize, upright: bool) -> Figure:
    rows = -(-len(data.maps) // columns)
    figure, places = style.grid(columns, rows)
    colours = AROUND if data.signed else RISING
    for place, (axis, (case, table)) in enumerate(
        zip(places, data.maps.items(), strict=False)
    ):
        _map(axis, table, colours, norm)
        axis.set_title(case, loc="left", parse_math=False)
        axis.set_yticks(range(len(data.up)), data.up, parse_math=False)
        axis.set_xticks(
            range(len(data.across)),
            data.across,
            rotation=90 if upright else 0,
            parse_math=False,
        )
        axis.set_xlabel(data.labels[0])
        if place % columns == 0:
            axis.set_ylabel(data.labels[1])
    for axis in places[len(data.maps) :]:
        axis.set_visible(False)
    logarithmic = isinstance(norm, LogNorm)
    bar = figure.colorbar(
        ScalarMappable(norm, colours),
        ax=places[: len(data.maps)],
        label=data.colours,
        fraction=0.05,
        aspect=max(8, 6 * rows),
        extend="both" if data.shown else "neither",
        format=FuncFormatter(lambda at, _: short(at)) if logarithmic else None,
    )
    bar.outline.set_visible(False)
    return figure


def _map(
    axis: Axes, table: np.ndarray, colours: LinearSegmentedColormap, norm: Normalize
) -> None:
    axis.pcolormesh(
        np.arange(table.shape[1] + 1) - 0.5,
        np.arange(table.shape[0] + 1) - 0.5,
        np.ma.masked_invalid(table),
        cmap=colours,
        norm=norm,
        edgecolors="white",
        linewidth=0.6,
    )
    for (y, x), value in np.ndenumerate(table):
        if np.isfinite(value):
            red, green, blue, _ = colours(norm(value))
            bright = 0.3 * red + 0.59 * green + 0.11 * blue
            axis.text(
                x,
                y,
                digits(value),
                ha="center",
                va="center",
                fontsize="small",
                color="white" if bright < DARK else "black",
            )
        else:
            axis.plot(x, y, marker="_", color=palette.GREY, markersize=5)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)

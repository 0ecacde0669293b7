"""Goodput of each design point: MPTCP beside TCP on every path, stacked."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.figures import style

WIDTH = 0.82
"""Of all bars of a point together, in points."""
NAMED = 12
"""Up to so many points each has its capacities below it."""
NARROW = 8
"""With so few, the legend does not fit in one row."""
LONGEST_INCHES = 11.0


def draw(
    cases: Mapping[str, pd.Series],
    alone: Mapping[str, pd.Series],
    capacities: pd.DataFrame,
    target: style.Target,
) -> list[Path]:
    """One group of bars a design point, points in order of summed capacity.

    cases : name to goodput [Mbit/s] by point, a bar each
    alone : what is stacked beside them to the same; may be empty
    capacities : of the paths [Mbit/s], a row a point, a column a path
    """
    total = capacities.sum(axis=1).sort_values(kind="stable")
    places = np.arange(len(total))
    width = WIDTH / (len(cases) + bool(alone))
    shift = [width * (i - (WIDTH / width - 1) / 2) for i in range(len(cases) + 1)]
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        inches = max(5.2, 1.6 + 0.75 * len(total))
        figure.set_size_inches(min(LONGEST_INCHES, inches), 3.6)
        for number, (name, values) in enumerate(cases.items()):
            axis.bar(
                places + shift[number],
                values.reindex(total.index),
                width,
                color=style.SERIES[number % len(style.SERIES)],
                label=name,
            )
        below = np.zeros(len(total))
        for number, (name, parts) in enumerate(alone.items()):
            heights = parts.reindex(total.index).to_numpy(float)
            axis.bar(
                places + shift[len(cases)],
                heights,
                width,
                below,
                color=style.GREYS[number % len(style.GREYS)],
                label=name,
            )
            below += np.nan_to_num(heights)
        axis.hlines(
            total,
            places - WIDTH / 2 - 0.03,
            places + WIDTH / 2 + 0.03,
            color="black",
            lw=1.2,
            label="capacity of the paths together",
        )
        narrow = target.look.columns is not None or len(total) <= NARROW
        _finish(axis, capacities.loc[total.index], 1 + len(cases), narrow)
        return style.save(figure, target)


def _finish(
    axis: Axes, capacities: pd.DataFrame, stacked_from: int, narrow: bool
) -> None:
    count = len(capacities)
    axis.set_ylabel("goodput [Mbit/s]")
    axis.set_xlim(-0.6, count - 0.4)
    axis.set_ylim(0, float(capacities.sum(axis=1).max()) * 1.05)
    if count <= NAMED:
        axis.set_xticks(range(count), [_name(row) for row in capacities.to_numpy()])
        axis.set_xlabel(_paths(capacities.columns))
    else:
        axis.set_xticks([])
        axis.set_xlabel("design points, in order of capacity")
    # Above the axes: there is no corner that the bars surely leave free.
    handles, names = axis.get_legend_handles_labels()
    # The line, which comes first otherwise, ends the first column.
    order = [*range(1, stacked_from), 0, *range(stacked_from, len(names))]
    axis.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        ncols=2 if narrow else len(names),
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
    )


def _name(capacities: Iterable[float]) -> str:
    return " + ".join(f"{value:.3g}" for value in capacities)


def _paths(columns: Iterable[str]) -> str:
    paths = [name.partition(".")[0].replace("path", "path ") for name in columns]
    return f"capacity of {' + '.join(paths)} [Mbit/s], one design point each"

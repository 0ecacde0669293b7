"""Bars of the goodput of each design point, and lines of what the links carry."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.campaign.columns import path_words
from analysis.campaign.numbers import short
from analysis.figures import palette, style
from analysis.figures.axes import SCALE_INCHES, fit, text_inches
from analysis.figures.kinds.goodput.data import GoodputData

WIDTH = 0.82
"""Width of all bars of a design point together; neighbouring points are 1 apart."""
NAMED = 12
"""The most design points whose capacities are written below them."""
LONGEST_INCHES = 11.0
HEIGHT_INCHES = 3.4
PANEL_HEIGHT_INCHES = 1.9
MOST_TOGETHER = 4
"""The most cases whose bars share a panel."""
LETTERS = 90
"""Names of design points that have more letters together are turned."""


def draw(data: GoodputData, look: style.Look) -> list[Figure]:
    """Draw one group of bars per design point, points in order of summed capacity.

    A group has one bar per case, and TCP's goodput on each path stacked beside them.
    With more than MOST_TOGETHER cases each case has a panel of its own, in which the
    stack of TCP stands beside it.
    """
    if len(data.cases) <= MOST_TOGETHER:
        return [_picture(data, True, look)]
    parts = style.split(list(data.cases), 1, PANEL_HEIGHT_INCHES, 1.2)
    return [
        _picture(replace(data, cases={n: data.cases[n] for n in names}), False, look)
        for names in parts
    ]


def _picture(data: GoodputData, together: bool, look: style.Look) -> Figure:
    cases, alone, capacities = data.cases, data.alone, data.capacities
    numbers = data.numbers
    total = capacities.sum(axis=1).sort_values(kind="stable")
    panels = [dict(cases)] if together else [{name: cases[name]} for name in cases]
    figure, axes = style.panels(1, len(panels))
    width = min(LONGEST_INCHES, max(5.2, 1.6 + 0.75 * len(total)))
    if look.columns:
        width = style.COLUMN_INCHES[look.columns]
    height = HEIGHT_INCHES if together else PANEL_HEIGHT_INCHES * len(panels)
    for axis, panel in zip(axes, panels, strict=True):
        _bars(axis, panel, alone, data.carried[total.index], numbers)
        if not together:
            axis.set_title(next(iter(panel)), loc="left")
    _label_points(axes[-1], data, capacities.loc[total.index], width)
    names = {} if together else dict.fromkeys(cases)
    handles, labels = axes[0].get_legend_handles_labels()
    shown = [i for i, label in enumerate(labels) if label not in names]
    # The line, which comes first otherwise, stands behind the cases.
    shown = [*shown[1:], shown[0]]
    columns = style.legend_columns([labels[i] for i in shown], width - 0.6)
    figure.legend(
        [handles[i] for i in shown],
        [labels[i] for i in shown],
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        handlelength=1.4,
    )
    rows = -(-len(shown) // columns)
    figure.set_size_inches(width, height + style.LEGEND_ROW_INCHES * rows)
    return figure


def _bars(
    axis: Axes,
    cases: Mapping[str, pd.Series],
    alone: Mapping[str, pd.Series],
    total: pd.Series,
    numbers: Mapping[str, int],
) -> None:
    places = np.arange(len(total))
    width = WIDTH / (len(cases) + bool(alone))
    shift = [width * (i - (WIDTH / width - 1) / 2) for i in range(len(cases) + 1)]
    for place, (name, values) in enumerate(cases.items()):
        axis.bar(
            places + shift[place],
            values.reindex(total.index),
            width,
            color=palette.colour(numbers[name]),
            hatch=palette.hatch(numbers[name]),
            edgecolor="white" if palette.hatch(numbers[name]) else None,
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
            color=palette.GREYS[number % len(palette.GREYS)],
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
    axis.set_ylabel("goodput [Mbit/s]")
    axis.set_xlim(-0.6, len(total) - 0.4)
    axis.set_ylim(0, max(float(total.max()), axis.dataLim.y1) * 1.05)
    axis.set_xticks([])


def _label_points(
    axis: Axes, data: GoodputData, capacities: pd.DataFrame, width_inches: float
) -> None:
    """capacities : by point, in the order of the bars"""
    count = len(capacities)
    if count <= NAMED:
        names = [_name(row) for row in capacities.to_numpy()]
        if data.others:
            names = [
                f"{name}\n{data.others[point]}"
                for name, point in zip(names, capacities.index, strict=True)
            ]
        longest = [max(map(len, name.split("\n"))) for name in names]
        turned = sum(longest) > LETTERS or not fit(names, width_inches)
        axis.set_xticks(
            range(count),
            names,
            rotation=30 if turned else 0,
            ha="right" if turned else "center",
        )
        words = _paths(capacities.columns)
        if data.other:
            words += f"\nbelow it {data.other}"
        if text_inches(words) > width_inches - SCALE_INCHES:
            words = words.replace("], ", "],\n")
        axis.set_xlabel(words)
    else:
        axis.set_xlabel("design points, in order of capacity")


def _name(capacities: Iterable[float]) -> str:
    return " + ".join(map(short, capacities))


def _paths(columns: Iterable[str]) -> str:
    names = [path_words(name.rpartition(".")[0]) for name in columns]
    return f"capacity of {' + '.join(names)} [Mbit/s], one design point each"

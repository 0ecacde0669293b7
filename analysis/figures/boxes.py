"""Box plots of a metric by batches of a criterion, after thesis Figs 3.3a to 3.5a."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign import batches
from analysis.figures import style

SPREAD = 0.56
"""Width over which the points of a box are laid out, in boxes."""
GOLDEN = 0.6180339887498949
COLUMNS = 2
"""Panels beside one another."""
ROOM_INCHES = 0.78
"""That a batch's name needs."""


@dataclass(frozen=True)
class Panel:
    """Of one case: what sorts its runs, the metric, and the most that is possible.

    All of the same length; most : None where there is no such bound
    """

    criterion: pd.Series
    values: pd.Series
    most: pd.Series | None = None


def draw(
    panels: Mapping[str, Panel],
    labels: tuple[str, str],
    bounds: Sequence[float],
    lines: Sequence[float],
    target: style.Target,
) -> list[Path]:
    """One panel a case, at least one.

    labels : of the criterion and of the metric
    bounds : edges of the batches
    lines : values of the metric to draw a line at
    target : folder and the files' name without suffix
    """
    with style.styled(target.look):
        columns = 1 if target.look.narrow else min(COLUMNS, len(panels))
        rows = math.ceil(len(panels) / columns)
        figure, axes = style.panels(columns, rows)
        width, height = style.PANEL_INCHES
        width = max(width, 0.7 + ROOM_INCHES * (len(bounds) - 1))
        figure.set_size_inches(width * columns, height * rows)
        for place, (axis, name) in enumerate(zip(axes, panels, strict=False)):
            panel = panels[name]
            for value in lines:
                axis.axhline(
                    value, color=style.GREY, lw=0.8, ls="-" if not value else ":"
                )
            _boxes(axis, panel, bounds)
            if panel.most is not None:
                _mark(axis, panel.criterion, panel.most, bounds)
            axis.set_xlabel(labels[0])
            if place % columns == 0:
                axis.set_ylabel(labels[1])
            if len(panels) > 1:
                axis.set_title(name, loc="left")
        if min(float(panel.values.min()) for panel in panels.values()) >= 0:
            axes[0].set_ylim(bottom=-0.02 * axes[0].get_ylim()[1])
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        return style.save(figure, target)


def _boxes(axis: Axes, panel: Panel, bounds: Sequence[float]) -> None:
    found = batches.groups(panel.criterion, panel.values, bounds)
    for place, group in enumerate(found):
        axis.plot(
            place + _spread(len(group)),
            np.sort(group),
            ".",
            color=style.BLUE,
            alpha=0.6,
            ms=5,
            mew=0,
            zorder=3,
        )
    filled = [place for place, group in enumerate(found) if len(group)]
    axis.boxplot(
        [found[place] for place in filled],
        positions=filled,
        widths=0.62,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={
            "facecolor": (*_rgb(style.LIGHT_BLUE), 0.45),
            "edgecolor": style.BLUE,
        },
        whiskerprops={"color": style.BLUE},
        capprops={"color": style.BLUE},
        medianprops={"color": style.ORANGE, "lw": 1.8},
        zorder=2,
    )
    names = [
        f"{batches.label(bounds, i)}\nn = {len(group)}" for i, group in enumerate(found)
    ]
    axis.set_xticks(range(len(found)), names)
    axis.set_xlim(-0.6, len(found) - 0.4)


def _mark(
    axis: Axes, criterion: pd.Series, most: pd.Series, bounds: Sequence[float]
) -> None:
    found = batches.groups(criterion, most, bounds)
    places = [i for i, group in enumerate(found) if len(group)]
    axis.plot(
        places,
        [float(np.median(found[i])) for i in places],
        "D",
        color="black",
        mfc="white",
        ms=4.5,
        zorder=4,
        label="most that headers allow (median)",
    )
    axis.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        handletextpad=0.2,
    )


def _spread(count: int) -> np.ndarray:
    """Sideways places, even and without chance: the golden ratio's sequence."""
    return (np.arange(1, count + 1) * GOLDEN % 1 - 0.5) * SPREAD


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue

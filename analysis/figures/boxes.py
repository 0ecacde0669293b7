"""Box plots of a metric by batches of a criterion, after thesis Figs 3.3a to 3.5a."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import batches
from analysis.figures import style
from analysis.figures.labels import label

SPREAD = 0.56
"""Width over which the points of a box are laid out, in boxes."""
GOLDEN = 0.6180339887498949


def draw(
    cases: Mapping[str, pd.DataFrame],
    metric: str,
    criterion: str,
    bounds: Sequence[float],
    target: tuple[Path, str],
    bound: str | None = None,
) -> list[Path]:
    """One panel a case: `metric` by batches of the absolute value of `criterion`.

    cases : name to its rows, at least one
    bounds : edges of the batches
    target : folder and the files' name without suffix
    bound : a column whose median in each batch is marked: the most that headers
        allow
    """
    with style.styled():
        figure, axes = style.panels(len(cases))
        for axis, (name, rows) in zip(axes, cases.items(), strict=True):
            _panel(axis, rows, metric, criterion, bounds)
            if bound:
                _mark(axis, rows, bound, criterion, bounds)
            axis.set_xlabel(f"|{label(criterion).replace(' [', '| [')}")
            if axis is axes[0]:
                axis.set_ylabel(label(metric))
            if len(cases) > 1:
                axis.set_title(name, loc="left")
        return style.save(figure, *target)


def _panel(
    axis: Axes,
    rows: pd.DataFrame,
    metric: str,
    criterion: str,
    bounds: Sequence[float],
) -> None:
    values = rows[metric].to_numpy(float)
    found = batches.groups(rows[criterion].abs(), values, bounds)
    axis.axhline(0, color=style.GREY, lw=0.8)
    axis.axhline(1, color=style.GREY, lw=0.8, ls=":")
    for place, group in enumerate(found):
        if len(group):
            axis.plot(
                place + _spread(len(group)),
                np.sort(group),
                ".",
                color=style.BLUE,
                alpha=0.45,
                ms=4.5,
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
    axis: Axes,
    rows: pd.DataFrame,
    bound: str,
    criterion: str,
    bounds: Sequence[float],
) -> None:
    found = batches.groups(rows[criterion].abs(), rows[bound].to_numpy(float), bounds)
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

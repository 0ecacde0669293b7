"""Cumulative distributions, after thesis Figs 3.6 and 3.7."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.figures import style

HEIGHT_INCHES = 3.0
LONG = 14
"""Letters of a name that does not leave room for another beside it."""


def draw(
    panels: Mapping[str, Mapping[str, pd.Series]],
    label: str,
    lines: Sequence[float],
    target: style.Target,
) -> list[Path]:
    """One panel a name, in it one curve a name: the part of the values at most x.

    panels : curves of at least one panel; values without missing ones, at least one
        each
    label : of the values
    lines : values to draw a line at
    """
    with style.styled(target.look):
        columns = 1 if target.look.narrow else len(panels)
        figure, axes = style.panels(columns, len(panels) // columns)
        width = style.PANEL_INCHES[0]
        figure.set_size_inches(width * columns, HEIGHT_INCHES * len(panels) / columns)
        for place, (axis, name) in enumerate(zip(axes, panels, strict=True)):
            for value in lines:
                axis.axvline(value, color=style.GREY, lw=0.8, ls=":")
            _panel(axis, panels[name])
            axis.set_xlabel(label)
            if place % columns == 0:
                axis.set_ylabel("part of the runs")
            if len(panels) > 1:
                axis.text(0.02, 0.96, name, transform=axis.transAxes, va="top")
        return style.save(figure, target)


def _panel(axis: Axes, curves: Mapping[str, pd.Series]) -> None:
    low = min(float(values.min()) for values in curves.values())
    high = max(float(values.max()) for values in curves.values())
    room = 0.04 * (high - low) or 0.5
    for number, (name, values) in enumerate(curves.items()):
        steps = np.sort(values.to_numpy(float))
        count = len(steps)
        axis.step(
            [low - room, *steps, high + room],
            [0, *np.arange(1, count + 1) / count, 1],
            where="post",
            color=style.SERIES[number % len(style.SERIES)],
            ls=style.DASHES[number // len(style.SERIES) % len(style.DASHES)]
            if len(curves) > len(style.SERIES)
            else style.DASHES[number % len(style.DASHES)],
            lw=1.5,
            label=f"{name} (n = {count})",
        )
    axis.set_xlim(low - room, high + room)
    axis.set_ylim(0, 1.02)
    axis.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        ncols=1 if max(map(len, curves)) > LONG else 2,
        frameon=False,
        borderaxespad=0,
        handlelength=2.2,
    )

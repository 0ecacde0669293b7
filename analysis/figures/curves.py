"""Cumulative distributions, after thesis Figs 3.6 and 3.7."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.figures import style

HEIGHT_INCHES = 3.0
LONG = 14
"""Letters of a name that does not leave room for another beside it."""


def draw(
    curves: Mapping[str, pd.Series],
    label: str,
    lines: Sequence[float],
    target: style.Target,
) -> list[Path]:
    """One curve a name, at least one: the part of the values that is at most x.

    curves : values without missing ones, at least one each
    label : of the values
    lines : values to draw a line at
    """
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        figure.set_size_inches(style.PANEL_INCHES[0], HEIGHT_INCHES)
        for value in lines:
            axis.axvline(value, color=style.GREY, lw=0.8, ls=":")
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
        axis.set_xlabel(label)
        axis.set_ylabel("part of the runs")
        axis.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1.01),
            ncols=1 if max(map(len, curves)) > LONG else 2,
            frameon=False,
            borderaxespad=0,
            handlelength=2.2,
        )
        return style.save(figure, target)

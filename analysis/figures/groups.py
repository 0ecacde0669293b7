"""Boxes in groups, one colour a case, after the thesis's figures of small files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.figures import style

WIDTH = 0.8
"""Of all boxes of a group together, in groups."""
GROUP_INCHES = 0.42
"""That a box needs."""
HEIGHT_INCHES = 3.1
LONGEST_INCHES = 11.0


def draw(
    cases: Mapping[str, Mapping[str, pd.Series]],
    labels: tuple[str, str],
    lines: Sequence[float],
    target: style.Target,
    key: str = "",
) -> list[Path]:
    """One group of boxes a name, in it one box a case, or a batch.

    cases : case to group to values; every case has the same groups, in order, some
        of them perhaps empty
    labels : of the groups and of the values
    lines : values to draw a line at
    key : what the boxes of a group differ in, if it is not plain
    """
    groups = list(next(iter(cases.values())))
    width = WIDTH / len(cases)
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        wanted = 1.0 + GROUP_INCHES * len(groups) * max(len(cases), 2)
        inches = min(LONGEST_INCHES, max(style.PANEL_INCHES[0], wanted))
        figure.set_size_inches(inches, HEIGHT_INCHES)
        for value in lines:
            axis.axhline(value, color=style.GREY, lw=0.8, ls=":")
        handles = []
        for number, found in enumerate(cases.values()):
            colour = style.SERIES[number % len(style.SERIES)]
            shift = width * (number - (len(cases) - 1) / 2)
            filled = [place for place, name in enumerate(groups) if len(found[name])]
            if not filled:
                continue
            drawn = axis.boxplot(
                [found[groups[place]].to_numpy(float) for place in filled],
                positions=np.asarray(filled) + shift,
                widths=width * 0.82,
                manage_ticks=False,
                patch_artist=True,
                boxprops={"facecolor": f"{colour}40", "edgecolor": colour},
                whiskerprops={"color": colour},
                capprops={"color": colour},
                medianprops={"color": "black", "lw": 1.4},
                flierprops={"marker": ".", "ms": 4, "mew": 0, "mfc": colour},
            )
            handles += drawn["boxes"][:1]
        axis.set_xticks(range(len(groups)), groups)
        axis.set_xlim(-0.6, len(groups) - 0.4)
        axis.set_xlabel(labels[0])
        axis.set_ylabel(labels[1])
        if len(cases) > 1 or key:
            axis.legend(
                handles,
                [
                    name
                    for name, found in cases.items()
                    if any(map(len, found.values()))
                ],
                loc="lower left",
                bbox_to_anchor=(0, 1.01),
                ncols=min(5, len(cases)),
                title=key or None,
                alignment="left",
                frameon=False,
                borderaxespad=0,
            )
        return style.save(figure, target)

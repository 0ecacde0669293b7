"""Steps of single values over their rank."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import palette, style
from analysis.figures.kinds.ranks.data import RanksData

HEIGHT_INCHES = 2.8


def draw(data: RanksData, look: style.Look) -> Figure:
    """Draw one curve per case, over the rank in per cent of the number of values."""
    figure, (axis,) = style.panels(1)
    for case, values in data.curves.items():
        ranks = 100 * np.arange(1, len(values) + 1) / len(values)
        axis.step(
            ranks,
            values,
            where="pre",
            **palette.curve(data.numbers[case], len(data.numbers), len(ranks)),
            label=f"{case} (n = {len(values)})",
        )
    if data.log in ("y", "both"):
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    if data.log in ("x", "both"):
        axis.set_xscale("log")
    else:
        axis.set_xlim(0, 100)
    axis.set_xlabel(data.labels[0])
    axis.set_ylabel(data.labels[1])
    style.size_single(figure, axis, HEIGHT_INCHES, look)
    return figure

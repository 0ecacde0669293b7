"""How evenly a design spreads each factor, after thesis Fig. 3.2."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from analysis.figures import style
from analysis.figures.labels import label


def draw(
    points: pd.DataFrame, factors: Sequence[str], bins: int, target: style.Target
) -> list[Path]:
    """One histogram a factor, with the even spread as a line.

    points : one row a design point
    factors : columns of numbers, at least one
    target : folder and the files' name without suffix
    """
    columns = 2 if len(factors) in (2, 4) else min(3, len(factors))
    if target.look.narrow:
        columns = min(2, len(factors))
    rows = math.ceil(len(factors) / columns)
    with style.styled(target.look):
        figure, axes = style.panels(columns, rows)
        figure.set_size_inches(max(2.7 * columns, 4.2), 2.0 * rows + 0.3)
        for place, (axis, factor) in enumerate(zip(axes, factors, strict=False)):
            values = points[factor].to_numpy(float)
            values = values[np.isfinite(values)]
            axis.hist(values, bins, color=style.LIGHT_BLUE, edgecolor=style.BLUE)
            axis.axhline(
                len(values) / bins,
                color=style.ORANGE,
                lw=1.2,
                ls="--",
                label="an even spread",
            )
            axis.set_xlabel(label(factor))
            axis.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
            if place % columns == 0:
                axis.set_ylabel("design points")
        for axis in axes[len(factors) :]:
            axis.set_visible(False)
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper right", frameon=False)
        return style.save(figure, target)

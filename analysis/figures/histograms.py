"""How evenly a design spreads each factor, after thesis Fig. 3.2."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.figures import style
from analysis.figures.labels import label

BINS = 10


def draw(points: pd.DataFrame, factors: Sequence[str], folder: Path) -> list[Path]:
    """One histogram a factor, in rows of three, with the even spread as a line.

    points : one row a design point
    factors : columns of numbers, at least one; the files are `factors.png`, `.svg`
    """
    with style.styled():
        columns = min(3, len(factors))
        figure, axes = style.panels(columns, math.ceil(len(factors) / columns))
        figure.set_size_inches(2.6 * columns, 2.0 * math.ceil(len(factors) / columns))
        for place, (axis, factor) in enumerate(zip(axes, factors, strict=False)):
            values = points[factor].to_numpy(float)
            values = values[np.isfinite(values)]
            axis.hist(values, BINS, color=style.LIGHT_BLUE, edgecolor=style.BLUE)
            axis.axhline(len(values) / BINS, color=style.ORANGE, lw=1, ls="--")
            axis.set_xlabel(label(factor))
            if place % columns == 0:
                axis.set_ylabel("design points")
        for axis in axes[len(factors) :]:
            axis.set_visible(False)
        return style.save(figure, folder, "factors")

"""Evenness with which a design spreads each factor, after thesis Fig. 3.2."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.numbers import is_number
from analysis.figures import style
from analysis.figures.data import parameter_column
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """The values of the request's factors, or of all, over the design points."""
    runs = campaign.runs
    names = request.factors or campaign.factors
    columns = [parameter_column(runs, name) for name in names]
    numeric = [column for column in columns if is_number(runs, column)]
    if not numeric:
        raise UndrawableError("the design varies no number")
    _plot(runs.drop_duplicates("point"), numeric, request.batches, target)
    return DrawnFigure(title(request), target.name)


def _plot(
    points: pd.DataFrame, factors: Sequence[str], bins: int, target: style.Target
) -> None:
    """One histogram per factor, with an even spread as a line.

    points : one row per design point
    factors : at least one column of numbers
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
        style.save(figure, target)

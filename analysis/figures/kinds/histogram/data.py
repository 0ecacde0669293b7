"""Evenness with which a design spreads each factor, after thesis Fig. 3.2."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.numbers import is_number
from analysis.figures.data import parameter_column
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.histogram.request import Histogram


@dataclass(frozen=True, kw_only=True)
class HistogramData(PageText):
    """The values of factors over the design points.

    points : one row per design point
    factors : at least one column of numbers
    bins : number of bars of each factor
    """

    points: pd.DataFrame
    factors: Sequence[str]
    bins: int


def data(request: Histogram, campaign: Campaign) -> HistogramData:
    """The values of the request's factors, or of all."""
    runs = campaign.runs
    names = request.factors or campaign.factors
    columns = [parameter_column(runs, name) for name in names]
    numeric = [column for column in columns if is_number(runs, column)]
    if not numeric:
        raise UndrawableError("the design varies no number")
    points = runs.drop_duplicates("point")
    return HistogramData(points=points, factors=numeric, bins=request.batches)

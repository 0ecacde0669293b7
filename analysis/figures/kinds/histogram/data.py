"""Evenness with which a design spreads each factor, after thesis Fig. 3.2."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.numbers import is_number
from analysis.figures import scales
from analysis.figures.data import (
    factor_values,
    is_spread,
    parameter_column,
    value_text,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.histogram.request import Histogram

MOST_LISTED = 8
"""The most values of a factor with a bar each."""


@dataclass(frozen=True)
class Factor:
    """The values of one factor over the design points.

    label : of the axis
    values : one per design point
    edges : ends of the bars, rising; empty where each value has its own bar
    names : of the values, where each has a bar, rising
    log : whether the axis is logarithmic
    """

    label: str
    values: np.ndarray
    edges: np.ndarray
    names: Sequence[str]
    log: bool

    @property
    def bars(self) -> int:
        return len(self.names) or len(self.edges) - 1


@dataclass(frozen=True, kw_only=True)
class HistogramData(PageText):
    """factors : at least one, of numbers"""

    factors: Sequence[Factor]


def data(request: Histogram, campaign: Campaign) -> HistogramData:
    """The values of the request's factors, or of all."""
    runs = campaign.runs
    names = request.factors or campaign.factors
    columns = [parameter_column(runs, name) for name in names]
    numeric = [column for column in columns if is_number(runs, column)]
    if not numeric:
        raise UndrawableError("the design varies no number")
    points = runs.drop_duplicates("point")
    spread = {name: is_spread(campaign, name, len(points)) for name in numeric}
    alike: dict[str, list[pd.Series]] = {}
    for name in numeric:
        alike.setdefault(_quantity(name), []).append(_known(points[name]))
    # Capacities of two paths are compared, so they have one scale. It is linear for
    # ranges: a design spreads their values evenly on a linear axis alone.
    log = {
        quantity: scales.is_logarithmic(np.concatenate([*map(np.asarray, group)]))
        and not any(spread[str(column.name)] for column in group)
        for quantity, group in alike.items()
    }
    factors = [
        _factor(
            _known(points[name]), request.batches, spread[name], log[_quantity(name)]
        )
        for name in numeric
    ]
    return HistogramData(factors=factors)


def _known(column: pd.Series) -> pd.Series:
    return column[np.isfinite(column.astype(float))]


def _quantity(name: str) -> str:
    """The quantity of a factor, such as `capacity_mbps`, whatever link it is of."""
    return name.rpartition(".")[2]


def _factor(known: pd.Series, bars: int, spread: bool, log: bool) -> Factor:
    """The bars of one factor.

    spread : whether its values were spread over a range
    log : whether ranges, if it has any, are logarithmic
    """
    values = known.to_numpy(float)
    what, unit = label(str(known.name)), ""
    distinct = factor_values(known)
    if not spread and len(distinct) <= MOST_LISTED and len(distinct) < len(values):
        # Between the few values that a design lists there is nothing to count.
        what, _, unit = what.partition(" [")
        unit = unit.rstrip("]")
        names = [value_text(value, unit) for value in distinct]
        words = what if unit in ("", "bytes") else f"{what} [{unit}]"
        return Factor(words, values, np.array([]), names, False)
    scaled = np.log(values) if log else values
    edges = np.histogram_bin_edges(scaled, bars)
    return Factor(what, values, np.exp(edges) if log else edges, (), log)

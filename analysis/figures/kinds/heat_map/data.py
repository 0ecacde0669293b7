"""Medians of a metric in the cells of two factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, unit_of, without_mathematics
from analysis.campaign.numbers import is_number, short
from analysis.campaign.observations import networks
from analysis.figures import scales
from analysis.figures.data import (
    axis_labels,
    factor_values,
    is_spread,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
    value_text,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.heat_map.request import HeatMap

MOST_VALUES = 12
"""The most values of a factor with a row or a column each."""
MOST_BEYOND = 0.15
"""The largest share of cells beyond the colours; their numbers stand in them."""
READING = (
    "The number of a cell is the median over its networks, whose repetitions are"
    " averaged; an empty cell has none."
)


@dataclass(frozen=True)
class Bins:
    """Rows or columns of a map.

    names : of the bins, in order
    of : the bin of each run, by the run's row in the table
    """

    names: Sequence[str]
    of: pd.Series


@dataclass(frozen=True, kw_only=True)
class HeatMapData(PageText):
    """The maps of a figure, at least one.

    maps : by case the medians, shape (rows, columns); NaN for a cell without a network
    across, up : names of the columns from the left, and of the rows from below
    labels : of the axes
    colours : what the colours show, with the unit
    signed : whether the values are differences, which are coloured around 0
    nothing : a difference that is as good as none, and so has hardly a colour
    shown : the range of the colours, where few cells lie far beyond it; of differences,
        the range of their sizes
    """

    maps: Mapping[str, np.ndarray]
    across: Sequence[str]
    up: Sequence[str]
    labels: tuple[str, str]
    colours: str
    signed: bool
    nothing: float = 0.0
    shown: scales.Range | None = None


def data(request: HeatMap, campaign: Campaign) -> HeatMapData:
    """One map per case; with `over`, of differences in the same network."""
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    by, versus = (parameter_column(runs, n) for n in (request.by, request.versus))
    shown = rows_of(runs, request.metric, None)
    rows = networks(shown.dropna(subset=[column, by, versus]), ["case", by, versus])
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    count = rows["point"].nunique() if "point" in rows.columns else 0
    across, up = (
        _bins(rows[name], request.batches, _is_spread(campaign, name, count))
        for name in (by, versus)
    )
    rows = rows.assign(_across=across.of, _up=up.of, _value=rows[column])
    unit = unit_of(column)
    colours, nothing = label(column), 0.0
    if request.over is not None:
        rows, unit, nothing = _differences(rows, request.over, unit)
        what = colours.partition(" [")[0]
        of_unit = f" [{unit}]" if unit else ""
        colours = f"{what}, difference from {request.over}{of_unit}"
    if request.case is not None:
        rows = rows[rows["case"].map(str) == request.case]
    if rows.empty:
        raise UndrawableError("no two cases have a network in common")
    maps, summary = {}, []
    for case, of_case in rows.groupby("case", sort=False):
        table = np.full((len(up.names), len(across.names)), np.nan)
        for place, cell in of_case.groupby(["_up", "_across"]):
            y, x = (int(number) for number in np.asarray(place))
            values = cell["_value"]
            table[y, x] = values.median()
            summary.append(
                summary_row(column, up.names[y], str(case), across.names[x], values)
            )
        maps[str(case)] = table
    # The names of bytes have their units.
    across_label, up_label = (
        label(name).removesuffix(" [bytes]") for name in (by, versus)
    )
    usual = (across_label, up_label)
    signed = request.over is not None
    shown_range, note = _colour_range(maps, signed, unit)
    return HeatMapData(
        maps=maps,
        across=across.names,
        up=up.names,
        labels=axis_labels(request.labels, usual),
        colours=colours,
        signed=signed,
        nothing=nothing,
        shown=shown_range,
        note=note,
        reading=READING,
        summary=pd.DataFrame(summary),
        group_label=without_mathematics(usual[1]),
        batch_label=without_mathematics(usual[0]),
    )


def _colour_range(
    maps: Mapping[str, np.ndarray], signed: bool, unit: str
) -> tuple[scales.Range | None, str]:
    """The range of the colours where a few cells would take all of them, and a sentence
    on these cells."""
    cells = np.concatenate([table.ravel() for table in maps.values()])
    known = cells[np.isfinite(cells)]
    if not signed and scales.is_logarithmic(known):
        return None, ""
    sizes = np.abs(known) if signed else known
    found = scales.cut(sizes, most_beyond=MOST_BEYOND)
    if found is None:
        return None, ""
    end = f"{short(found.high)}{f' {unit}' if unit else ''}"
    have = "cells has" if found.beyond == 1 else "cells have"
    note = (
        f"{found.beyond} of {len(known)} {have} a value far beyond the others, and the"
        f" colour of the scale's end. The greatest of the others is {end}."
    )
    return found, note


def _is_spread(campaign: Campaign, name: str, points: int) -> bool:
    return is_number(campaign.runs, name) and is_spread(campaign, name, points)


def _bins(values: pd.Series, count: int, spread: bool) -> Bins:
    """A bin per value, or ranges of equal width from the least to the greatest.

    count : number of ranges; a single value is no range
    spread : whether the design spread the values over a range

    The ranges are equal on a logarithmic axis where the values need one.
    """
    known = factor_values(values)
    unit = label(str(values.name)).partition(" [")[2].rstrip("]")
    number = pd.api.types.is_numeric_dtype(values)
    if len(known) <= (1 if spread else MOST_VALUES):
        names = [value_text(value, unit) for value in known]
        return Bins(names, values.map({v: i for i, v in enumerate(known)}))
    if not number:
        raise UndrawableError(
            f"{values.name} has {len(known)} values, more than the {MOST_VALUES} that"
            " fit into a map"
        )
    log = scales.is_logarithmic(known)
    scaled = np.log(values) if log else values
    ends = np.linspace(scaled.min(), scaled.max(), count + 1)
    shown = [value_text(float(f"{end:.2g}"), unit) for end in _back(ends, log)]
    names = [f"{a} to {b}" for a, b in pairwise(shown)]
    # A value at the end of two ranges belongs to the lower one.
    places = np.clip(np.searchsorted(ends, scaled, side="left") - 1, 0, count - 1)
    return Bins(names, pd.Series(places, index=values.index))


def _back(ends: np.ndarray, log: bool) -> np.ndarray:
    return np.asarray(np.exp(ends) if log else ends)


def _differences(
    rows: pd.DataFrame, over: str, unit: str
) -> tuple[pd.DataFrame, str, float]:
    """The other cases less `over` in the same network, the unit, and what is nothing.

    They are in percent of `over` where all its values are above 0.
    """
    keys = ["point", "_across", "_up"]
    if "point" not in rows.columns:
        raise UndrawableError("the table has no points, so no network is known")
    own = rows[rows["case"].map(str) == over]
    base = own[[*keys, "_value"]].rename(columns={"_value": "_base"})
    both = rows[rows["case"].map(str) != over].merge(base, on=keys)
    if (base["_base"] > 0).all():
        gain = (both["_value"] / both["_base"] - 1) * 100
        return both.assign(_value=gain), "%", 100 * scales.LEAST_SPAN
    nothing = scales.LEAST_SPAN * float(base["_base"].abs().median())
    return both.assign(_value=both["_value"] - both["_base"]), unit, nothing

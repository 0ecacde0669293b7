"""Values of cumulative distributions, after thesis Figs 3.6 and 3.7."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, path_words, paths
from analysis.campaign.observations import networks
from analysis.figures import palette, scales
from analysis.figures.data import (
    REFERENCE_LINES,
    check_distinct,
    criterion_values,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import PageText
from analysis.figures.kinds.cdf.request import Cdf

Curves = dict[str, pd.Series]
"""The values of each curve by the curve's name."""


@dataclass(frozen=True, kw_only=True)
class CdfData(PageText):
    """One panel per name, at least one, and in it one curve per name.

    panels : each curve has at least one value and none missing
    label : of the values
    lines : values at which a line is drawn
    numbers : the number of each curve, for its colour
    log : whether the horizontal axis is logarithmic
    shown : its range without outliers; None for all values
    """

    panels: Mapping[str, Curves]
    label: str
    lines: Sequence[float]
    numbers: Mapping[str, int]
    log: bool = False
    shown: scales.Range | None = None


def data(request: Cdf, campaign: Campaign) -> CdfData:
    """One curve per case and, with a criterion, per sign of the difference.

    With `by` there is one panel per value of that factor.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    rows = rows_of(runs, request.metric, request.case).dropna(subset=[column])
    rows = rows.assign(_sign="")
    if request.criterion:
        difference = criterion_values(rows, request.criterion)
        rows["_sign"] = _sign_names(
            difference,
            str(difference.name),
            path_words(next(iter(paths(runs)), "path1")),
        )
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    by = [parameter_column(rows, request.by)] if request.by else []
    rows = networks(rows, ["case", "_sign", *by])
    what = group_label(rows, request.by)
    panels: dict[str, Curves] = {}
    summary = []
    for group, group_rows in groups_by(rows, request.by):
        curves = panels[f"{what} {group}".strip()] = {}
        several = group_rows["case"].nunique() > 1
        for (case, sign), values in _by_curve(group_rows, column):
            words = (case if several or not sign else "", sign)
            curves[", ".join(filter(None, words))] = values
            summary.append(summary_row(column, group, case, sign, values))
    names = dict.fromkeys(name for curves in panels.values() for name in curves)
    check_distinct(len(names), "curves")
    cases = palette.case_numbers(campaign.runs["case"])
    only_cases = set(names) <= set(cases)
    log = scales.is_logarithmic(rows[column])
    every = [values for curves in panels.values() for values in curves.values()]
    shown = None if log else scales.cut(rows[column], every)
    return CdfData(
        panels=panels,
        label=label(column),
        lines=REFERENCE_LINES.get(request.metric, ()),
        numbers=cases if only_cases else {n: i for i, n in enumerate(names)},
        log=log,
        shown=shown,
        note=scales.told(shown, len(rows), "values"),
        summary=pd.DataFrame(summary),
        group_label=what,
        batch_label="difference",
    )


def _by_curve(
    rows: pd.DataFrame, column: str
) -> Iterator[tuple[tuple[str, str], pd.Series]]:
    """The values of each case and sign; with signs, sorted by both."""
    grouped = rows.groupby(["case", "_sign"], sort=bool((rows["_sign"] != "").any()))
    for (case, sign), curve_rows in grouped:
        yield (str(case), str(sign)), curve_rows[column]


def _sign_names(difference: pd.Series, name: str, first: str) -> pd.Series:
    """The signs of a difference in words. first : the name of the first path"""
    what = name.rpartition("_difference")[0].replace("_", " ") or name
    words = {
        -1.0: f"{first}'s {what} lower",
        0.0: f"{what} the same",
        1.0: f"{first}'s {what} higher",
    }
    return pd.Series(np.sign(difference.astype(float)), difference.index).map(words)

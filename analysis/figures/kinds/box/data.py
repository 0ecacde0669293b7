"""Quartiles of a metric by batches of a criterion, after thesis Figs 3.3a to 3.5a."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign import batches
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, paths
from analysis.campaign.observations import networks
from analysis.figures import palette, scales
from analysis.figures.data import (
    REFERENCE_LINES,
    criterion_label,
    criterion_values,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
)
from analysis.figures.drawn_figure import PageText
from analysis.figures.kinds.box.request import Box

BOUND_COLUMNS = {"aggregation_benefit": "aggregation_benefit_bound"}
"""The column of the greatest possible value of a metric."""
READING = (
    "A box reaches from the first to the third quartile and shows the median. Its"
    " whiskers reach to the last point within 1.5 interquartile ranges. Every network"
    " is a faint point, with its repetitions averaged; fewer than five have no box. A"
    " batch does not include its"
    " lower bound, except the first batch."
)


@dataclass(frozen=True)
class Panel:
    """The runs of one case and group, all series of the same length.

    case, group : in words; group is the value of the factor `by`, or empty
    criterion : sorts the runs into batches
    values : the metric
    bound : the greatest possible value of the metric; None where none is known
    """

    case: str
    group: str
    criterion: pd.Series
    values: pd.Series
    bound: pd.Series | None = None


@dataclass(frozen=True, kw_only=True)
class BoxData(PageText):
    """The panels of a figure, at least one.

    panels : by the panel's name
    labels : of the criterion and of the metric
    bounds : edges of the batches
    log : whether the axis of the metric is logarithmic
    shown : its range without outliers; None for all values
    numbers : the number of each case, for its colour
    lines : values of the metric at which a line is drawn
    """

    panels: Mapping[str, Panel]
    labels: tuple[str, str]
    bounds: Sequence[float]
    log: bool
    shown: scales.Range | None
    numbers: Mapping[str, int]
    lines: Sequence[float]


def data(request: Box, campaign: Campaign) -> BoxData:
    """One panel per case, and per value of the factor `by`; one box per batch."""
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    values = criterion_values(runs, request.criterion)
    rows = runs.assign(_criterion=values).dropna(subset=[column, "_criterion"])
    rows = rows_of(rows, request.metric, request.case)
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    by = [parameter_column(rows, request.by)] if request.by else []
    rows = networks(rows, ["case", *by])
    what = group_label(rows, request.by)
    bound_column = BOUND_COLUMNS.get(request.metric, "")
    panels = {
        f"{case}, {what} {group}" if group else str(case): Panel(
            str(case),
            group,
            panel_rows["_criterion"],
            panel_rows[column],
            panel_rows.get(bound_column),
        )
        for case, case_rows in rows.groupby("case", sort=False)
        for group, panel_rows in groups_by(case_rows, request.by)
    }
    criterion = request.criterion
    bounds = batches.edges(rows["_criterion"], request.batches, criterion.signed)
    absolute = criterion.difference == "absolute"
    name = f"|{values.name}|" if absolute else str(values.name)
    log = scales.is_logarithmic(rows[column])
    every = [
        group
        for panel in panels.values()
        for group in batches.groups(panel.criterion, panel.values, bounds)
    ]
    shown = None if log else scales.cut(rows[column], boxes=every)
    return BoxData(
        panels=panels,
        labels=(
            criterion_label(str(values.name), criterion, paths(rows)),
            label(column),
        ),
        bounds=bounds,
        lines=REFERENCE_LINES.get(request.metric, ()),
        log=log,
        shown=shown,
        numbers=palette.case_numbers(campaign.runs["case"]),
        note=scales.told(shown, len(rows), "points"),
        reading=READING,
        summary=_summary(list(panels.values()), bounds, column, name),
        group_label=what,
    )


def _summary(
    panels: Sequence[Panel], bounds: Sequence[float], metric: str, criterion: str
) -> pd.DataFrame:
    """The quartiles of every box, for summary.csv."""
    parts = []
    for panel in panels:
        part = batches.summary(panel.criterion, panel.values, bounds)
        part.insert(0, "case", panel.case)
        part.insert(0, "group", panel.group)
        part.insert(0, "criterion", criterion)
        part.insert(0, "metric", metric)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)

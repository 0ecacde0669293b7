"""A metric against a criterion or a factor: one mark per network and case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, paths
from analysis.campaign.observations import networks
from analysis.figures import palette, scales, theory, theory_notes
from analysis.figures.data import (
    REFERENCE_LINES,
    axis_labels,
    check_distinct,
    criterion_label,
    criterion_values,
    group_label,
    metric_column,
    metric_missing,
    ok_runs,
    panels_of,
    parameter_column,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.kinds.scatter.request import Scatter

NOTE = (
    "Each mark is a network. Where a network was run several times, the mark is the "
    "mean, and its bar is the 95 % confidence interval of the mean by Student's t. It "
    "needs two repetitions that differ; identical ones, of a network without noise, "
    "are one."
)

BESIDE = "The cases stand side by side at each value on the horizontal axis."


@dataclass(frozen=True)
class Marks:
    """The networks of one case.

    x : values of the criterion or factor
    means, halves : means over repetitions and half widths of their intervals, shape
        (n,); NaN for the interval of a single value
    """

    x: Sequence[float]
    means: np.ndarray
    halves: np.ndarray


@dataclass(frozen=True)
class Panel:
    """The marks of each case. points : design point and case of each run"""

    name: str
    cases: Mapping[str, Marks]
    points: set[theory.Point]


@dataclass(frozen=True, kw_only=True)
class ScatterData(PageText):
    """The panels, at least one, and what theory says about their runs.

    labels : of the axes
    log : the axes with a logarithmic scale
    shown : the range of a vertical axis without its outliers; None for all values
    lines : values of the metric at which a line is drawn
    expected : curves of theory
    at : the criterion or factor of each design point and case
    numbers : the number of each case, for its colour
    beside : whether the marks of cases stand side by side, because they have few places
        in common
    """

    panels: Sequence[Panel]
    labels: tuple[str, str]
    log: str | None
    shown: scales.Range | None
    lines: Sequence[float]
    expected: Sequence[theory.Curve]
    at: Mapping[theory.Point, float]
    numbers: Mapping[str, int]
    beside: bool = False


def data(request: Scatter, campaign: Campaign) -> ScatterData:
    """The metric of each network over the criterion, or over the factor `by`.

    With `panels` there is one panel per value of that factor.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    rows = rows_of(runs, request.metric, request.case).dropna(subset=[column])
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    if request.criterion:
        x = criterion_values(rows, request.criterion)
        x_label = criterion_label(str(x.name), request.criterion, paths(runs))
    else:
        x = rows[parameter_column(rows, request.by or "")]
        x_label = label(str(x.name))
    if not pd.api.types.is_numeric_dtype(x):
        raise UndrawableError(f"{x.name} has no numbers to draw against")
    rows = rows.assign(_x=x).dropna(subset=["_x"])
    points = list(zip(rows["point"], rows["case"].map(str), strict=True))
    expected = theory.curves(
        request.theory, request.metric, request.part, campaign, points
    )
    panels = [
        Panel(
            name,
            {
                str(case): _marks(of_case, column)
                for case, of_case in group.groupby("case", sort=False)
            },
            set(zip(group["point"], group["case"].map(str), strict=True)),
        )
        for name, group in panels_of(rows, request.panels)
    ]
    check_distinct(rows["case"].nunique(), "cases")
    by_case = [marks.means for panel in panels for marks in panel.cases.values()]
    means = [mean for of_case in by_case for mean in of_case]
    log = scales.log_axes(request.log, rows["_x"], means)
    every_mark = log in ("y", "both") or expected
    shown = None if every_mark else scales.cut(means, by_case)
    note = theory_notes.note(expected, column)
    places, marks_of = rows["_x"].nunique(), max(map(len, by_case))
    beside = rows["case"].nunique() > 1 and 2 * places <= marks_of
    return ScatterData(
        panels=panels,
        labels=axis_labels(request.labels, (x_label, label(column))),
        log=log,
        shown=shown,
        lines=REFERENCE_LINES.get(request.metric, ()),
        expected=expected,
        at=dict(zip(points, rows["_x"], strict=True)),
        numbers=palette.case_numbers(campaign.runs["case"]),
        beside=beside,
        note=" ".join(filter(None, [note, scales.told(shown, len(means), "marks")])),
        reading=f"{NOTE} {BESIDE}" if beside else NOTE,
        summary=pd.DataFrame(
            [
                summary_row(column, panel.name, name, "", pd.Series(marks.means))
                for panel in panels
                for name, marks in panel.cases.items()
            ]
        ),
        group_label=group_label(rows, request.panels),
    )


def _marks(rows: pd.DataFrame, column: str) -> Marks:
    """The marks of one case."""
    groups = [group for _, group in networks(rows, ["point"]).groupby("point")]
    intervals = [mean_interval(g[column].to_numpy(float)) for g in groups]
    return Marks(
        [group["_x"].iloc[0] for group in groups],
        np.array([mean for mean, _ in intervals]),
        np.array([half for _, half in intervals]),
    )

"""Means of a metric against a factor, with their confidence intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.campaign.observations import networks
from analysis.figures import palette, scales, theory, theory_notes
from analysis.figures.data import (
    REFERENCE_LINES,
    axis_labels,
    check_distinct,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    ok_runs,
    panels_of,
    parameter_column,
    rows_of,
    summary_row,
    value_text,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.kinds.line.request import Line

NOTE = (
    "Each mark is a mean over n networks, or over the repetitions of a single "
    "network. Its bar is the 95 % confidence interval of the mean by Student's t. It "
    "needs n of 2, so a mark with n = 1 has none; identical repetitions, of a network "
    "without noise, are one. Marks of one value stand side by side."
)


FEW = 3
"""An interval of so many values is four times the spread and more. It tells that little
is known, and may reach far beyond all means."""


@dataclass(frozen=True)
class Curve:
    """The marks of one case, by rising x.

    x : values of the factor, shape (n,)
    means, halves : means and half widths of their intervals, shape (n,); NaN for the
        interval of a single value
    counts : number of values of each mean, shape (n,)
    """

    x: np.ndarray
    means: np.ndarray
    halves: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class Panel:
    """The curves of one value of the factor `panels`, or of all runs.

    name : the value, in words; "" for all runs
    points : design point and case of each run, as theory knows them
    """

    name: str
    curves: dict[str, Curve]
    points: set[theory.Point]

    @property
    def least(self) -> float:
        """The smallest mean."""
        return min(float(curve.means.min()) for curve in self.curves.values())


@dataclass(frozen=True, kw_only=True)
class LineData(PageText):
    """The panels of a figure, at least one, and what theory says about their runs.

    labels : of the axes
    log : the axes with a logarithmic scale
    lines : values of the metric at which a line is drawn
    expected : curves of theory
    at : the factor of each design point and case
    values : all values of the factor, rising
    unit : of the factor
    numbers : the number of each case, for its colour
    shown : the ends of a linear axis; None if it shows all intervals
    """

    panels: Sequence[Panel]
    labels: tuple[str, str]
    log: str | None
    lines: Sequence[float]
    expected: Sequence[theory.Curve]
    at: Mapping[theory.Point, float]
    values: Sequence[float]
    unit: str
    numbers: Mapping[str, int]
    shown: tuple[float, float] | None


def data(request: Line, campaign: Campaign) -> LineData:
    """One line per case over the values of the factor `by`.

    With `panels` there is one panel per value of that factor.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    by = parameter_column(runs, request.by)
    if not pd.api.types.is_numeric_dtype(runs[by]):
        raise UndrawableError(
            f"{request.by} has no numbers; a figure of kind groups shows words"
        )
    rows = rows_of(runs, request.metric, request.case).dropna(subset=[column, by])
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    points = _points(rows)
    at = dict(zip(points, rows[by], strict=True))
    expected = theory.curves(
        request.theory, request.metric, request.part, campaign, points
    )
    keys = ["case", by]
    if request.panels:
        keys.append(parameter_column(rows, request.panels))
        panels_of(rows, request.panels)
    rows = networks(rows, keys)
    what = group_label(rows, request.panels)
    unit = label(by).partition(" [")[2].rstrip("]")
    panels, summary = [], []
    for value, group in groups_by(rows, request.panels):
        curves = {
            str(case): _curve(of_case, column, by)
            for case, of_case in group.groupby("case", sort=False)
        }
        panels.append(Panel(f"{what} {value}".strip(), curves, set(_points(group))))
        summary += [
            summary_row(column, value_text(x, unit), str(case), value, marks)
            for case, of_case in group.groupby("case", sort=False)
            for x, marks in of_case.groupby(by)[column]
        ]
    shown = {name for panel in panels for name in panel.curves}
    means = [m for p in panels for curve in p.curves.values() for m in curve.means]
    values = sorted(rows[by].unique())
    check_distinct(len(shown), "lines")
    log = scales.log_axes(request.log, values, means, scales.LEAST_LISTED)
    known = [curve for panel in panels for curve in panel.curves.values()]
    ends = None if log in ("y", "both") or expected else shown_ends(known)
    told = [theory_notes.note(expected, column, at), _told(known, ends) if ends else ""]
    return LineData(
        panels=panels,
        labels=axis_labels(request.labels, (label(by), label(column))),
        log=log,
        lines=REFERENCE_LINES.get(request.metric, ()),
        expected=expected,
        at=at,
        values=values,
        unit=unit,
        numbers=palette.case_numbers(campaign.runs["case"]),
        shown=ends,
        note=" ".join(filter(None, told)),
        reading=NOTE,
        summary=pd.DataFrame(summary),
        group_label=without_mathematics(label(by)),
        batch_label=what or "batch",
    )


def _points(rows: pd.DataFrame) -> list[theory.Point]:
    return list(zip(rows["point"], rows["case"].map(str), strict=True))


def _curve(rows: pd.DataFrame, column: str, by: str) -> Curve:
    """The marks of one case."""
    values = {x: group[column].to_numpy(float) for x, group in rows.groupby(by)}
    intervals = [mean_interval(group) for group in values.values()]
    return Curve(
        np.array(list(values), float),
        np.array([mean for mean, _ in intervals]),
        np.array([half for _, half in intervals]),
        np.array([len(group) for group in values.values()]),
    )


def shown_ends(curves: Sequence[Curve]) -> tuple[float, float] | None:
    """The ends of an axis that intervals of FEW values would flatten, or None.

    Such an axis shows all means, the intervals of more values, and as much again on
    either side as these span.
    """
    means, halves, counts = _marks(curves)
    known = np.nan_to_num(halves)
    kept = np.where(counts > FEW, known, 0.0)
    low, high = float((means - kept).min()), float((means + kept).max())
    floor = 0.0 if means.min() >= 0 else -np.inf  # as axes.from_zero
    lowest = max(floor, float((means - known).min()))
    highest = float((means + known).max())
    span = high - low
    if not span or span >= scales.LEAST_PART * (highest - lowest):
        return None
    return max(lowest, low - span), min(highest, high + span)


def _told(curves: Sequence[Curve], ends: tuple[float, float]) -> str:
    """A sentence on the intervals that reach beyond an axis."""
    means, halves, _ = _marks(curves)
    floor = -np.inf if ends[0] == 0 else ends[0]
    beyond = (means - halves < floor) | (means + halves > ends[1])
    count, known = int(beyond.sum()), int(np.isfinite(halves).sum())
    verb = "reaches" if count == 1 else "reach"
    return f"{count} of {known} intervals {verb} beyond the figure, with n of 2 or 3."


def _marks(curves: Sequence[Curve]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, half widths and counts of all marks."""
    return (
        np.concatenate([curve.means for curve in curves]),
        np.concatenate([curve.halves for curve in curves]),
        np.concatenate([curve.counts for curve in curves]),
    )

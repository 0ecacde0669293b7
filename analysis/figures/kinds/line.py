"""A metric against a factor: the mean of each case, with its confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import axes, style, theory, theory_marks
from analysis.figures.data import (
    MOST_GROUPS,
    REFERENCE_LINES,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
    value_text,
)
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.titles import title

MOST_NAMED = 6
"""The most values whose names fit below a logarithmic axis."""
MOST_COLUMNS = 3
"""The most panels side by side."""
NOTE = (
    "Each mark is a mean over n networks, or over the repetitions of a single network. "
    "Its bar is the 95 % confidence interval of the mean by Student's t; a mark with "
    "n = 1 has none."
)


@dataclass(frozen=True)
class Curve:
    """The marks of one case, by rising x.

    x : values of the factor, shape (n,)
    means, halves : means and half widths of their intervals, shape (n,); NaN for the
        interval of a single value
    """

    x: np.ndarray
    means: np.ndarray
    halves: np.ndarray


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


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One line per case over the values of the factor `by`.

    With `panels` there is one panel per value of that factor.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    by = parameter_column(runs, request.by or "")
    if not pd.api.types.is_numeric_dtype(runs[by]):
        raise UndrawableError(
            f"{request.by} has no numbers; a figure of kind groups shows words"
        )
    rows = rows_of(request, runs).dropna(subset=[column, by])
    if rows.empty:
        raise metric_missing(request)
    points = _points(rows)
    at = dict(zip(points, rows[by], strict=True))
    expected = theory.curves(request, campaign, points, request.part)
    keys = ["case", by]
    if request.panels:
        keys.append(parameter_column(rows, request.panels))
        if (count := rows[keys[-1]].nunique()) > MOST_GROUPS:
            raise UndrawableError(
                f"{request.panels} has {count} values, more than the {MOST_GROUPS}"
                " panels that fit; leave panels out"
            )
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
    numbers = style.case_numbers(campaign.runs["case"])
    shown = {name for panel in panels for name in panel.curves}
    if len(shown) > style.MOST_SERIES:
        raise UndrawableError(
            f"{len(shown)} lines, of which only {style.MOST_SERIES} can look "
            "different; name a case"
        )
    labels = (label(by), label(column))
    lines = REFERENCE_LINES.get(request.metric or "", ())
    with style.styled(target.look):
        columns = 1 if target.look.narrow else min(MOST_COLUMNS, len(panels))
        figure, places = style.panels(columns, -(-len(panels) // columns))
        for place, (axis, panel) in enumerate(zip(places, panels, strict=False)):
            for line in lines:
                axis.axhline(line, color=style.GREY, lw=0.8, ls=":")
            for name, curve in panel.curves.items():
                _plot(axis, name, curve, numbers[name], len(numbers))
            for model, known in theory_marks.numbered(expected):
                known = known.of(panel.points)
                theory_marks.draw(axis, known, at, numbers, model, joined=True)
            axes.dress(axis, request, labels, (rows[by].min(), panel.least))
            if place % columns:
                axis.set_ylabel("")
            if panel.name:
                axis.set_title(panel.name)
            if request.log in ("x", "both"):
                _name_values(axis, sorted(rows[by].unique()), unit)
        for axis in places[len(panels) :]:
            axis.set_visible(False)
        if len(panels) == 1:
            axes.save_with_legend(figure, places[0], target)
        else:
            axes.save_panels(figure, places[: len(panels)], columns, target)
    return DrawnFigure(
        title(request),
        target.name,
        note=theory_marks.note(expected, column, at),
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
    )


def _name_values(axis: Axes, values: Sequence[float], unit: str) -> None:
    """Write a logarithmic axis's values as the factor has them, if they fit."""
    if len(values) <= MOST_NAMED:
        axis.set_xticks(values, [value_text(x, unit) for x in values])
        axis.set_xticks([], minor=True)
        if unit == "bytes":
            axis.set_xlabel(axis.get_xlabel().removesuffix(" [bytes]"))


def _plot(axis: Axes, name: str, curve: Curve, number: int, count: int) -> None:
    axis.errorbar(
        curve.x,
        curve.means,
        yerr=np.nan_to_num(curve.halves),
        label=name,
        color=style.colour(number),
        linestyle=style.dash(number, count),
        marker=style.marker(number),
        markersize=4,
        linewidth=1.2,
        elinewidth=0.9,
        capsize=2.5,
    )

"""A metric against a factor: the mean of each case, with its confidence interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.figures import axes, style, theory, theory_marks
from analysis.figures.data import (
    REFERENCE_LINES,
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
from analysis.figures.request import FigureRequest
from analysis.figures.titles import title

MOST_NAMED = 6
"""The most values whose names fit below a logarithmic axis."""
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


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One line per case over the values of the factor `by`."""
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
    points = list(zip(rows["point"], rows["case"].map(str), strict=True))
    at = dict(zip(points, rows[by], strict=True))
    expected = theory.curves(request, campaign, points, request.part)
    rows = networks(rows, ["case", by])
    numbers = style.case_numbers(campaign.runs["case"])
    unit = label(by).partition(" [")[2].rstrip("]")
    curves: dict[str, Curve] = {}
    summary = []
    for case, of_case in rows.groupby("case", sort=False):
        values = {x: group[column] for x, group in of_case.groupby(by)}
        intervals = [mean_interval(group.to_numpy(float)) for group in values.values()]
        curves[str(case)] = Curve(
            np.array(list(values), float),
            np.array([mean for mean, _ in intervals]),
            np.array([half for _, half in intervals]),
        )
        summary += [
            summary_row(column, value_text(x, unit), str(case), "", group)
            for x, group in values.items()
        ]
    if len(curves) > style.MOST_SERIES:
        raise UndrawableError(
            f"{len(curves)} lines, of which only {style.MOST_SERIES} can look "
            "different; name a case"
        )
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        for value in REFERENCE_LINES.get(request.metric or "", ()):
            axis.axhline(value, color=style.GREY, lw=0.8, ls=":")
        for name, curve in curves.items():
            _plot(axis, name, curve, numbers[name], len(numbers))
        for model, known in theory_marks.numbered(expected):
            theory_marks.draw(axis, known, at, numbers, model, joined=True)
        least = min(float(curve.means.min()) for curve in curves.values())
        axes.dress(axis, request, (label(by), label(column)), (rows[by].min(), least))
        if request.log in ("x", "both"):
            _name_values(axis, sorted(rows[by].unique()), unit)
        axes.save_with_legend(figure, axis, target)
    return DrawnFigure(
        title(request),
        target.name,
        note=theory_marks.note(expected, column, at),
        reading=NOTE,
        summary=pd.DataFrame(summary),
        group_label=without_mathematics(label(by)),
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

"""A metric against a criterion or a factor: one mark per network and case."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import axes, style, theory, theory_marks
from analysis.figures.data import (
    REFERENCE_LINES,
    criterion_label,
    criterion_values,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.titles import title

NOTE = (
    "Each mark is a network. Where a network was run several times, the mark is the "
    "mean, and its bar is the 95 % confidence interval of the mean by Student's t."
)


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """Marks of the metric over the criterion, or over the factor `by`."""
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    rows = rows_of(request, runs).dropna(subset=[column])
    if rows.empty:
        raise metric_missing(request)
    if request.criterion:
        x = criterion_values(rows, request.criterion)
        x_label = criterion_label(str(x.name), request.criterion)
    else:
        x = rows[parameter_column(rows, request.by or "")]
        x_label = label(str(x.name))
    if not pd.api.types.is_numeric_dtype(x):
        raise UndrawableError(f"{x.name} has no numbers to draw against")
    rows = rows.assign(_x=x).dropna(subset=["_x"])
    numbers = style.case_numbers(campaign.runs["case"])
    cases = {str(case): of_case for case, of_case in rows.groupby("case", sort=False)}
    if len(cases) > style.MOST_SERIES:
        raise UndrawableError(
            f"{len(cases)} cases, of which only {style.MOST_SERIES} can look "
            "different; name a case"
        )
    points = list(zip(rows["point"], rows["case"].map(str), strict=True))
    at = dict(zip(points, rows["_x"], strict=True))
    expected = theory.curves(request, campaign, points, request.part)
    summary: list[dict[str, Any]] = []
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        for value in REFERENCE_LINES.get(request.metric or "", ()):
            axis.axhline(value, color=style.GREY, lw=0.8, ls=":")
        for name, of_case in cases.items():
            groups = [group for _, group in of_case.groupby("point")]
            intervals = [mean_interval(g[column].to_numpy(float)) for g in groups]
            means = np.array([mean for mean, _ in intervals])
            axis.errorbar(
                [group["_x"].iloc[0] for group in groups],
                means,
                yerr=np.nan_to_num([half for _, half in intervals]),
                label=name,
                color=style.colour(numbers[name]),
                marker=style.marker(numbers[name]),
                linestyle="none",
                markersize=4,
                alpha=0.8,
                elinewidth=0.7,
            )
            summary.append(summary_row(column, "", name, "", pd.Series(means)))
        for model, known in theory_marks.numbered(expected):
            theory_marks.draw(axis, known, at, numbers, model, joined=False)
        least = (rows["_x"].min(), min(float(row["minimum"]) for row in summary))
        axes.dress(axis, request, (x_label, label(column)), least)
        axes.save_with_legend(figure, axis, target)
    return DrawnFigure(
        title(request),
        target.name,
        note=theory_marks.note(expected, column),
        reading=NOTE,
        summary=pd.DataFrame(summary),
    )

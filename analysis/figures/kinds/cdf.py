"""Cumulative distributions, after thesis Figs 3.6 and 3.7."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.data import (
    REFERENCE_LINES,
    criterion_values,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title

HEIGHT_INCHES = 2.8
MOST_COLUMNS = 3
"""The most panels side by side."""


Curves = dict[str, pd.Series]
"""The values of each curve by the curve's name."""


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One curve per case and, with a criterion, per sign of the difference.

    With `by` there is one panel per value of that factor.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    rows = rows_of(request, runs).dropna(subset=[column])
    rows = rows.assign(_sign="")
    if request.criterion:
        difference = criterion_values(rows, request.criterion)
        rows["_sign"] = _sign_names(difference, str(difference.name))
    if rows.empty:
        raise metric_missing(request)
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
    lines = REFERENCE_LINES.get(request.metric or "", ())
    names = dict.fromkeys(name for curves in panels.values() for name in curves)
    cases = style.case_numbers(campaign.runs["case"])
    only_cases = set(names) <= set(cases)
    numbers = cases if only_cases else {n: i for i, n in enumerate(names)}
    if len(names) > style.MOST_SERIES:
        raise UndrawableError(
            f"{len(names)} curves, of which only {style.MOST_SERIES} can look"
            " different; name a case"
        )
    _plot(panels, label(column), lines, target, numbers)
    return DrawnFigure(
        title(request),
        target.name,
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


def _sign_names(difference: pd.Series, name: str) -> pd.Series:
    what = name.rpartition("_difference")[0].replace("_", " ") or name
    words = {
        -1.0: f"path 1's {what} lower",
        0.0: f"{what} the same",
        1.0: f"path 1's {what} higher",
    }
    return pd.Series(np.sign(difference.astype(float)), difference.index).map(words)


def _plot(
    panels: Mapping[str, Curves],
    value_label: str,
    lines: Sequence[float],
    target: style.Target,
    numbers: Mapping[str, int] | None = None,
) -> None:
    """One panel per name, and in it one curve per name: the part of the values <= x.

    panels : at least one panel; each curve has at least one value and none missing
    lines : values at which a line is drawn
    numbers : the number of each curve, for its colour; None for their order
    """
    with style.styled(target.look):
        columns = 1 if target.look.narrow else min(MOST_COLUMNS, len(panels))
        rows = -(-len(panels) // columns)
        figure, axes = style.panels(columns, rows)
        width = style.PANEL_INCHES[0]
        if target.look.columns:
            width = style.COLUMN_INCHES[target.look.columns] / columns
        legend = 0.0
        for place, (axis, name) in enumerate(zip(axes, panels, strict=False)):
            for value in lines:
                axis.axvline(value, color=style.GREY, lw=0.8, ls=":")
            known = numbers or {n: i for i, n in enumerate(panels[name])}
            legend = max(legend, _panel(axis, panels[name], known, width - 0.7))
            axis.set_xlabel(value_label)
            if place % columns == 0:
                axis.set_ylabel("part of the runs")
            if len(panels) > 1:
                axis.text(0.02, 0.96, name, transform=axis.transAxes, va="top")
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        figure.set_size_inches(width * columns, (HEIGHT_INCHES + legend) * rows)
        style.save(figure, target)


def _panel(
    axis: Axes, curves: Curves, numbers: Mapping[str, int], width_inches: float
) -> float:
    """Draw the curves; returns the height of the legend in inches."""
    low = min(float(values.min()) for values in curves.values())
    high = max(float(values.max()) for values in curves.values())
    margin = 0.04 * (high - low) or 0.5
    for name, values in curves.items():
        steps = np.sort(values.to_numpy(float))
        count = len(steps)
        axis.step(
            [low - margin, *steps, high + margin],
            [0, *np.arange(1, count + 1) / count, 1],
            where="post",
            color=style.colour(numbers[name]),
            ls=style.dash(numbers[name], len(numbers)),
            lw=1.5,
            label=f"{name} (n = {count})",
        )
    axis.set_xlim(low - margin, high + margin)
    axis.set_ylim(0, 1.02)
    return style.legend_above(axis, *axis.get_legend_handles_labels(), width_inches)

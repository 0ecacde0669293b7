"""A metric of each case, for parts of a run side by side, and what theory says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import column_of, label
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import axes, style, theory, theory_marks
from analysis.figures.data import (
    REFERENCE_LINES,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.theory import Curve
from analysis.figures.titles import title

WIDTH = 0.6
"""Width of all marks of a case together; neighbouring cases are 1 apart."""
WHOLE = "whole run"
NOTE = (
    "Each filled mark is a mean over n networks, or over the repetitions of a single "
    "network. Its bar is the 95 % confidence interval of the mean by Student's t; a "
    "mark with n = 1 has none."
)


@dataclass(frozen=True)
class Series:
    """One part of the runs.

    part : its name; None for the whole run
    column : of the metric
    values : of each case that has the metric
    expected : what theory says
    """

    part: str | None
    column: str
    values: Mapping[str, pd.Series]
    expected: Sequence[Curve]

    @property
    def least(self) -> float:
        return min(float(group.mean()) for group in self.values.values())


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One group of marks per case, and in it one mark per part of the run."""
    runs = rows_of(request, ok_runs(campaign))
    if runs.empty:
        raise metric_missing(request)
    cases = list(dict.fromkeys(map(str, runs["case"])))
    parts: Sequence[str | None] = request.parts or (None,)
    if len(parts) > style.MOST_SERIES:
        reason = f"of which only {style.MOST_SERIES} can look different"
        raise UndrawableError(f"{len(parts)} parts, {reason}; name fewer")
    found = [_series(request, campaign, runs, part) for part in parts]
    least = min(series.least for series in found)
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        for value in REFERENCE_LINES.get(request.metric or "", ()):
            axis.axhline(value, color=style.GREY, lw=0.8, ls=":")
        for number, series in enumerate(found):
            places = _places(cases, number, len(found))
            _measured(axis, series, places, number)
            colour = style.colour(number)
            theory_marks.beside(axis, series.expected, places, colour, not number)
        more_inches = axes.name_places(axis, cases, target.look)
        axis.set_xlim(-0.6, len(cases) - 0.4)
        axes.dress(
            axis, request, ("", label(column_of(request.metric or "", runs))), (1, 1)
        )
        if least >= 0:
            axis.set_ylim(bottom=0)
        axes.save_with_legend(figure, axis, target, more_inches)
    notes = [theory_marks.case_note(s.expected, s.column) for s in found]
    return DrawnFigure(
        title(request),
        target.name,
        note=" ".join(filter(None, notes)),
        reading=NOTE,
        summary=pd.DataFrame(
            [
                summary_row(series.column, "", case, series.part or WHOLE, group)
                for series in found
                for case, group in series.values.items()
            ]
        ),
        batch_label="part",
    )


def _series(
    request: FigureRequest, campaign: Campaign, runs: pd.DataFrame, part: str | None
) -> Series:
    asked = request.model_copy(update={"part": part})
    column = metric_column(runs, asked)
    rows = runs.dropna(subset=[column])
    points = list(zip(rows["point"], rows["case"].map(str), strict=True))
    by_case = networks(rows, ["case"]).groupby("case", sort=False)
    return Series(
        part,
        column,
        {str(case): of_case[column] for case, of_case in by_case},
        theory.curves(asked, campaign, points, part),
    )


def _places(cases: Sequence[str], number: int, count: int) -> dict[str, float]:
    """Places of the marks of part `number` of `count`, by case."""
    shift = WIDTH * ((number + 0.5) / count - 0.5)
    return {case: place + shift for place, case in enumerate(cases)}


def _measured(
    axis: Axes, series: Series, places: Mapping[str, float], number: int
) -> None:
    intervals = [mean_interval(g.to_numpy(float)) for g in series.values.values()]
    axis.errorbar(
        [places[case] for case in series.values],
        [mean for mean, _ in intervals],
        yerr=np.nan_to_num([half for _, half in intervals]),
        label=series.part or "measured",
        color=style.colour(number),
        marker=style.marker(number),
        linestyle="none",
        markersize=4.5,
        capsize=2.5,
        elinewidth=0.9,
    )

"""A metric of each case, for parts of a run side by side, and what theory says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import column_of, label
from analysis.campaign.observations import networks
from analysis.figures import palette, theory, theory_notes
from analysis.figures.data import (
    REFERENCE_LINES,
    axis_labels,
    check_distinct,
    metric_column,
    metric_missing,
    ok_runs,
    rows_of,
    summary_row,
)
from analysis.figures.drawn_figure import PageText
from analysis.figures.kinds.cases.request import Cases
from analysis.figures.theory import Curve

WHOLE = "whole run"
NOTE = (
    "Each filled mark is a mean over n networks, or over the repetitions of a single "
    "network. Its bar is the 95 % confidence interval of the mean by Student's t. It "
    "needs n of 2, so a mark with n = 1 has none; identical repetitions, of a network "
    "without noise, are one."
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


@dataclass(frozen=True, kw_only=True)
class CasesData(PageText):
    """One group of marks per case, and in it one mark per part of the run.

    cases : names in the order in which they stand side by side
    parts : at least one
    labels : of the axes
    lines : values of the metric at which a line is drawn
    numbers : the number of each case, for its colour where there is one part
    """

    cases: Sequence[str]
    parts: Sequence[Series]
    labels: tuple[str, str]
    lines: Sequence[float]
    numbers: Mapping[str, int]


def data(request: Cases, campaign: Campaign) -> CasesData:
    """The values of each case, in each part that the request names."""
    runs = rows_of(ok_runs(campaign), request.metric, request.case)
    if runs.empty:
        raise metric_missing(request.metric, request.case)
    parts: Sequence[str | None] = request.parts or (None,)
    check_distinct(len(parts), "parts", "name fewer")
    found = [_series(request, campaign, runs, part) for part in parts]
    notes = [theory_notes.case_note(s.expected, s.column) for s in found]
    usual = ("", label(column_of(request.metric, runs)))
    return CasesData(
        cases=list(dict.fromkeys(map(str, runs["case"]))),
        parts=found,
        labels=axis_labels(request.labels, usual),
        lines=REFERENCE_LINES.get(request.metric, ()),
        numbers=palette.case_numbers(campaign.runs["case"]),
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
    request: Cases, campaign: Campaign, runs: pd.DataFrame, part: str | None
) -> Series:
    column = metric_column(runs, request.metric, part)
    rows = runs.dropna(subset=[column])
    points = list(zip(rows["point"], rows["case"].map(str), strict=True))
    by_case = networks(rows, ["case"]).groupby("case", sort=False)
    return Series(
        part,
        column,
        {str(case): of_case[column] for case, of_case in by_case},
        theory.curves(request.theory, request.metric, part, campaign, points),
    )

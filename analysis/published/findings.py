"""A campaign's findings for a criterion: the statistic, and its earlier judgement."""

from dataclasses import dataclass, replace

import pandas as pd

from analysis.published import ratios
from analysis.published.criterion import (
    About,
    Criterion,
    Equal,
    Insignificant,
    Less,
    More,
)
from analysis.published.statistics import SIGNIFICANCE, STATISTICS, Finding, Question
from analysis.published.two_sample import TWO_SAMPLE


@dataclass(frozen=True)
class Runs:
    """The runs that a criterion is answered from.

    rows : all runs of MPTCP of the criterion's campaign, all ok; of TCP too, if the
        criterion names a case of TCP
    factors : columns of numbers that the design varies
    others : all such runs of the campaign that `against` names, if it is another one
    """

    rows: pd.DataFrame
    factors: tuple[str, ...]
    others: pd.DataFrame | None = None

    def selected(self, criterion: Criterion) -> pd.DataFrame:
        """The rows that the criterion is about.

        With `over`, one row per network, whose metric is a ratio.
        """
        return _divided(criterion, criterion.sets.rows.of(self.rows), self.rows)

    def compared(self, criterion: Criterion) -> pd.DataFrame | None:
        """The rows that they are compared with, if the criterion names any.

        The column `metric` of the result is that of `against_metric`, if there is one.
        """
        sets = criterion.sets
        if sets.against is None:
            return None
        whole = self.rows if self.others is None else self.others
        other = sets.against.of(whole)
        if sets.against_metric:
            metric = criterion.measure.metric
            other = other.assign(**{metric: other[sets.against_metric]})
        return _divided(criterion, other, whole)


def _divided(
    criterion: Criterion, rows: pd.DataFrame, whole: pd.DataFrame
) -> pd.DataFrame:
    """The rows over those of `over` in the same campaign, if the criterion has it."""
    over = criterion.sets.over
    if over is None:
        return rows
    return ratios.divided(rows, over.of(whole), question(criterion, ()))


def question(criterion: Criterion, factors: tuple[str, ...]) -> Question:
    measure = criterion.measure
    return Question(
        measure.metric,
        measure.criterion,
        measure.batch.above,
        measure.batch.up_to,
        factors,
        measure.threshold,
    )


def find(
    criterion: Criterion, runs: Runs, independent: bool = True
) -> tuple[Finding, float]:
    """The statistic, and the value that it is compared with.

    independent : whether the rows are, so that the text has p-values

    Raises KeyError for a missing column and ValueError for too few rows.
    """
    asked = question(criterion, runs.factors)
    selected = runs.selected(criterion)
    compared = runs.compared(criterion)
    name, wanted = criterion.measure.statistic, criterion.wanted
    if compared is not None and name in TWO_SAMPLE:
        finding = TWO_SAMPLE[name](selected, compared, asked)
        told = replace(finding, text=finding.told(independent))
        return told, criterion.number or 0.0
    statistic = STATISTICS[name]
    finding = statistic(selected, asked)
    if compared is not None:
        other = statistic(compared, asked)
    elif not isinstance(wanted, str):
        return replace(finding, text=finding.told(independent)), wanted
    else:
        other = statistic(selected, replace(asked, metric=wanted))
    # A test of one sample against 0 says nothing about the two together.
    text = f"{finding.told(independent)} (against {other.told(independent)})"
    return replace(finding, text=text, p=None), other.value


def judged_earlier(
    criterion: Criterion, finding: Finding, wanted: float
) -> bool | None:
    """Whether the finding agrees by the rule in force until 2026-11-22.

    By that rule `insignificant` agreed wherever p was not below 0.05, and `about`
    wherever the value itself was within the tolerance.
    """
    significant = finding.p is None or finding.p < SIGNIFICANCE
    match criterion.relation:
        case Less():
            return finding.value < wanted and significant
        case More():
            return finding.value > wanted and significant
        case Equal():
            return finding.value == wanted
        case About(tolerance):
            return abs(finding.value - wanted) <= tolerance
        case Insignificant():
            return not significant
    return None

"""What a campaign has for a criterion: the statistic, and its earlier judgement."""

from dataclasses import dataclass, replace

import pandas as pd

from analysis.published import ratios
from analysis.published.criterion import Criterion
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
        return _divided(criterion, criterion.rows.of(self.rows), self.rows)

    def compared(self, criterion: Criterion) -> pd.DataFrame | None:
        """The rows that they are compared with, if the criterion names any.

        The column `metric` of the result is that of `against_metric`, if there is one.
        """
        if criterion.against is None:
            return None
        whole = self.rows if self.others is None else self.others
        other = criterion.against.of(whole)
        if criterion.against_metric:
            other = other.assign(**{criterion.metric: other[criterion.against_metric]})
        return _divided(criterion, other, whole)


def _divided(
    criterion: Criterion, rows: pd.DataFrame, whole: pd.DataFrame
) -> pd.DataFrame:
    """The rows over those of `over` in the same campaign, if the criterion has it."""
    if criterion.over is None:
        return rows
    return ratios.divided(rows, criterion.over.of(whole), question(criterion, ()))


def question(criterion: Criterion, factors: tuple[str, ...]) -> Question:
    return Question(
        criterion.metric,
        criterion.criterion,
        criterion.above,
        criterion.up_to,
        factors,
        criterion.threshold,
    )


def find(criterion: Criterion, runs: Runs) -> tuple[Finding, float]:
    """The statistic, and the value that it is compared with.

    Raises KeyError for a missing column and ValueError for too few rows.
    """
    asked = question(criterion, runs.factors)
    selected = runs.selected(criterion)
    compared = runs.compared(criterion)
    number = criterion.number
    if compared is not None and criterion.statistic in TWO_SAMPLE:
        two_sample = TWO_SAMPLE[criterion.statistic]
        return two_sample(selected, compared, asked), number or 0.0
    statistic = STATISTICS[criterion.statistic]
    finding = statistic(selected, asked)
    if compared is not None:
        other = statistic(compared, asked)
    elif number is not None:
        return finding, number
    else:
        other = statistic(selected, replace(asked, metric=criterion.value))
    # A test of one sample against 0 says nothing about the two together.
    text = f"{finding.text} (against {other.text})"
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
        case "<":
            return finding.value < wanted and significant
        case ">":
            return finding.value > wanted and significant
        case "=":
            return finding.value == wanted
        case "about":
            return abs(finding.value - wanted) <= criterion.tolerance
        case "insignificant":
            return not significant
    return None

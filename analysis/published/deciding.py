"""Forecasts of how many values would decide a statement that is undecided.

A forecast takes the effect as it was measured. It lets the 95 % interval shrink with
the square root of the number of values, and looks for the first number at which the
registered criterion gives a verdict.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from analysis.published import intervals
from analysis.published.criterion import About, Criterion
from analysis.published.intervals import Interval
from analysis.published.judging import (
    CONFIDENCE,
    EQUIVALENCE,
    SIGNIFICANCE,
    Judged,
    Verdict,
    decide,
    fisher,
)
from analysis.published.two_sample import TWO_SAMPLE

MOST = 1000
"""Times the present number of values; beyond it, no number is told."""
STEP = 1.02
NARROW = NormalDist().inv_cdf((1 + EQUIVALENCE) / 2) / NormalDist().inv_cdf(
    (1 + CONFIDENCE) / 2
)
"""The width of a 90 % interval over that of a 95 % interval, for normal errors."""


@dataclass(frozen=True)
class Forecast:
    """The number of values that would decide a statement.

    values : the number; None if no number is known
    verdict : the verdict that they would give; None if it is not known
    why : why no number, or no verdict, is known
    """

    values: int | None
    verdict: Verdict | None = None
    why: str = ""


def forecast(criterion: Criterion, judged: Judged, values: int) -> Forecast:
    """The forecast for an undecided statement.

    values : the number of independent values behind `judged`
    """
    if judged.needs is not None:
        return Forecast(judged.needs, None, "too few values for an interval")
    if judged.interval is None or values < 2:
        return Forecast(None, None, "no interval is known")
    number = values
    while number < MOST * values:
        number = max(number + 1, math.ceil(number * STEP))
        if criterion.published:
            found = _counted(criterion, judged, values, number)
        else:
            found = _shrunk(criterion, judged, math.sqrt(values / number))
        if found is not Verdict.UNDECIDED:
            return Forecast(number, found)
    if criterion.published:
        return Forecast(None, None, "the published count is of too few")
    return Forecast(None, None, "the effect is at the limit of the criterion")


def _shrunk(criterion: Criterion, judged: Judged, by: float) -> Verdict:
    """The verdict with an interval of which only this part is left."""
    assert judged.interval is not None
    wide = _around(judged.value, judged.interval, by)
    narrow = _around(judged.value, judged.interval, by * NARROW)
    return decide(criterion, _wanted(criterion), wide, narrow)


def _around(value: float, interval: Interval, by: float) -> Interval:
    low, high = interval
    return value + by * (low - value), value + by * (high - value)


def _wanted(criterion: Criterion) -> float:
    """The number that the value is compared with; 0 for a difference of samples."""
    two_samples = criterion.measure.statistic in TWO_SAMPLE
    if criterion.sets.against is None or two_samples:
        return criterion.number or 0.0
    return 0.0


def _counted(criterion: Criterion, judged: Judged, values: int, number: int) -> Verdict:
    """The verdict of more networks with our share, beside the published count."""
    published = criterion.published
    assert published is not None
    of = values if published.of is None else published.of
    count = published.count
    theirs = round((criterion.number or 0.0) * of) if count is None else count
    share = min(1.0, max(0.0, judged.value + theirs / of))
    ours = round(share * number), number
    if fisher(ours, (theirs, of)) < SIGNIFICANCE:
        return Verdict.DIFFERS
    relation = criterion.relation
    tolerance = relation.tolerance if isinstance(relation, About) else 0.0
    low, high = intervals.share_difference(ours, (theirs, of), EQUIVALENCE)
    within = -tolerance <= low and high <= tolerance
    return Verdict.AGREES if within else Verdict.UNDECIDED


def of_sentence(forecasts: list[Forecast]) -> Forecast:
    """The forecast of a sentence whose undecided statements have these.

    One statement that differs decides the sentence; otherwise all have to agree.
    """
    differing = [
        one
        for one in forecasts
        if one.verdict is Verdict.DIFFERS and one.values is not None
    ]
    if differing:
        return min(differing, key=lambda one: one.values or 0)
    unknown = [one for one in forecasts if one.values is None]
    if unknown:
        return unknown[0]
    most = max(forecasts, key=lambda one: one.values or 0)
    known = all(one.verdict is Verdict.AGREES for one in forecasts)
    if known:
        return most
    vague = next(one for one in forecasts if one.verdict is None)
    return Forecast(most.values, None, vague.why)

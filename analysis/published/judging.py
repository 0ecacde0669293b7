"""Verdicts on published statements: agrees, differs or undecided.

results/published/rules.yaml registers these rules, with their dates and changes.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np

from analysis import late_scipy as scipy
from analysis.campaign.sample_sizes import least_values
from analysis.published import intervals
from analysis.published.criterion import (
    About,
    Count,
    Criterion,
    Equal,
    Insignificant,
    Less,
    More,
)
from analysis.published.estimates import Estimator, estimator
from analysis.published.findings import Runs
from analysis.published.intervals import Interval
from analysis.published.samples import Columns
from analysis.published.two_sample import TWO_SAMPLE

SIGNIFICANCE = 0.05
CONFIDENCE = 0.95
EQUIVALENCE = 0.90
"""Two one-sided tests at 5 % agree if the 90 % interval is within the margin."""
FRAGILE = 0.90
REDRAWS = 1000
SEED = 0


class Verdict(Enum):
    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judged:
    """A verdict and what it rests on.

    value : our value, or its difference from what it is compared with
    interval : the 95 % confidence interval of `value`; None where there is none
    chance : the share of redrawn designs that give the same verdict; None where
        nothing can be redrawn
    p : p-value of the exact test against a published count; None for other tests
    needs : how many values would give an interval, where there are fewer; else None
    """

    verdict: Verdict
    value: float
    interval: Interval | None = None
    chance: float | None = None
    p: float | None = None
    needs: int | None = None

    @property
    def fragile(self) -> bool:
        return self.chance is not None and self.chance < FRAGILE


def judge(
    criterion: Criterion, runs: Runs, redraws: int = REDRAWS, with_chance: bool = True
) -> Judged:
    """The verdict on a criterion that is scored.

    with_chance : whether to compute its chance, which takes nearly all the time

    Raises KeyError for a missing column and ValueError for too few rows.
    """
    if not criterion.scored:
        raise ValueError("the criterion compares nothing")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        asked = estimator(criterion, runs)
        generator = np.random.default_rng(SEED)
        if asked.interval is None and not _by_value(criterion):
            return _redrawn(criterion, asked, generator, redraws)
        redraws = redraws if with_chance else 0
        if criterion.published:
            return _counted(criterion, criterion.published, asked, generator, redraws)
        if _by_value(criterion):
            return _literal(criterion, asked, generator, redraws)
        return _tested(criterion, asked, generator, redraws)


def _by_value(criterion: Criterion) -> bool:
    """Whether the value itself is judged, or a count of it."""
    literal = isinstance(criterion.relation, Equal)
    literal = literal or criterion.measure.statistic == "maximum"
    return literal or criterion.published is not None


def decide(
    criterion: Criterion, wanted: float, wide: Interval, narrow: Interval
) -> Verdict:
    """The verdict from the 95 % interval (wide) and the 90 % interval (narrow).

    A direction agrees if the wide interval is on its side of `wanted`. It differs if
    the wide interval has nothing on that side, or if a margin is registered and the
    narrow interval is within it: the effect is then too small to count as one.
    An equality agrees if the narrow interval is within the tolerance or margin, and
    otherwise differs if the wide interval leaves `wanted` out.
    """
    low, high = wide[0] - wanted, wide[1] - wanted
    inner = narrow[0] - wanted, narrow[1] - wanted
    relation = criterion.relation
    if isinstance(relation, Less | More):
        if isinstance(relation, Less):
            low, high = -high, -low
        if low > 0:
            return Verdict.AGREES
        none = _within(inner, relation.margin)
        return Verdict.DIFFERS if high <= 0 or none else Verdict.UNDECIDED
    reach = None
    if isinstance(relation, About):
        reach = relation.tolerance
    elif isinstance(relation, Insignificant):
        reach = relation.margin
    if _within(inner, reach):
        return Verdict.AGREES
    return Verdict.DIFFERS if low > 0 or high < 0 else Verdict.UNDECIDED


def _within(interval: Interval, reach: float | None) -> bool:
    """Whether an interval lies within `reach` of 0; None reaches nothing."""
    return reach is not None and -reach <= interval[0] and interval[1] <= reach


def _tested(
    criterion: Criterion, asked: Estimator, generator: np.random.Generator, redraws: int
) -> Judged:
    """By a test whose interval is known; it is repeated in every redrawn design."""
    interval_of = asked.interval
    assert interval_of is not None
    wanted = criterion.number or 0.0

    def verdict(columns: Sequence[Columns]) -> Verdict:
        try:
            wide, narrow = (
                interval_of(columns, level) for level in (CONFIDENCE, EQUIVALENCE)
            )
        except ValueError:
            return Verdict.UNDECIDED
        found = decide(criterion, wanted, wide, narrow)
        if found is Verdict.AGREES and not _has(criterion, asked.value(columns)):
            return Verdict.UNDECIDED
        return found

    columns = asked.samples.columns
    value = asked.value(columns)
    try:
        wide = interval_of(columns, CONFIDENCE)
    except intervals.TooFewError as error:
        return Judged(Verdict.UNDECIDED, value, needs=error.needs)
    given = verdict(columns)
    return Judged(
        given, value, wide, _chance(given, verdict, asked, generator, redraws)
    )


def _has(criterion: Criterion, value: float) -> bool:
    """Whether the value itself has the direction, if the criterion is about one.

    Rank tests are about Hodges and Lehmann's centre of the differences. It can be on
    one side of 0 while the median, which the statement is about, is 0.
    """
    wanted = criterion.number or 0.0
    if isinstance(criterion.relation, Less):
        return value < wanted
    return value > wanted if isinstance(criterion.relation, More) else True


def _redrawn(
    criterion: Criterion, asked: Estimator, generator: np.random.Generator, redraws: int
) -> Judged:
    """By an interval that redrawn designs give, Efron's percentile interval.

    A redrawn design's own interval is taken to be as wide as ours, around its value.
    A verdict that depends on the seed of the redraws is undecided.
    """
    two_samples = criterion.measure.statistic in TWO_SAMPLE
    names_value = criterion.sets.against is None or two_samples
    wanted = criterion.number or 0.0 if names_value else 0.0
    value = asked.value(asked.samples.columns)
    drawn = np.array(
        [asked.value(asked.samples.redraw(generator)) for _ in range(redraws)]
    )
    drawn = drawn[np.isfinite(drawn)]
    least = least_values(CONFIDENCE)
    if asked.samples.units < least:
        return Judged(Verdict.UNDECIDED, value, needs=least)
    if len(drawn) < redraws / 2:
        return Judged(Verdict.UNDECIDED, value)
    ends = [_ends(drawn, level) for level in (CONFIDENCE, EQUIVALENCE)]
    (wide, _), _ = ends

    def verdict(by: float) -> Verdict:
        plain, reaching = (
            decide(criterion, wanted, *(_moved(pair[index], by) for pair in ends))
            for index in (0, 1)
        )
        return plain if plain is reaching else Verdict.UNDECIDED

    given = verdict(0.0)
    same = [verdict(by) is given for by in (drawn - value).tolist()]
    return Judged(given, value, wide, float(np.mean(same)))


def _ends(drawn: np.ndarray, level: float) -> tuple[Interval, Interval]:
    """The percentile interval, and how far another seed might put its ends.

    The ends are quantiles of a sample, and have intervals themselves.
    """
    low, high = (1 - level) / 2, (1 + level) / 2
    plain = tuple(np.quantile(drawn, [low, high]).tolist())
    farthest = (
        intervals.quantile(drawn, low, CONFIDENCE)[0],
        intervals.quantile(drawn, high, CONFIDENCE)[1],
    )
    return plain, farthest


def _moved(interval: Interval, by: float) -> Interval:
    return interval[0] + by, interval[1] + by


def _literal(
    criterion: Criterion, asked: Estimator, generator: np.random.Generator, redraws: int
) -> Judged:
    """By the value itself: the statement is about every network."""
    wanted = criterion.number or 0.0

    def verdict(columns: Sequence[Columns]) -> Verdict:
        value = asked.value(columns)
        holds = {Less: value < wanted, More: value > wanted, Equal: value == wanted}
        return Verdict.AGREES if holds[type(criterion.relation)] else Verdict.DIFFERS

    columns = asked.samples.columns
    given = verdict(columns)
    chance = _chance(given, verdict, asked, generator, redraws)
    return Judged(given, asked.value(columns), None, chance)


def _counted(
    criterion: Criterion,
    published: Count,
    asked: Estimator,
    generator: np.random.Generator,
    redraws: int,
) -> Judged:
    """By Fisher's exact test against the published count.

    The verdict agrees only if the 90 % interval of the difference of the shares is
    within the tolerance too (Newcombe). Where the total is not printed, it is taken
    to be ours. If a network has several values, both counts are tested as counts of
    networks with the same shares, because its values are not independent.
    """
    counts = asked.counts
    relation = criterion.relation
    tolerance = relation.tolerance if isinstance(relation, About) else 0.0

    def tables(columns: Sequence[Columns]) -> tuple[tuple[int, int], tuple[int, int]]:
        values = columns[0]["y"]
        ours = int(values.sum() if counts else asked.value(columns))
        total = len(values)
        of = total if published.of is None else published.of
        if not counts:
            total = max(total, of)
        count = published.count
        theirs = round((criterion.number or 0.0) * of) if count is None else count
        if counts and asked.samples.clustered:
            share = asked.samples.units / len(values)
            ours, total, theirs, of = (
                round(share * number) for number in (ours, total, theirs, of)
            )
        return (ours, total), (theirs, of)

    def verdict(columns: Sequence[Columns]) -> Verdict:
        ours, theirs = tables(columns)
        if fisher(ours, theirs) < SIGNIFICANCE:
            return Verdict.DIFFERS
        low, high = intervals.share_difference(ours, theirs, EQUIVALENCE)
        within = -tolerance <= low and high <= tolerance
        return Verdict.AGREES if within else Verdict.UNDECIDED

    columns = asked.samples.columns
    ours, theirs = tables(columns)
    given = verdict(columns)
    chance = _chance(given, verdict, asked, generator, redraws)
    wide = intervals.share_difference(ours, theirs, CONFIDENCE)
    value = ours[0] / ours[1] - theirs[0] / theirs[1]
    return Judged(given, value, wide, chance, fisher(ours, theirs))


@lru_cache(maxsize=100_000)
def fisher(ours: tuple[int, int], theirs: tuple[int, int]) -> float:
    """Two-sided p-value of Fisher's exact test of two counts, each (count, of)."""
    table = [[count, of - count] for count, of in (ours, theirs)]
    return float(scipy.stats.fisher_exact(table).pvalue)


def _chance(
    given: Verdict,
    verdict: Callable[[Sequence[Columns]], Verdict],
    asked: Estimator,
    generator: np.random.Generator,
    redraws: int,
) -> float | None:
    if asked.samples.units < 2 or not redraws:
        return None
    same = sum(
        verdict(asked.samples.redraw(generator)) is given for _ in range(redraws)
    )
    share = same / redraws
    return None if math.isnan(share) else share

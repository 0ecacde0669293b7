"""Intervals: against scipy and statsmodels, and how often they cover the truth."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from analysis.published import intervals, matrix

GENERATOR = np.random.default_rng(11)
VALUES = GENERATOR.normal(size=40)
OTHERS = GENERATOR.normal(size=25) + 0.4


def test_ranks_with_ties_are_scipys() -> None:
    x, y = np.round(GENERATOR.normal(size=(2, 60)), 1)
    rho = intervals.rank_correlation(x, y)
    assert rho == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert intervals.rank_correlation(np.zeros(60), y) == 0
    assert intervals.correlation(np.zeros(60), y, 0.95) == (0, 0)


def test_means_are_scipys() -> None:
    low, high = stats.t.interval(0.95, 39, VALUES.mean(), stats.sem(VALUES))
    assert intervals.mean(VALUES, 0.95) == pytest.approx((low, high))
    test = stats.ttest_ind(VALUES, OTHERS, equal_var=False)
    interval = test.confidence_interval(0.9)
    assert intervals.mean_difference(VALUES, OTHERS, 0.9) == pytest.approx(
        (interval.low, interval.high)
    )


@pytest.mark.parametrize(("count", "of"), [(0, 9), (3, 490), (18, 490), (9, 9)])
def test_shares_are_scipys(count: int, of: int) -> None:
    known = stats.binomtest(count, of).proportion_ci(0.95, method="exact")
    assert intervals.share(count, of, 0.95) == pytest.approx((known.low, known.high))


def test_differences_of_shares_are_newcombes() -> None:
    """56 of 70 against 48 of 80: 0.0524 to 0.3339 (Newcombe 1998, table II, a)."""
    low, high = intervals.share_difference((56, 70), (48, 80), 0.95)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    known = confint_proportions_2indep(18, 490, 3, 490, method="newcomb", alpha=0.1)
    assert intervals.share_difference((18, 490), (3, 490), 0.9) == pytest.approx(known)


def test_the_median_is_between_order_statistics() -> None:
    """With n = 20 the interval is from the 6th to the 15th value (any textbook)."""
    assert intervals.median(np.arange(1.0, 21), 0.95) == (6, 15)
    assert intervals.median(np.arange(6.0), 0.95) == (0, 5)


@pytest.mark.parametrize(
    ("kind", "samples", "needs"),
    [
        ("median", (np.arange(5.0),), 6),
        ("signed_ranks", (np.arange(5.0),), 6),
        ("mean", (np.arange(1.0),), 2),
        ("rank_sums", (np.arange(3.0), np.arange(3.0)), 4),
    ],
)
def test_too_few_values_say_how_many_would_do(
    kind: str, samples: tuple[np.ndarray, ...], needs: int
) -> None:
    interval = getattr(intervals, kind)
    with pytest.raises(intervals.TooFewError) as told:
        interval(*samples, 0.95)
    assert told.value.needs == needs
    enough = [np.arange(float(needs))] * len(samples)
    low, high = interval(*enough, 0.95)
    assert low < high


def test_rank_tests_agree_with_their_intervals() -> None:
    """A shift by an end of the interval is where the test's p crosses 0.05."""
    ends = intervals.rank_sums(VALUES, OTHERS, 0.95)
    for shift, inside in around(ends):
        p = stats.mannwhitneyu(VALUES - shift, OTHERS).pvalue
        assert bool(p >= 0.05) is inside, shift
    ends = intervals.signed_ranks(VALUES, 0.95)
    for shift, inside in around(ends):
        assert bool(stats.wilcoxon(VALUES - shift).pvalue >= 0.05) is inside, shift


def around(ends: tuple[float, float]) -> list[tuple[float, bool]]:
    """Shifts just outside and inside an interval, and whether they are inside."""
    low, high = ends
    outside = [(low - 0.03, False), (high + 0.03, False)]
    return [*outside, (low + 0.06, True), (high - 0.06, True)]


def test_too_few_values_have_no_interval() -> None:
    with pytest.raises(ValueError, match="needs at least"):
        intervals.signed_ranks(VALUES[:5], 0.95)
    with pytest.raises(ValueError, match="needs at least"):
        intervals.rank_sums(VALUES[:3], OTHERS[:3], 0.95)
    with pytest.raises(ValueError, match="needs at least"):
        intervals.mean(VALUES[:1], 0.95)
    with pytest.raises(ValueError, match="needs at least"):
        intervals.correlation(VALUES[:3], OTHERS[:3], 0.95)


def covered(level: float, kind: str, rounds: int = 400, n: int = 30) -> float:
    """Share of intervals that have the true value in them."""
    generator = np.random.default_rng(5)
    hits = 0
    for _ in range(rounds):
        x = generator.normal(size=n)
        if kind == "correlation":
            y = 0.6 * x + 0.8 * generator.normal(size=n)
            truth = 6 / math.pi * math.asin(0.6 / 2)
            low, high = intervals.correlation(x, y, level)
        elif kind == "rank_sums":
            truth = 0.5
            low, high = intervals.rank_sums(x + 0.5, generator.normal(size=20), level)
        elif kind == "share":
            truth = 0.3
            low, high = intervals.share(int(generator.binomial(n, 0.3)), n, level)
        else:
            truth = 0.0
            low, high = getattr(intervals, kind)(x, level)
        hits += low <= truth <= high
    return hits / rounds


@pytest.mark.parametrize(
    "kind", ["correlation", "rank_sums", "share", "median", "mean", "signed_ranks"]
)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_an_interval_covers_the_truth_as_often_as_it_says(
    kind: str, level: float
) -> None:
    part = covered(level, kind)
    assert level - 0.035 <= part <= min(1, level + 0.075)


def test_holm_is_statsmodels() -> None:
    p_values = [0.001, 0.04, 0.03, 0.005, 0.5, 0.03]
    known = multipletests(p_values, method="holm")[1]
    assert matrix.holm(p_values) == pytest.approx(known.tolist())
    assert matrix.holm([]) == []

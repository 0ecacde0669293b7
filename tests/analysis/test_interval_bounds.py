"""Intervals of the fewest values that have one, and their ends by second forms."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy import special, stats

from analysis.published import intervals

X = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
Y = np.array([2.0, 1.0, 4.0, 3.0, 7.0, 5.0, 6.0, 8.0])


def test_a_correlation_by_the_formula_of_bonett_and_wright() -> None:
    rho = stats.spearmanr(X, Y).statistic
    error = math.sqrt((1 + rho**2 / 2) / (8 - 3))
    for level in (0.9, 0.95):
        z = stats.norm.ppf((1 + level) / 2)
        ends = [math.tanh(math.atanh(rho) + s * z * error) for s in (-1, 1)]
        assert intervals.correlation(X, Y, level) == pytest.approx(tuple(ends))
    four = intervals.correlation(X[:4], Y[:4], 0.95)
    assert four[0] < 0.6 < four[1]
    with pytest.raises(ValueError, match="3 values; the interval needs at least 4"):
        intervals.correlation(X[:3], Y[:3], 0.95)


def test_a_perfect_or_constant_correlation_has_no_width() -> None:
    assert intervals.correlation(X, X**3, 0.95) == (1, 1)
    assert intervals.correlation(X, -X, 0.95) == (-1, -1)
    assert intervals.correlation(X, 0 * X, 0.95) == (0, 0)
    assert intervals.correlation(0 * X, X, 0.95) == (0, 0)
    assert intervals.rank_correlation(X, 0 * X) == 0
    assert intervals.rank_correlation(0 * X, X) == 0
    assert intervals.rank_correlation(X, X) == 1


@pytest.mark.parametrize("n", [6, 8, 9, 17, 40])
def test_the_median_s_ends_are_the_narrowest_that_cover_it(n: int) -> None:
    values = np.arange(1.0, n + 1)
    low, high = intervals.median(values, 0.95)
    assert low + high == n + 1
    outside = sum(math.comb(n, k) for k in range(int(low))) / 2**n
    assert outside < 0.025 <= outside + math.comb(n, int(low)) / 2**n


def test_six_values_are_the_fewest_with_order_statistics() -> None:
    values = np.array([9.0, 1.0, 2.0, 4.0, 8.0, 3.0])
    assert intervals.median(values, 0.95) == (1, 9)
    assert intervals.median(values[:5], 0.9) == (1, 9)


@pytest.mark.parametrize(
    ("n", "q"),
    [
        *((100, 0.05), (100, 0.95), (72, 0.05), (73, 0.05), (30, 0.95), (20, 0.5)),
        *((50, 0.05), (50, 0.95)),
    ],
)
def test_a_quantile_is_between_order_statistics(n: int, q: float) -> None:
    """The narrowest ends beyond which the quantile is with 2.5 % at most, each."""
    below = [float(stats.binom.cdf(k, n, q)) for k in range(-1, n + 1)]
    low = max(rank for rank in range(n + 1) if below[rank] < 0.025)
    high = min(rank for rank in range(1, n + 2) if below[rank] >= 0.975)
    wanted = (low if low >= 1 else -math.inf, high if high <= n else math.inf)
    assert intervals.quantile(np.arange(1.0, n + 1), q, 0.95) == wanted


def test_means_of_two_values() -> None:
    reach = stats.t.ppf(0.975, 1) * 1.0
    assert intervals.mean(np.array([3.0, 5.0]), 0.95) == pytest.approx(
        (4 - reach, 4 + reach)
    )
    one, other = np.array([3.0, 5.0]), np.array([1.0, 1.0])
    test = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    wide = (test.low, test.high)
    assert intervals.mean_difference(one, other, 0.95) == pytest.approx(wide)
    same = intervals.mean_difference(np.array([3.0, 3.0]), other, 0.95)
    assert same == (2, 2)
    for few in ((one[:1], other), (one, other[:1])):
        with pytest.raises(ValueError, match="1 values; the interval needs at least 2"):
            intervals.mean_difference(*few, 0.95)


def test_samples_without_variance_differ_by_one_number() -> None:
    """The variance of equal floats is not always 0, so this is no case of Welch's."""
    one, other = np.array([0.1, 0.1, 0.1]), np.array([0.7, 0.7, 0.7])
    assert intervals.mean_difference(one, other, 0.95) == (0.1 - 0.7, 0.1 - 0.7)
    wide = np.array([3.0, 4.0, 3.5])
    for first, second in ((one, wide), (wide, one), (wide, wide + 1)):
        test = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
        found = intervals.mean_difference(first, second, 0.95)
        assert found == pytest.approx((test.low, test.high))
        assert found[0] < found[1]


@pytest.mark.parametrize(("m", "n"), [(2, 3), (3, 2)])
def test_the_smaller_sample_is_the_one_that_is_too_small(m: int, n: int) -> None:
    """With 4 and 4 values, 1 - 2/70 of all orders are within the range."""
    with pytest.raises(intervals.TooFewError) as caught:
        intervals.rank_sums(X[:m], Y[:n], 0.95)
    assert caught.value.needs == 4
    assert str(caught.value).startswith("2 values; the interval needs at least 4")


@pytest.mark.parametrize("n", [6, 7, 12, 25])
def test_the_ends_of_signed_ranks(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    averages = sorted(
        (a + b) / 2 for a, b in combinations_with_replacement(values.tolist(), 2)
    )
    centre = n * (n + 1) / 4
    error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    low = max(math.floor(centre - 1.959963984540054 * error) - 1, 0)
    found = intervals.signed_ranks(values, 0.95)
    assert found == pytest.approx((averages[low], averages[-1 - low]))


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 6), (10, 7), (30, 20)])
def test_the_ends_of_rank_sums(m: int, n: int) -> None:
    generator = np.random.default_rng(m)
    one, other = generator.normal(size=m), generator.normal(size=n)
    differences = sorted(a - b for a in one.tolist() for b in other.tolist())
    error = math.sqrt(m * n * (m + n + 1) / 12)
    low = max(math.floor(m * n / 2 - 1.959963984540054 * error) - 1, 0)
    found = intervals.rank_sums(one, other, 0.95)
    assert found == pytest.approx((differences[low], differences[-1 - low]))


def test_the_fewest_values_whose_range_covers_enough() -> None:
    """Of 2^n signs, or of all orders, two are the most extreme ones."""
    assert intervals.signed_ranks(X[:6], 0.95)  # 1 - 2/64 = 0.969
    with pytest.raises(ValueError, match=r"too few|needs at least"):
        intervals.signed_ranks(X[:5], 0.95)  # 1 - 2/32 = 0.9375
    assert intervals.signed_ranks(X[:5], 0.9375)
    assert intervals.rank_sums(X[:3], Y[:3], 0.9)  # 1 - 2/20 = 0.9
    with pytest.raises(ValueError, match=r"too few|needs at least"):
        intervals.rank_sums(X[:3], Y[:3], 0.901)


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (0, 5), (1, 5), (5, 5)])
def test_shares_at_their_ends(count: int, of: int) -> None:
    known = stats.binomtest(count, of).proportion_ci(0.9, method="exact")
    found = intervals.share(count, of, 0.9)
    assert found == pytest.approx((known.low, known.high))
    with pytest.raises(ValueError, match="0 values; the interval needs at least 1"):
        intervals.share(0, 0, 0.9)


@pytest.mark.parametrize("chance", [0.1, 0.25, 0.5, 0.7])
def test_a_quantile_of_counts_is_the_least_that_reaches_its_part(chance: float) -> None:
    """The part is that of a count exactly, so that rounding could give the next one."""
    for n in range(1, 40):
        reached = [float(special.bdtr(k, n, chance)) for k in range(n + 1)]
        for part in reached:
            if 0 < part < 1:
                least = next(k for k in range(n + 1) if reached[k] >= part)
                assert intervals._binomial(n, part, chance) == least

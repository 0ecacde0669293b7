"""Confidence intervals of the statistics that published statements are judged by.

Every function returns the lower and upper end, or raises TooFewError if there are too
few values. Values are independent: one per network, or per repetition of a single
network. `level` is the confidence, 0 to 1. The tests compare each interval with
scipy's or statsmodels' where these have it, and count how often it covers the truth.

[1] D. G. Bonett, T. A. Wright, "Sample size requirements for estimating Pearson,
    Kendall and Spearman correlations", Psychometrika 65(1), 2000, eq. 4.
[2] M. Hollander, D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods", 3rd
    ed., 2014, sec. 3.3 (signed ranks), 3.6 (sign test) and 4.3 (rank sums).
[3] R. G. Newcombe, "Interval estimation for the difference between independent
    proportions", Statistics in Medicine 17, 1998, method 10.
"""

import math
from functools import lru_cache
from itertools import count as numbers_from

import numpy as np

from analysis import late_scipy as scipy
from analysis.campaign.sample_sizes import least_values

Interval = tuple[float, float]
LEAST_PAIRS = 4


class TooFewError(ValueError):
    """So few values have no such interval. needs : how many have one"""

    def __init__(self, count: int, needs: int) -> None:
        super().__init__(f"{count} values; the interval needs at least {needs}")
        self.needs = needs


def correlation(x: np.ndarray, y: np.ndarray, level: float) -> Interval:
    """Of Spearman's rank correlation, by Fisher's z with the variance of [1].

    A constant x or y has no correlation: the interval is 0 to 0.
    """
    _need(len(x), LEAST_PAIRS)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0, 0.0
    rho = rank_correlation(x, y)
    if abs(rho) >= 1:
        return rho, rho
    error = math.sqrt((1 + rho**2 / 2) / (len(x) - 3))
    reach = _normal(level) * error
    z = math.atanh(rho)
    return math.tanh(z - reach), math.tanh(z + reach)


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's rank correlation; 0 if x or y is constant."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    a, b = (_ranks(values) for values in (x, y))
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1, 1))


def _ranks(values: np.ndarray) -> np.ndarray:
    """The average rank of each value; scipy's rankdata is ten times as slow."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ends = np.r_[starts[1:], len(values)]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return ranks


@lru_cache
def _normal(level: float) -> float:
    return float(scipy.special.ndtri((1 + level) / 2))


@lru_cache
def _student(level: float, freedom: int) -> float:
    return float(scipy.special.stdtrit(freedom, (1 + level) / 2))


def _binomial(n: int, p: float, chance: float) -> int:
    """The p-quantile of a binomial distribution: the least k with P(X <= k) >= p.

    scipy.stats has it too, and takes longer to load than a report takes.
    """
    k = math.ceil(float(scipy.special.bdtrik(p, n, chance)))
    below = max(k - 1, 0)
    reached = bool(scipy.special.bdtr(below, n, chance) >= p)
    return below if reached else k


def median(values: np.ndarray, level: float) -> Interval:
    """Of the median, by order statistics, for any distribution ([2], 3.6).

    An interval of 95 % needs six values: the range of fewer misses the median too
    often.
    """
    below = _ranks_below(len(values), level)
    if below < 1:
        raise TooFewError(len(values), least_values(level))
    ordered = np.sort(values)
    return float(ordered[below - 1]), float(ordered[len(ordered) - below])


@lru_cache
def _ranks_below(n: int, level: float) -> int:
    """The rank, from 1, of the interval's lower end; 0 where there is none."""
    return _binomial(n, (1 - level) / 2, 0.5)


def quantile(values: np.ndarray, q: float, level: float) -> Interval:
    """Of a quantile, by order statistics, for any distribution ([2], 3.6).

    q : 0 to 1. An end beyond the values is infinite: so few values do not bound it.
    """
    low, high = _quantile_ranks(len(values), q, level)
    ordered = np.sort(values)
    return (
        float(ordered[low - 1]) if low >= 1 else -math.inf,
        float(ordered[high - 1]) if high <= len(ordered) else math.inf,
    )


@lru_cache
def _quantile_ranks(n: int, q: float, level: float) -> tuple[int, int]:
    """The ranks, from 1, of both ends; below 1 or above n where there is none."""
    low, high = (_binomial(n, p, q) for p in ((1 - level) / 2, (1 + level) / 2))
    return low, high + 1


def mean(values: np.ndarray, level: float) -> Interval:
    """Of the mean, by Student's t."""
    _need(len(values), 2)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    reach = _student(level, len(values) - 1) * error
    middle = float(np.mean(values))
    return middle - reach, middle + reach


def mean_difference(one: np.ndarray, other: np.ndarray, level: float) -> Interval:
    """Of the difference of two means, by Welch's t."""
    _need(min(len(one), len(other)), 2)
    if np.ptp(one) == 0 and np.ptp(other) == 0:
        difference = float(one[0] - other[0])
        return difference, difference
    test = scipy.stats.ttest_ind(one, other, equal_var=False)
    low, high = test.confidence_interval(level)
    return float(low), float(high)


def signed_ranks(differences: np.ndarray, level: float) -> Interval:
    """Of the centre of differences, by Wilcoxon's signed ranks ([2], 3.3).

    The ends are order statistics of the averages of all pairs, at the ranks of the
    normal approximation.
    """
    n = len(differences)
    _need(n, least_values(level))
    first, second = np.triu_indices(n)
    averages = (differences[first] + differences[second]) / 2
    centre, error = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return _ranked(averages, centre, error, level)


def rank_sums(one: np.ndarray, other: np.ndarray, level: float) -> Interval:
    """Of the shift between two samples, by the Mann-Whitney test ([2], 4.3)."""
    m, n = len(one), len(other)
    if not _covers(m, n, level):
        least = next(n for n in numbers_from(1) if _covers(n, n, level))
        raise TooFewError(min(m, n), least)
    differences = np.subtract.outer(one, other).ravel()
    error = math.sqrt(m * n * (m + n + 1) / 12)
    return _ranked(differences, m * n / 2, error, level)


def _ranked(values: np.ndarray, centre: float, error: float, level: float) -> Interval:
    reach = _normal(level) * error
    low = max(math.floor(centre - reach) - 1, 0)
    high = len(values) - 1 - low
    ordered = np.partition(values, (low, high))
    return float(ordered[low]), float(ordered[high])


@lru_cache(maxsize=100_000)
def share(count: int, of: int, level: float) -> Interval:
    """Of a share, by Clopper and Pearson; exact."""
    _need(of, 1)
    tail = (1 - level) / 2
    low = scipy.special.betaincinv(count, of - count + 1, tail) if count else 0.0
    high = (
        scipy.special.betaincinv(count + 1, of - count, 1 - tail) if count < of else 1.0
    )
    return float(low), float(high)


@lru_cache(maxsize=100_000)
def share_difference(
    one: tuple[int, int], other: tuple[int, int], level: float
) -> Interval:
    """Of the difference of two shares, each (count, of); Newcombe's method 10 [3]."""
    shares = [count / of for count, of in (one, other)]
    (low1, high1), (low2, high2) = (
        scipy.stats.binomtest(count, of).proportion_ci(level, method="wilson")
        for count, of in (one, other)
    )
    difference = shares[0] - shares[1]
    below = math.hypot(shares[0] - low1, high2 - shares[1])
    above = math.hypot(high1 - shares[0], shares[1] - low2)
    return difference - below, difference + above


@lru_cache
def _covers(m: int, n: int, level: float) -> bool:
    """Whether the range of all differences of two samples covers at least `level`.

    Without an effect, all orders of the values are equally likely.
    """
    return 1 - 2 / math.comb(m + n, m) >= level


def _need(count: int, least: int) -> None:
    if count < least:
        raise TooFewError(count, least)

"""Bootstrap confidence intervals of a statistic of one sample.

    low, high = interval(values, np.median, np.random.default_rng(1), 1000, 0.95, "BCa")

The same numbers as `scipy.stats.bootstrap`, draw for draw and up to rounding, of which
this is the case that reports need: loading any of scipy takes longer than all intervals
of a page.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Method = Literal["BCa", "percentile"]
Values = NDArray[np.float64]
Statistic = Callable[..., np.floating]
NORMAL = NormalDist()


def interval(
    values: Values,
    statistic: Statistic,
    rng: np.random.Generator,
    resamples: int,
    confidence: float,
    method: Method,
) -> tuple[float, float]:
    """Lower and upper end; NaN where the method is not defined.

    values : shape (n,), n >= 2
    statistic : such as np.mean, with the keyword `axis`
    resamples : how many samples are drawn with replacement
    confidence : level of the interval, above 0 and below 1
    method : bias-corrected and accelerated ([1], 14.3), or percentiles

    [1] B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1994.
    """
    n = len(values)
    drawn = values[rng.integers(0, high=n, size=(resamples, n))]
    found = np.asarray(statistic(drawn, axis=-1), dtype=np.float64)
    alpha = (1 - confidence) / 2
    ends = alpha, 1 - alpha
    if method == "BCa":
        ends = _corrected(values, statistic, found, alpha)
    ordered = np.sort(found)
    return _quantile(ordered, ends[0]), _quantile(ordered, ends[1])


def _corrected(
    values: Values, statistic: Statistic, found: Values, alpha: float
) -> tuple[float, float]:
    """The levels of the ends, moved by bias z0 and acceleration a ([1], eq. 14.10)."""
    estimate = statistic(values)
    below = np.count_nonzero(found < estimate) + np.count_nonzero(found <= estimate)
    z0 = _deviate(below / (2 * len(found)))
    n = len(values)
    others = np.broadcast_to(np.arange(n), (n, n))[~np.eye(n, dtype=bool)]
    left_out = np.asarray(statistic(values[others.reshape(n, n - 1)], axis=-1))
    u = (n - 1.0) * (np.mean(left_out) - left_out)
    a = 1 / 6 * (np.sum(u**3) / n**3) / (np.sum(u**2) / n**2) ** (3 / 2)
    z = NORMAL.inv_cdf(alpha)
    low, high = z0 + z, z0 - z
    return (
        NORMAL.cdf(float(z0 + low / (1 - a * low))),
        NORMAL.cdf(float(z0 + high / (1 - a * high))),
    )


def _deviate(p: float) -> float:
    """The standard normal deviate below which a share p lies; infinite at 0 and 1."""
    if 0 < p < 1:
        return NORMAL.inv_cdf(p)
    return math.inf if p else -math.inf


def _quantile(ordered: Values, p: float) -> float:
    """The p-quantile by linear interpolation between order statistics."""
    if math.isnan(p):
        return math.nan
    n = len(ordered)
    place = p * n + (1 - p)
    first, part = int(place // 1) - 1, place % 1
    if first < 0:
        part = 0.0
    low, high = (min(max(rank, 0), n - 1) for rank in (first, first + 1))
    return float((1 - part) * ordered[low] + part * ordered[high])

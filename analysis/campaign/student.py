"""Quantiles of Student's t distribution.

[1] M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 26.7.3 and
    26.7.4: the distribution of a whole number of degrees of freedom as a finite sum.
"""

import math
from functools import lru_cache

_MOST_STEPS = 100


@lru_cache
def quantile(freedom: int, p: float) -> float:
    """The value that a share `p` of Student's t distribution is below.

    freedom : degrees of freedom, at least 1
    p : above 0 and below 1

    Newton's method, kept between bounds. From 90 % on, the value is right to 1e-12 of
    itself up to some ten thousand degrees of freedom.
    """
    if freedom < 1 or not 0 < p < 1:
        raise ValueError(f"{freedom} degrees of freedom, share {p:g}")
    if p < 0.5:
        return -quantile(freedom, 1 - p)
    inside = 2 * p - 1
    low, high = 0.0, 1.0
    while within(high, freedom) < inside:
        low, high = high, 2 * high
    value = (low + high) / 2
    for _ in range(_MOST_STEPS):
        miss = within(value, freedom) - inside
        low, high = (low, value) if miss > 0 else (value, high)
        step = miss / (2 * _density(value, freedom))
        nearer = value - step
        if not low <= nearer <= high:
            nearer = (low + high) / 2
        if abs(nearer - value) <= 4e-16 * value:
            break
        value = nearer
    return nearer


def within(value: float, freedom: int) -> float:
    """The share of the distribution that is within `value` on either side of 0 [1]."""
    angle = math.atan(value / math.sqrt(freedom))
    cosine2 = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    terms = [term] if freedom > 1 else []
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine2 * (k - 1) / k
        terms.append(term)
    total = math.sin(angle) * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total


def _density(value: float, freedom: int) -> float:
    half = (freedom + 1) / 2
    scale = math.lgamma(half) - math.lgamma(freedom / 2)
    falls = half * math.log1p(value * value / freedom)
    return math.exp(scale - falls) / math.sqrt(freedom * math.pi)

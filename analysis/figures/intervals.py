"""Confidence intervals of figures."""

import numpy as np

from analysis.campaign import student


def mean_interval(values: np.ndarray, confidence: float = 0.95) -> tuple[float, float]:
    """The mean of independent values, and half the width of its confidence interval.

    values : shape (n,), n at least 1
    confidence : between 0 and 1

    The interval is Student's: s / sqrt(n) times the quantile of t with n - 1 degrees
    of freedom. Of a single value the half width is NaN.
    """
    count = len(values)
    mean = float(np.mean(values))
    if count < 2:
        return mean, float("nan")
    quantile = student.quantile(count - 1, 0.5 + confidence / 2)
    return mean, quantile * float(np.std(values, ddof=1)) / count**0.5

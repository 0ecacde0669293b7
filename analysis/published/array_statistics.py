"""Each statistic as a function of columns of arrays, with its confidence interval.

tests/analysis/test_judging.py compares each with the statistic that pages print
(analysis.published.statistics and two_sample).
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from analysis.campaign import batches
from analysis.published import intervals
from analysis.published.intervals import Interval
from analysis.published.samples import Columns

Estimate = Callable[[Sequence[Columns]], float]
IntervalOf = Callable[[Sequence[Columns], float], Interval]


def of_y(
    function: Callable[[np.ndarray, float], Interval],
) -> Callable[[Columns, float], Interval]:
    return lambda columns, level: function(columns["y"], level)


def median(columns: Columns) -> float:
    return float(np.median(columns["y"]))


def share(columns: Columns) -> float:
    return float(columns["y"].mean())


def share_interval(columns: Columns, level: float) -> Interval:
    return intervals.share(int(columns["y"].sum()), len(columns["y"]), level)


def _correlation(columns: Columns) -> float:
    return intervals.rank_correlation(columns["x"], columns["y"])


def _stronger(columns: Columns) -> float:
    own, other = (
        intervals.rank_correlation(columns[name], columns["y"]) for name in ("x", "z")
    )
    return abs(own) - abs(other)


def _imbalance(columns: Columns) -> float:
    return float(np.median(np.abs(columns["y"] - 0.5)))


def _spread(columns: Columns) -> float:
    low, high = np.quantile(columns["y"], [0.25, 0.75])
    return float(high - low)


def _fall(columns: Columns) -> float:
    x, y = pd.Series(columns["x"]), pd.Series(columns["y"])
    filled = [part for part in batches.groups(x, y, batches.edges(x)) if len(part)]
    return float(np.median(filled[0]) - np.median(filled[-1]))


def _outliers(columns: Columns) -> float:
    y = columns["y"]
    low, high = np.quantile(y, [0.25, 0.75])
    reach = 1.5 * (high - low)
    return float(((y < low - reach) | (y > high + reach)).sum())


def _sides(columns: Columns) -> tuple[np.ndarray, np.ndarray]:
    return columns["y"][columns["best"] == 1], columns["y"][columns["best"] == 0]


def _first_path(columns: Columns) -> float:
    best, worst = _sides(columns)
    if not len(best) or not len(worst):
        return float("nan")
    return float(np.median(best) - np.median(worst))


def _uniformity(columns: Columns) -> float:
    return max(_distance(values) for values in columns.values())


def _distance(values: np.ndarray) -> float:
    """Kolmogorov and Smirnov's distance from the uniform distribution on [0, 1]."""
    ordered, n = np.sort(values), len(values)
    steps = np.arange(n + 1) / n
    return float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))


def _uniformity_interval(columns: Columns, level: float) -> Interval:
    """The largest distance, and the reach of Dvoretzky, Kiefer and Wolfowitz's bound.

    The bound holds for each factor; Bonferroni's correction makes it hold for all.
    """
    n = min(len(values) for values in columns.values())
    reach = float(np.sqrt(np.log(2 * len(columns) / (1 - level)) / (2 * n)))
    worst = _uniformity(columns)
    return max(worst - reach, 0.0), worst + reach


def _shift(columns: Sequence[Columns]) -> float:
    return float(np.median(columns[0]["y"]) - np.median(columns[1]["y"]))


def _mirrored(columns: Sequence[Columns]) -> float:
    one, other = np.sort(columns[0]["y"]), np.sort(1 - columns[1]["y"])
    every = np.concatenate([one, other])
    parts = (
        np.searchsorted(values, every, side="right") / len(values)
        for values in (one, other)
    )
    return float(np.abs(np.subtract(*parts)).max())


def _mirrored_interval(columns: Sequence[Columns], level: float) -> Interval:
    """The largest distance with Kolmogorov and Smirnov's asymptotic band."""
    m, n = len(columns[0]["y"]), len(columns[1]["y"])
    reach = float(np.sqrt(-np.log((1 - level) / 2) / 2 * (m + n) / (m * n)))
    distance = _mirrored(columns)
    return max(distance - reach, 0.0), distance + reach


def _p5_difference(columns: Sequence[Columns]) -> float:
    one, other = (float(np.quantile(part["y"], 0.05)) for part in columns)
    return one - other


def _mean_difference(columns: Sequence[Columns]) -> float:
    return float(columns[0]["y"].mean() - columns[1]["y"].mean())


def _mean_ratio(columns: Sequence[Columns]) -> float:
    other = float(columns[1]["y"].mean())
    return float(columns[0]["y"].mean()) / other if other else float("nan")


def _of_both(
    function: Callable[[np.ndarray, np.ndarray, float], Interval],
) -> IntervalOf:
    return lambda columns, level: function(columns[0]["y"], columns[1]["y"], level)


VALUES: dict[str, Callable[[Columns], float]] = {
    "trend": _correlation,
    "signed_trend": _correlation,
    "main_factor": _stronger,
    "main_signed_factor": _stronger,
    "imbalance": _imbalance,
    "median": median,
    "median_distance": lambda columns: abs(median(columns)),
    "mean": lambda columns: float(columns["y"].mean()),
    "rms": lambda columns: float(np.sqrt(np.mean(np.square(columns["y"])))),
    "spread": _spread,
    "part_above": share,
    "part_below": share,
    "part_within": share,
    "part_beyond": share,
    "weaker_path": share,
    "maximum": lambda columns: float(columns["y"].max()),
    "fall": _fall,
    "outliers": _outliers,
    "first_path": _first_path,
    "first_path_used": _first_path,
    "uniformity": _uniformity,
}
COUNTS = ("part_above", "part_below", "part_within", "part_beyond", "weaker_path")
INTERVALS: dict[str, Callable[[Columns, float], Interval]] = {
    "trend": lambda c, level: intervals.correlation(c["x"], c["y"], level),
    "signed_trend": lambda c, level: intervals.correlation(c["x"], c["y"], level),
    "median": of_y(intervals.median),
    "mean": of_y(intervals.mean),
    "part_above": share_interval,
    "part_below": share_interval,
    "part_within": share_interval,
    "part_beyond": share_interval,
    "weaker_path": share_interval,
    "first_path": lambda c, level: intervals.rank_sums(*_sides(c), level),
    "first_path_used": lambda c, level: intervals.rank_sums(*_sides(c), level),
    "uniformity": _uniformity_interval,
}
TWO_SAMPLES: dict[str, tuple[Estimate, IntervalOf | None]] = {
    "shift": (_shift, _of_both(intervals.rank_sums)),
    "mean_ratio": (_mean_ratio, None),
    "mirrored": (_mirrored, _mirrored_interval),
    "mean_difference": (_mean_difference, _of_both(intervals.mean_difference)),
    "p5_difference": (_p5_difference, None),
}
RATIOS: dict[
    str, tuple[Callable[[Columns], float], Callable[[Columns, float], Interval]]
] = {
    "ratio_mean": (VALUES["mean"], INTERVALS["mean"]),
    "ratio_median": (median, INTERVALS["median"]),
    "ratio_p5": (
        lambda columns: float(np.quantile(columns["y"], 0.05)),
        lambda c, level: intervals.quantile(c["y"], 0.05, level),
    ),
    "ratio_p95": (
        lambda columns: float(np.quantile(columns["y"], 0.95)),
        lambda c, level: intervals.quantile(c["y"], 0.95, level),
    ),
    "ratio_trend": (_correlation, INTERVALS["trend"]),
}

"""What can be asked of a case's rows, to set it beside a published statement.

Each statistic takes the rows that are ok and gives a Finding. `trend` and the
others that test something do so at the level SIGNIFICANCE; the tests are scipy's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from analysis.campaign import batches

SIGNIFICANCE = 0.05
LEAST_POINTS = 3


@dataclass(frozen=True)
class Question:
    """metric, criterion : columns; above, up_to : a batch of |criterion|, or None.

    factors : columns that the design varies
    threshold : of `part_above` and `part_below`
    """

    metric: str
    criterion: str
    above: float | None
    up_to: float | None
    factors: tuple[str, ...]
    threshold: float = 0.0


@dataclass(frozen=True)
class Finding:
    """value : to compare; text : as people read it; n : rows behind it.

    p : of the test, where the statistic is one
    """

    value: float
    text: str
    n: int
    p: float | None = None


Statistic = Callable[[pd.DataFrame, Question], Finding]


def points(rows: pd.DataFrame, question: Question) -> Finding:
    """How many design points have a row."""
    count = rows["point"].nunique()
    return Finding(count, str(count), len(rows))


def uniformity(rows: pd.DataFrame, question: Question) -> Finding:
    """Whether any factor's spread differs from an even one: Kolmogorov-Smirnov
    against the uniform distribution between its extremes, Bonferroni's correction."""
    unique = rows.drop_duplicates("point")
    tests = []
    for factor in question.factors:
        values = unique[factor].dropna().to_numpy(float)
        width = np.ptp(values) if len(values) else 0.0
        if width > 0:
            tests.append(stats.kstest((values - values.min()) / width, "uniform"))
    need(len(tests), 1, "factors with several values")
    p = min(1.0, min(float(test.pvalue) for test in tests) * len(tests))
    worst = max(float(test.statistic) for test in tests)
    return Finding(
        worst, f"largest distance {worst:.2f}, p {p_text(p)}", len(unique), p
    )


def trend(rows: pd.DataFrame, question: Question) -> Finding:
    """Spearman's rank correlation of the metric with |criterion|."""
    found = _pairs(rows, question)
    need(len(found), LEAST_POINTS, "rows")
    if found["x"].nunique() == 1 or found["y"].nunique() == 1:
        return Finding(0.0, "constant", len(found), 1.0)
    test = stats.spearmanr(found["x"], found["y"])
    rho, p = float(test.statistic), float(test.pvalue)
    return Finding(rho, f"rank correlation {rho:+.2f}, p {p_text(p)}", len(found), p)


def signed_trend(rows: pd.DataFrame, question: Question) -> Finding:
    """Spearman's rank correlation of the metric with the criterion and its sign."""
    known = rows[[question.criterion, question.metric]].astype(float).dropna()
    need(len(known), LEAST_POINTS, "rows")
    test = stats.spearmanr(known[question.criterion], known[question.metric])
    rho, p = float(test.statistic), float(test.pvalue)
    return Finding(rho, f"rank correlation {rho:+.2f}, p {p_text(p)}", len(known), p)


def median(rows: pd.DataFrame, question: Question) -> Finding:
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value = float(found["y"].median())
    return Finding(value, f"median {value:.3g}", len(found))


def median_distance(rows: pd.DataFrame, question: Question) -> Finding:
    """How far the median is from 0, to either side; the text has its sign."""
    found = median(rows, question)
    return Finding(abs(found.value), found.text, found.n)


def mean(rows: pd.DataFrame, question: Question) -> Finding:
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value = float(found["y"].mean())
    return Finding(value, f"mean {value:.3g}", len(found))


def rms(rows: pd.DataFrame, question: Question) -> Finding:
    """Root of the mean square: of errors, the root-mean-square error."""
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value = float(np.sqrt(np.mean(np.square(found["y"]))))
    return Finding(value, f"{value:.2f}", len(found))


def spread(rows: pd.DataFrame, question: Question) -> Finding:
    """Range between the quartiles."""
    found = _pairs(rows, question)
    need(len(found), LEAST_POINTS, "rows in the batch")
    low, high = np.quantile(found["y"], [0.25, 0.75])
    value = float(high - low)
    return Finding(value, f"between the quartiles {value:.2g}", len(found))


def part_above(rows: pd.DataFrame, question: Question) -> Finding:
    """Part of the rows whose metric is above the threshold."""
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value = float((found["y"] > question.threshold).mean())
    return Finding(value, f"{value:.0%} above {question.threshold:g}", len(found))


def part_below(rows: pd.DataFrame, question: Question) -> Finding:
    """Part of the rows whose metric is below the threshold."""
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value = float((found["y"] < question.threshold).mean())
    return Finding(value, f"{value:.0%} below {question.threshold:g}", len(found))


def maximum(rows: pd.DataFrame, question: Question) -> Finding:
    found = _pairs(rows, question)
    need(len(found), 1, "rows in the batch")
    value, below = float(found["y"].max()), int((found["y"] < 0).sum())
    text = f"largest {value:.2f}, {below} of {len(found)} below 0"
    return Finding(value, text, len(found))


def fall(rows: pd.DataFrame, question: Question) -> Finding:
    """Median of the first batch of |criterion| less that of the last."""
    found = _pairs(rows, question)
    need(len(found), LEAST_POINTS, "rows")
    groups = batches.groups(found["x"], found["y"], batches.edges(found["x"]))
    filled = [group for group in groups if len(group)]
    value = float(np.median(filled[0]) - np.median(filled[-1]))
    return Finding(value, f"median falls by {value:.2f}", len(found))


def outliers(rows: pd.DataFrame, question: Question) -> Finding:
    """Rows of the batch beyond 1.5 interquartile ranges from its quartiles."""
    found = _pairs(rows, question)
    need(len(found), LEAST_POINTS, "rows in the batch")
    low, high = np.quantile(found["y"], [0.25, 0.75])
    reach = 1.5 * (high - low)
    outside = found[(found["y"] < low - reach) | (found["y"] > high + reach)]
    text = f"{len(outside)} outliers"
    queues = [name for name in rows.columns if name.endswith(".queue_packets")]
    if len(outside) and queues:
        least = rows.loc[outside.index, queues].min(axis=1).astype(float)
        sizes = ", ".join(f"{size:.0f}" for size in sorted(least))
        text += f" (smaller queue: {sizes} packets)"
    return Finding(len(outside), text, len(found))


def weaker_path(rows: pd.DataFrame, question: Question) -> Finding:
    """Part of the rows that sent more over the path with the smaller criterion."""
    difference = rows[question.criterion]
    first = rows["path1.share"]
    known = difference.notna() & first.notna() & (difference != 0)
    need(int(known.sum()), 1, "rows")
    against = ((difference > 0) == (first < 0.5))[known]
    value = float(against.mean())
    return Finding(value, f"{value:.1%}", int(known.sum()))


def first_path(rows: pd.DataFrame, question: Question) -> Finding:
    """The metric where TCP does better on path 1 against where it does worse: the
    difference of the medians, Mann-Whitney's test."""
    known = rows.dropna(subset=[question.metric])
    ends = (known["path1.tcp_goodput_mbps"], known["path2.tcp_goodput_mbps"])
    best = known.loc[ends[0] > ends[1], question.metric].astype(float)
    worst = known.loc[ends[0] < ends[1], question.metric].astype(float)
    need(min(len(best), len(worst)), LEAST_POINTS, "rows on either side")
    p = float(stats.mannwhitneyu(best, worst).pvalue)
    value = float(best.median() - worst.median())
    text = f"medians {best.median():.2f} and {worst.median():.2f}, p {p_text(p)}"
    return Finding(value, text, len(best) + len(worst), p)


STATISTICS: Mapping[str, Statistic] = {
    each.__name__: each
    for each in (
        points,
        uniformity,
        trend,
        signed_trend,
        median,
        median_distance,
        mean,
        rms,
        spread,
        part_above,
        part_below,
        maximum,
        fall,
        outliers,
        weaker_path,
        first_path,
    )
}


def _pairs(rows: pd.DataFrame, question: Question) -> pd.DataFrame:
    """|criterion| as x and the metric as y, both known, within the batch.

    Without a criterion all x are 0.
    """
    y = rows[question.metric]
    x = rows[question.criterion].abs() if question.criterion else y.notna() * 0.0
    found = pd.DataFrame({"x": x, "y": y}).astype(float).dropna()
    if question.above is not None:
        at_least = found["x"] >= 0 if question.above == 0 else False
        found = found[(found["x"] > question.above) | at_least]
    if question.up_to is not None:
        found = found[found["x"] <= question.up_to]
    return found


def need(count: int, least: int, what: str) -> None:
    if count < least:
        raise ValueError(f"{count} {what}; needs at least {least}")


def p_text(value: float) -> str:
    return f"= {value:.2g}" if value >= 1e-4 else "< 0.0001"

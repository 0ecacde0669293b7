"""The statistics by which a campaign is compared with published statements.

Each statistic takes rows that are ok and returns a Finding. Some are tests, by scipy;
their result counts as significant below SIGNIFICANCE.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis import late_scipy as scipy
from analysis.campaign import batches, columns
from analysis.campaign.numbers import short
from analysis.words import many

SIGNIFICANCE = 0.05
LEAST_POINTS = 3
CONSTANT = "constant"
"""The text of a correlation of which one side never changes."""


@dataclass(frozen=True)
class Question:
    """The data from which a statistic is computed.

    metric, criterion : columns of the table of runs; criterion may be ""
    above, up_to : the batch ]above, up_to] of |criterion|; None where it has no end
    factors : columns that the design varies
    threshold : the value that `part_above` and the other parts compare with
    """

    metric: str
    criterion: str
    above: float | None
    up_to: float | None
    factors: tuple[str, ...]
    threshold: float = 0.0


@dataclass(frozen=True)
class Finding:
    """The value of a statistic.

    text : the value as a page prints it
    n : number of rows that it was computed from
    p : p-value, where the statistic is a test. It takes the rows to be independent
    """

    value: float
    text: str
    n: int
    p: float | None = None

    def told(self, independent: bool = True) -> str:
        """The text, with the p-value if the rows are independent."""
        if self.p is None or not independent or self.text == CONSTANT:
            return self.text
        return f"{self.text}, p {p_text(self.p)}"


Statistic = Callable[[pd.DataFrame, Question], Finding]


def points(rows: pd.DataFrame, question: Question) -> Finding:
    """Number of design points that have a row."""
    count = rows["point"].nunique()
    return Finding(count, str(count), len(rows))


def uniformity(rows: pd.DataFrame, question: Question) -> Finding:
    """Whether any factor is not spread uniformly between its extremes.

    Kolmogorov-Smirnov test of each factor, with Bonferroni's correction. The value is
    the largest distance.
    """
    unique = rows.drop_duplicates("point")
    tests = []
    for factor in question.factors:
        values = unique[factor].dropna().to_numpy(float)
        width = np.ptp(values) if len(values) else 0.0
        if width > 0:
            tests.append(scipy.stats.kstest((values - values.min()) / width, "uniform"))
    need(len(tests), 1, "factors with several values")
    p = min(1.0, min(float(test.pvalue) for test in tests) * len(tests))
    worst = max(float(test.statistic) for test in tests)
    return Finding(worst, f"largest distance {worst:.2f}", len(unique), p)


def trend(rows: pd.DataFrame, question: Question) -> Finding:
    """Spearman's rank correlation of the metric with |criterion|."""
    known = pairs(rows, question)
    need(len(known), LEAST_POINTS, "rows")
    if known["x"].nunique() == 1 or known["y"].nunique() == 1:
        return Finding(0.0, CONSTANT, len(known), 1.0)
    test = scipy.stats.spearmanr(known["x"], known["y"])
    rho, p = float(test.statistic), float(test.pvalue)
    return Finding(rho, f"rank correlation {rho:+.2f}", len(known), p)


def signed_trend(rows: pd.DataFrame, question: Question) -> Finding:
    """Spearman's rank correlation of the metric with the signed criterion."""
    known = rows[[question.criterion, question.metric]].astype(float).dropna()
    need(len(known), LEAST_POINTS, "rows")
    if (
        known[question.criterion].nunique() == 1
        or known[question.metric].nunique() == 1
    ):
        return Finding(0.0, CONSTANT, len(known), 1.0)
    test = scipy.stats.spearmanr(known[question.criterion], known[question.metric])
    rho, p = float(test.statistic), float(test.pvalue)
    return Finding(rho, f"rank correlation {rho:+.2f}", len(known), p)


DIFFERENCES = ("capacity_difference_mbps", "delay_difference_ms")


def main_factor(rows: pd.DataFrame, question: Question) -> Finding:
    """By how much |criterion| has the stronger trend than the other difference.

    Both trends are rank correlations without their signs. The criterion is one of
    DIFFERENCES, and the other one is what it is compared with.
    """
    return _stronger(trend, rows, question)


def main_signed_factor(rows: pd.DataFrame, question: Question) -> Finding:
    """As `main_factor`, with the differences signed."""
    return _stronger(signed_trend, rows, question)


def _stronger(kind: Statistic, rows: pd.DataFrame, question: Question) -> Finding:
    known = rows.dropna(subset=[question.metric, *DIFFERENCES])
    other = other_difference(question.criterion)
    found = [
        kind(known, replace(question, criterion=name))
        for name in (question.criterion, other)
    ]
    value = abs(found[0].value) - abs(found[1].value)
    text = f"rank correlations {found[0].value:+.2f} and {found[1].value:+.2f}"
    return Finding(value, text, found[0].n)


def other_difference(name: str) -> str:
    """The other one of DIFFERENCES. Raises ValueError for another column."""
    if name not in DIFFERENCES:
        raise ValueError(f"criterion {name!r}; has {', '.join(DIFFERENCES)}")
    return DIFFERENCES[1 - DIFFERENCES.index(name)]


def median(rows: pd.DataFrame, question: Question) -> Finding:
    """Median of the metric in the batch."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float(known["y"].median())
    return Finding(value, f"median {short(value)}", len(known))


def median_distance(rows: pd.DataFrame, question: Question) -> Finding:
    """Absolute value of the median; the text shows its sign."""
    signed = median(rows, question)
    return Finding(abs(signed.value), signed.text, signed.n)


def mean(rows: pd.DataFrame, question: Question) -> Finding:
    """Mean of the metric in the batch."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float(known["y"].mean())
    return Finding(value, f"mean {short(value)}", len(known))


def rms(rows: pd.DataFrame, question: Question) -> Finding:
    """Root mean square; for a metric that is an error, the RMSE."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float(np.sqrt(np.mean(np.square(known["y"]))))
    return Finding(value, f"{value:.2f}", len(known))


def spread(rows: pd.DataFrame, question: Question) -> Finding:
    """Interquartile range."""
    known = pairs(rows, question)
    need(len(known), LEAST_POINTS, "rows in the batch")
    low, high = np.quantile(known["y"], [0.25, 0.75])
    value = float(high - low)
    return Finding(value, f"between the quartiles {short(value, 2)}", len(known))


def part_above(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of the rows whose metric is above the threshold, 0 to 1."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float((known["y"] > question.threshold).mean())
    return Finding(value, f"{value:.0%} above {question.threshold:g}", len(known))


def part_below(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of the rows whose metric is below the threshold, 0 to 1."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float((known["y"] < question.threshold).mean())
    return Finding(value, f"{value:.0%} below {question.threshold:g}", len(known))


def part_within(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of the rows whose metric is no farther from 0 than the threshold."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float((known["y"].abs() <= question.threshold).mean())
    return Finding(value, f"{value:.0%} within {question.threshold:g}", len(known))


def part_beyond(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of the rows in which the metric, or 1 minus it, is above the threshold.

    The metric is the share of one of two paths, so either path may be the one.
    """
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    larger = np.maximum(known["y"], 1 - known["y"])
    value = float((larger > question.threshold).mean())
    text = f"one path above {question.threshold:g} in {value:.0%}"
    return Finding(value, text, len(known))


def imbalance(rows: pd.DataFrame, question: Question) -> Finding:
    """Median distance of the metric, a share of one of two paths, from one half."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value = float((known["y"] - 0.5).abs().median())
    return Finding(value, f"median distance {value:.3g} from 1/2", len(known))


def maximum(rows: pd.DataFrame, question: Question) -> Finding:
    """Largest value of the metric; the text also counts the values below 0."""
    known = pairs(rows, question)
    need(len(known), 1, "rows in the batch")
    value, below = float(known["y"].max()), int((known["y"] < 0).sum())
    text = f"largest {value:.2f}, {below} of {len(known)} below 0"
    return Finding(value, text, len(known))


def fall(rows: pd.DataFrame, question: Question) -> Finding:
    """Median in the first batch of |criterion| minus the median in the last batch."""
    known = pairs(rows, question)
    need(len(known), LEAST_POINTS, "rows")
    groups = batches.groups(known["x"], known["y"], batches.edges(known["x"]))
    filled = [group for group in groups if len(group)]
    value = float(np.median(filled[0]) - np.median(filled[-1]))
    return Finding(value, f"median falls by {value:.2f}", len(known))


def outliers(rows: pd.DataFrame, question: Question) -> Finding:
    """Number of rows more than 1.5 interquartile ranges away from the quartiles."""
    known = pairs(rows, question)
    need(len(known), LEAST_POINTS, "rows in the batch")
    low, high = np.quantile(known["y"], [0.25, 0.75])
    reach = 1.5 * (high - low)
    outside = known[(known["y"] < low - reach) | (known["y"] > high + reach)]
    text = many(len(outside), "outlier")
    queues = [name for name in rows.columns if name.endswith(".queue_packets")]
    if len(outside) and queues:
        least = rows.loc[outside.index, queues].min(axis=1).astype(float)
        sizes = ", ".join(f"{size:.0f}" for size in sorted(least))
        text += f" (smaller queue: {sizes} packets)"
    return Finding(len(outside), text, len(known))


def first_share(rows: pd.DataFrame) -> pd.Series:
    """The share of the user's first path, whatever the path is called."""
    return rows[columns.column_of("traffic_split", rows)]


def tcp_goodputs(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Goodputs of TCP alone on the user's first and second path, in Mbit/s."""
    first, second = (*columns.paths(rows)[:2], "path1", "path2")[:2]
    return rows[f"{first}.tcp_goodput_mbps"], rows[f"{second}.tcp_goodput_mbps"]


def weaker_path(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of the rows that sent more over the path with the smaller criterion."""
    difference = rows[question.criterion]
    first = first_share(rows)
    known = difference.notna() & first.notna() & (difference != 0)
    need(int(known.sum()), 1, "rows")
    against = ((difference > 0) == (first < 0.5))[known]
    value = float(against.mean())
    return Finding(value, f"{value:.1%}", int(known.sum()))


def first_path(rows: pd.DataFrame, question: Question) -> Finding:
    """Median where TCP is faster on path 1 minus median where it is faster on path 2.

    Mann-Whitney test of the two groups.
    """
    known = rows.dropna(subset=[question.metric])
    ends = tcp_goodputs(known)
    best = known.loc[ends[0] > ends[1], question.metric].astype(float)
    worst = known.loc[ends[0] < ends[1], question.metric].astype(float)
    need(min(len(best), len(worst)), LEAST_POINTS, "rows on either side")
    p = float(scipy.stats.mannwhitneyu(best, worst).pvalue)
    value = float(best.median() - worst.median())
    text = f"medians {best.median():.2f} and {worst.median():.2f}"
    return Finding(value, text, len(best) + len(worst), p)


def first_path_used(rows: pd.DataFrame, question: Question) -> Finding:
    """As `first_path`, by the path that carried more of the connection itself."""
    known = rows.dropna(subset=[question.metric])
    best, worst = (
        known.loc[known["first_path_use"] == use, question.metric].astype(float)
        for use in ("best", "worst")
    )
    need(min(len(best), len(worst)), LEAST_POINTS, "rows on either side")
    p = float(scipy.stats.mannwhitneyu(best, worst).pvalue)
    value = float(best.median() - worst.median())
    text = f"medians {best.median():.2f} and {worst.median():.2f}"
    return Finding(value, text, len(best) + len(worst), p)


def outer_tenths(rows: pd.DataFrame, question: Question) -> Finding:
    """Share of all factors' values in the outer tenth at either end of their range."""
    inside = within_outer_tenths(rows, question.factors)
    value = float(inside.mean())
    return Finding(value, f"{value:.0%} in the outer tenths", len(inside))


def within_outer_tenths(rows: pd.DataFrame, factors: tuple[str, ...]) -> np.ndarray:
    """Whether each value of each factor is in an outer tenth of the factor's range."""
    unique = rows.drop_duplicates("point")
    parts = []
    for factor in factors:
        values = unique[factor].dropna().to_numpy(float)
        width = np.ptp(values) if len(values) else 0.0
        if width > 0:
            scaled = (values - values.min()) / width
            parts.append((scaled < 0.1) | (scaled > 0.9))
    need(len(parts), 1, "factors with several values")
    return np.concatenate(parts)


STATISTICS: Mapping[str, Statistic] = {
    statistic.__name__: statistic
    for statistic in (
        points,
        uniformity,
        trend,
        signed_trend,
        main_factor,
        main_signed_factor,
        median,
        median_distance,
        mean,
        rms,
        spread,
        part_above,
        part_below,
        part_within,
        part_beyond,
        imbalance,
        maximum,
        fall,
        outliers,
        weaker_path,
        first_path,
        first_path_used,
        outer_tenths,
    )
}


def pairs(rows: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Columns x, |criterion|, and y, the metric, of the rows in the batch.

    Rows in which either is missing are left out. Without a criterion, all x are 0.
    """
    y = rows[question.metric]
    x = rows[question.criterion].abs() if question.criterion else y.notna() * 0.0
    known = pd.DataFrame({"x": x, "y": y}).astype(float).dropna()
    if question.above is not None:
        at_least = known["x"] >= 0 if question.above == 0 else False
        known = known[(known["x"] > question.above) | at_least]
    if question.up_to is not None:
        known = known[known["x"] <= question.up_to]
    return known


def need(count: int, least: int, what: str) -> None:
    """Raises ValueError if `count` is below `least`; `what` names what is counted."""
    if count < least:
        raise ValueError(f"{count} {what}; needs at least {least}")


def p_text(value: float) -> str:
    """The p-value after the letter p: `= 0.03`."""
    return f"= {value:.2g}" if value >= 1e-4 else "< 0.0001"

"""Statistics of the ratio of a metric between two sets of runs, by network.

A network's ratio is the mean over its repetitions in the first set, over that in the
second ([mpcc] Gilad et al., CoNEXT 2020, sec. 7.2.7: means, medians, 5th and 95th
percentiles over 576 networks).
"""

import numpy as np
import pandas as pd

from analysis import late_scipy as scipy
from analysis.campaign.numbers import short
from analysis.published.networks import network_and_size
from analysis.published.statistics import (
    CONSTANT,
    LEAST_POINTS,
    Finding,
    Question,
    need,
)

RATIO = "ratio"


def by_network(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> pd.DataFrame:
    """One row per network that both sets have, with its `ratio` and its keys.

    Networks in which the second set has nothing are left out. Raises ValueError for
    fewer than LEAST_POINTS networks.
    """
    keys = network_and_size(rows, others)
    if not keys:
        raise ValueError("no column tells networks apart")
    means = [
        frame.dropna(subset=[question.metric])
        .groupby(keys, dropna=False, as_index=False)[question.metric]
        .mean()
        for frame in (rows, others)
    ]
    both = means[0].merge(means[1], on=keys, suffixes=("", " of the other"))
    one, other = both[question.metric], both[f"{question.metric} of the other"]
    both = both.assign(**{RATIO: one.astype(float) / other.astype(float)})
    known: pd.DataFrame = both[other > 0]
    need(len(known), LEAST_POINTS, "networks")
    return known


def divided(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> pd.DataFrame:
    """One row per network, with the ratio as its metric.

    Raises ValueError as `by_network` does.
    """
    known = by_network(rows, others, question)
    whole = known.assign(**{question.metric: known[RATIO]}, repetition=0)
    return whole.assign(point=range(len(whole)))


def p5_difference(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> Finding:
    """5th percentile of the rows minus that of the others."""
    one = rows[question.metric].dropna().astype(float)
    other = others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), LEAST_POINTS, "rows on either side")
    ends = [float(np.quantile(values, 0.05)) for values in (one, other)]
    text = f"5th percentiles {short(ends[0])} and {short(ends[1])}"
    return Finding(ends[0] - ends[1], text, len(one) + len(other))


def ratio_mean(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Mean of the ratio over networks."""
    values = by_network(rows, others, question)[RATIO]
    return Finding(float(values.mean()), f"mean {values.mean():.3f}", len(values))


def ratio_median(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> Finding:
    """Median of the ratio over networks."""
    return _quantile(rows, others, question, 0.5, "median")


def ratio_p5(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """5th percentile of the ratio over networks."""
    return _quantile(rows, others, question, 0.05, "5th percentile")


def ratio_p95(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """95th percentile of the ratio over networks."""
    return _quantile(rows, others, question, 0.95, "95th percentile")


def ratio_trend(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> Finding:
    """Spearman's rank correlation of the ratio with the criterion."""
    known = by_network(rows, others, question)
    x, y = known[question.criterion].astype(float), known[RATIO]
    if x.nunique() == 1 or y.nunique() == 1:
        return Finding(0.0, CONSTANT, len(known), 1.0)
    test = scipy.stats.spearmanr(x, y)
    rho, p = float(test.statistic), float(test.pvalue)
    return Finding(rho, f"rank correlation {rho:+.2f}", len(known), p)


def _quantile(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question, q: float, name: str
) -> Finding:
    values = by_network(rows, others, question)[RATIO]
    value = float(np.quantile(values, q))
    return Finding(value, f"{name} {value:.3f}", len(values))

"""Statistics that compare the same metric in two sets of runs."""

from collections.abc import Callable, Mapping

import pandas as pd

from analysis import late_scipy as scipy
from analysis.campaign.numbers import short
from analysis.published import ratios
from analysis.published.networks import network_and_size
from analysis.published.statistics import LEAST_POINTS, Finding, Question, need

TwoSample = Callable[[pd.DataFrame, pd.DataFrame, Question], Finding]


def shift(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Median of the rows minus median of the others, with the Mann-Whitney test."""
    one = rows[question.metric].dropna().astype(float)
    other = others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), LEAST_POINTS, "rows on either side")
    p = float(scipy.stats.mannwhitneyu(one, other).pvalue)
    text = f"medians {short(one.median())} and {short(other.median())}"
    value = float(one.median() - other.median())
    return Finding(value, text, len(one) + len(other), p)


def mirrored(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Kolmogorov-Smirnov test of whether the rows are distributed as 1 - others."""
    one = rows[question.metric].dropna().astype(float)
    other = 1 - others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), LEAST_POINTS, "rows on either side")
    test = scipy.stats.ks_2samp(one, other, method="asymp")
    value, p = float(test.statistic), float(test.pvalue)
    text = f"largest distance {value:.2f}"
    return Finding(value, text, len(one) + len(other), p)


def paired(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Median difference over networks that both have; Wilcoxon signed-rank test."""
    differences = _differences(rows, others, question.metric)
    p = float(scipy.stats.wilcoxon(differences).pvalue) if differences.any() else 1.0
    value = float(differences.median())
    text = f"median difference {short(value, sign='+')}"
    return Finding(value, text, len(differences), p)


def part_ahead(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Share of the networks in which the rows have at least as much as the others."""
    differences = _differences(rows, others, question.metric)
    value = float((differences >= 0).mean())
    text = f"at least as much in {value:.0%}"
    return Finding(value, text, len(differences))


def mean_difference(
    rows: pd.DataFrame, others: pd.DataFrame, question: Question
) -> Finding:
    """Mean of the rows minus mean of the others, with Welch's t test.

    Two columns of the same runs have the t test of pairs.
    """
    one = rows[question.metric].dropna().astype(float)
    other = others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), 2, "rows on either side")
    if same_runs(rows, others):
        keys = ["point", "repetition", "case"]
        both = pd.merge(
            rows[[*keys, question.metric]], others[[*keys, question.metric]], on=keys
        ).dropna()
        first, second = (both.iloc[:, place].astype(float) for place in (-2, -1))
        p = float(scipy.stats.ttest_rel(first, second).pvalue)
    else:
        p = float(scipy.stats.ttest_ind(one, other, equal_var=False).pvalue)
    text = f"means {short(one.mean(), 4)} and {short(other.mean(), 4)}"
    value = float(one.mean() - other.mean())
    return Finding(value, text, len(one) + len(other), p)


def mean_ratio(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Mean of the rows over the mean of the others, which must not be 0."""
    one = rows[question.metric].dropna().astype(float)
    other = others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), 2, "rows on either side")
    if other.mean() == 0:
        raise ValueError("the mean to divide by is 0")
    value = float(one.mean() / other.mean())
    means = f"means {short(one.mean(), 4)} and {short(other.mean(), 4)}"
    text = f"{short(value)} times, {means}"
    return Finding(value, text, len(one) + len(other))


def same_runs(rows: pd.DataFrame, others: pd.DataFrame) -> bool:
    """Whether two samples are two columns of the same runs, as of two users."""
    keys = ["point", "repetition", "case"]
    if not {*keys} <= {*rows.columns} & {*others.columns}:
        return False
    places = [set(map(tuple, frame[keys].to_numpy())) for frame in (rows, others)]
    return bool(places[0] & places[1])


def _differences(rows: pd.DataFrame, others: pd.DataFrame, metric: str) -> pd.Series:
    """The rows' metric minus the others' metric, network by network."""
    return matched(rows, others, metric)["difference"]


def matched(rows: pd.DataFrame, others: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per network that both have, with the `difference` of the metric.

    Raises ValueError for fewer than LEAST_POINTS networks.
    """
    keys = [*network_and_size(rows, others), "repetition"]
    names = [*keys, metric]
    known = [frame.dropna(subset=[metric])[names] for frame in (rows, others)]
    both = known[0].merge(known[1], on=keys, suffixes=("", " of the other"))
    differences = (both[metric] - both[f"{metric} of the other"]).astype(float)
    need(len(differences), LEAST_POINTS, "pairs")
    return both.assign(difference=differences)


TWO_SAMPLE: Mapping[str, TwoSample] = {
    statistic.__name__: statistic
    for statistic in (
        shift,
        mean_ratio,
        mirrored,
        paired,
        part_ahead,
        mean_difference,
        ratios.p5_difference,
        ratios.ratio_mean,
        ratios.ratio_median,
        ratios.ratio_p5,
        ratios.ratio_p95,
        ratios.ratio_trend,
    )
}

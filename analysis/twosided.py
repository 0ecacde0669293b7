"""What can be asked of some runs beside others: the same metric of both."""

import re
from collections.abc import Callable, Mapping

import pandas as pd
from scipy import stats

from analysis.statistics import LEAST_POINTS, Finding, Question, need, p_text

_OF_NETWORK = re.compile(
    r"path\d+\.(capacity_mbps|delay_ms|queueing_delay_ms|loss_percent)"
)
"""Columns that say which network a run had."""
TwoSided = Callable[[pd.DataFrame, pd.DataFrame, Question], Finding]


def shift(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Median of the rows less that of the others; Mann-Whitney's test."""
    one = rows[question.metric].dropna().astype(float)
    other = others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), LEAST_POINTS, "rows on either side")
    p = float(stats.mannwhitneyu(one, other).pvalue)
    text = f"medians {_short(one.median())} and {_short(other.median())}"
    value = float(one.median() - other.median())
    return Finding(value, f"{text}, p {p_text(p)}", len(one) + len(other), p)


def mirrored(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Whether one distribution is 1 less the other: Kolmogorov and Smirnov's test."""
    one = rows[question.metric].dropna().astype(float)
    other = 1 - others[question.metric].dropna().astype(float)
    need(min(len(one), len(other)), LEAST_POINTS, "rows on either side")
    test = stats.ks_2samp(one, other)
    value, p = float(test.statistic), float(test.pvalue)
    text = f"largest distance {value:.2f}, p {p_text(p)}"
    return Finding(value, text, len(one) + len(other), p)


def paired(rows: pd.DataFrame, others: pd.DataFrame, question: Question) -> Finding:
    """Median of the differences in the same network; Wilcoxon's signed-rank test."""
    keys = [str(name) for name in rows.columns if _OF_NETWORK.fullmatch(str(name))]
    keys.append("repetition")
    sizes = {"traffic.size_bytes"} & set(rows.columns) & set(others.columns)
    for size in sizes:
        several = max(rows[size].nunique(), others[size].nunique()) > 1
        keys += [size] if several else []
    names = [*keys, question.metric]
    known = [each.dropna(subset=[question.metric])[names] for each in (rows, others)]
    both = known[0].merge(known[1], on=keys, suffixes=("", " of the other"))
    ends = both[question.metric], both[f"{question.metric} of the other"]
    differences = (ends[0] - ends[1]).dropna().astype(float)
    need(len(differences), LEAST_POINTS, "pairs")
    p = float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0
    value = float(differences.median())
    text = f"median difference {_short(value, '+')}, p {p_text(p)}"
    return Finding(value, text, len(differences), p)


TWO_SIDED: Mapping[str, TwoSided] = {
    each.__name__: each for each in (shift, mirrored, paired)
}


def _short(value: float, sign: str = "") -> str:
    return f"{value:{sign}.3g}"

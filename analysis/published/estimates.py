"""Each statistic as a function of arrays, with its confidence interval.

The tables of runs are turned into arrays once, so that a thousand redrawn designs take
a second. tests/analysis/test_estimates.py compares every estimate with the statistic
that pages print (analysis.published.statistics and two_sample).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.campaign import batches
from analysis.published import intervals, ratios
from analysis.published.criterion import Criterion
from analysis.published.findings import Runs, question
from analysis.published.intervals import Interval
from analysis.published.samples import Columns, Sample, Samples, network_keys, sample
from analysis.published.statistics import (
    Question,
    first_share,
    other_difference,
    pairs,
    tcp_goodputs,
    within_outer_tenths,
)
from analysis.published.two_sample import TWO_SAMPLE, matched, same_runs

Estimate = Callable[[Sequence[Columns]], float]
IntervalOf = Callable[[Sequence[Columns], float], Interval]


@dataclass(frozen=True)
class Estimator:
    """A criterion's statistic over its samples.

    value : the statistic
    interval : its confidence interval; None where only redrawn designs give one
    counts : whether the statistic is the share of ones in the first sample
    """

    samples: Samples
    value: Estimate
    interval: IntervalOf | None = None
    counts: bool = False


def estimator(criterion: Criterion, runs: Runs) -> Estimator:
    """The estimator of a criterion. Raises KeyError or ValueError as `find` does."""
    selected = runs.selected(criterion)
    compared = runs.compared(criterion)
    asked = question(criterion, runs.factors)
    name, wanted = criterion.measure.statistic, criterion.wanted
    if compared is not None and name in TWO_SAMPLE:
        return _two_sample(criterion, selected, compared, runs.others is None)
    if compared is not None:
        frames, questions = [selected, compared], [asked, asked]
    elif isinstance(wanted, str):
        frames, questions = [selected, selected], [asked, replace(asked, metric=wanted)]
    else:
        return _alone(name, selected, asked)
    return _difference(name, frames, questions, runs.others is None)


def _alone(name: str, rows: pd.DataFrame, asked: Question) -> Estimator:
    """The statistic of one sample, compared with a number."""
    if name == "outer_tenths":
        return _outer_tenths(rows, asked)
    (numbers,), _ = network_keys([rows])
    only = Samples((_sample(name, rows, asked, numbers),), joint=False)
    value = _one(VALUES[name])
    counts = name in COUNTS
    known = None if only.clustered else INTERVALS.get(name)
    return Estimator(only, value, _one_interval(known) if known else None, counts)


def _difference(
    name: str,
    frames: Sequence[pd.DataFrame],
    questions: Sequence[Question],
    same_campaign: bool,
) -> Estimator:
    """The statistic of the first sample minus that of the second."""
    if same_campaign:
        numbers, several = network_keys(frames)
    else:
        numbers, several = [network_keys([frame])[0][0] for frame in frames], False
    both = tuple(
        _sample(name, frame, asked, of_frame)
        for frame, asked, of_frame in zip(frames, questions, numbers, strict=True)
    )
    one = VALUES[name]
    return Estimator(
        Samples(both, joint=same_campaign and several),
        lambda columns: one(columns[0]) - one(columns[1]),
    )


def _two_sample(
    criterion: Criterion, rows: pd.DataFrame, others: pd.DataFrame, same_campaign: bool
) -> Estimator:
    name = criterion.measure.statistic
    if name in RATIOS:
        known = ratios.by_network(rows, others, question(criterion, ()))
        return _of_ratios(criterion, known)
    if name in ("paired", "part_ahead"):
        both = matched(rows, others, criterion.measure.metric)
        (numbers,), _ = network_keys([both.assign(point=0)])
        differences = both["difference"].to_numpy(float)
        if name == "paired":
            only = Samples((sample({"y": differences}, numbers),), joint=False)
            ranks = _one_interval(_of_y(intervals.signed_ranks))
            return Estimator(only, _one(_median), None if only.clustered else ranks)
        ahead = {"y": (differences >= 0).astype(float)}
        only = Samples((sample(ahead, numbers),), joint=False)
        shares = None if only.clustered else _one_interval(_share_interval)
        return Estimator(only, _one(_share), shares, True)
    if same_campaign and same_runs(rows, others):
        return _of_same_runs(criterion, rows, others)
    frames = [rows, others]
    if same_campaign:
        of_rows, several = network_keys(frames)
    else:
        of_rows, several = [network_keys([frame])[0][0] for frame in frames], False
    both_samples = tuple(
        sample(
            {"y": frame[criterion.measure.metric].astype(float).to_numpy(float)},
            numbers,
        )
        for frame, numbers in zip(frames, of_rows, strict=True)
    )
    for part in both_samples:
        if len(part.columns["y"]) < 2:
            raise ValueError("too few rows on either side")
    joint = Samples(both_samples, joint=same_campaign and several)
    value, interval = TWO_SAMPLES[name]
    return Estimator(joint, value, None if joint.clustered else interval)


def _of_same_runs(
    criterion: Criterion, rows: pd.DataFrame, others: pd.DataFrame
) -> Estimator:
    """Two columns of the same runs, which are compared run by run.

    Users of a run share its links: what one has more, the other has less. They are not
    independent samples.
    """
    keys, metric = ["point", "repetition", "case"], criterion.measure.metric
    both = rows.dropna(subset=[metric]).merge(
        others.dropna(subset=[metric])[[*keys, metric]],
        on=keys,
        suffixes=("", " of the other"),
    )
    if len(both) < 2:
        raise ValueError("too few rows on either side")
    (numbers,), _ = network_keys([both])
    pairs_of = both[metric], both[f"{metric} of the other"]
    joint = Samples(
        tuple(
            sample({"y": one.astype(float).to_numpy(float)}, numbers)
            for one in pairs_of
        ),
        joint=True,
        paired=True,
    )
    name = criterion.measure.statistic
    value, _ = TWO_SAMPLES[name]
    by_run = name == "mean_difference" and not joint.clustered
    return Estimator(joint, value, _paired_mean if by_run else None)


def _paired_mean(columns: Sequence[Columns], level: float) -> Interval:
    return intervals.mean(columns[0]["y"] - columns[1]["y"], level)


def _of_ratios(criterion: Criterion, known: pd.DataFrame) -> Estimator:
    """A statistic of the ratios of networks, one value per network and size."""
    columns = {"y": known[ratios.RATIO].to_numpy(float)}
    if criterion.measure.criterion:
        columns["x"] = known[criterion.measure.criterion].to_numpy(float)
    (numbers,), _ = network_keys([known.assign(point=range(len(known)), repetition=0)])
    only = Samples((sample(columns, numbers),), joint=False)
    value, interval = RATIOS[criterion.measure.statistic]
    return Estimator(
        only, _one(value), None if only.clustered else _one_interval(interval)
    )


def _outer_tenths(rows: pd.DataFrame, asked: Question) -> Estimator:
    """Whether each value of each factor is in an outer tenth.

    Every value is redrawn by itself.
    """
    inside = within_outer_tenths(rows, asked.factors).astype(float)
    only = Samples((sample({"y": inside}, np.arange(len(inside))),), joint=False)
    return Estimator(only, _one(_share), _one_interval(_share_interval), True)


def _sample(
    name: str, rows: pd.DataFrame, asked: Question, numbers: np.ndarray
) -> Sample:
    """The columns that a statistic needs, with the number of each row's network."""
    rows = rows.reset_index(drop=True)
    if name == "weaker_path":
        difference = rows[asked.criterion].astype(float)
        first = first_share(rows).astype(float)
        weaker = ((difference > 0) == (first < 0.5)).astype(float)
        unknown = difference.isna() | first.isna() | (difference == 0)
        return sample({"y": weaker.mask(unknown).to_numpy(float)}, numbers)
    if name == "uniformity":
        scaled = {factor: _unit(rows[factor]) for factor in asked.factors}
        return sample({k: v for k, v in scaled.items() if v is not None}, numbers)
    if name in ("first_path", "first_path_used"):
        return sample(_by_quality(name, rows, asked.metric), numbers)
    if name == "signed_trend":
        known = rows[[asked.criterion, asked.metric]].astype(float)
        columns = {"x": known[asked.criterion], "y": known[asked.metric]}
        return sample({k: v.to_numpy(float) for k, v in columns.items()}, numbers)
    if name in ("main_factor", "main_signed_factor"):
        return sample(_by_differences(name, rows, asked), numbers)
    known = pairs(rows, asked)
    columns = {"x": known["x"], "y": known["y"]}
    if name == "part_above":
        columns["y"] = (known["y"] > asked.threshold).astype(float)
    elif name == "part_below":
        columns["y"] = (known["y"] < asked.threshold).astype(float)
    elif name == "part_within":
        columns["y"] = (known["y"].abs() <= asked.threshold).astype(float)
    elif name == "part_beyond":
        larger = known["y"].where(known["y"] > 0.5, 1 - known["y"])
        columns["y"] = (larger > asked.threshold).astype(float)
    index = known.index.to_numpy(int)
    if not len(index):
        raise ValueError("no rows in the batch")
    return sample({k: v.to_numpy(float) for k, v in columns.items()}, numbers[index])


def _by_differences(name: str, rows: pd.DataFrame, asked: Question) -> Columns:
    """The metric, the criterion, and the other one of the two differences."""
    own, other = (
        rows[column].astype(float).to_numpy(float)
        for column in (asked.criterion, other_difference(asked.criterion))
    )
    if name == "main_factor":
        own, other = np.abs(own), np.abs(other)
    return {"x": own, "z": other, "y": rows[asked.metric].to_numpy(float)}


def _by_quality(name: str, rows: pd.DataFrame, metric: str) -> Columns:
    """The metric, and 1 where the first path is the best one, 0 where the worst."""
    if name == "first_path":
        ends = tcp_goodputs(rows)
        first, second = (end.astype(float).to_numpy(float) for end in ends)
        best = np.where(first > second, 1.0, np.where(first < second, 0.0, np.nan))
    else:
        ranks = rows["first_path_use"].map({"best": 1.0, "worst": 0.0})
        best = ranks.astype(float).to_numpy(float)
    return {"best": best, "y": rows[metric].astype(float).to_numpy(float)}


def _unit(values: pd.Series) -> np.ndarray | None:
    """A factor's values between 0 and 1; None for a constant factor."""
    known = values.astype(float).to_numpy(float)
    width = np.nanmax(known) - np.nanmin(known)
    return (known - np.nanmin(known)) / width if width > 0 else None


def _one(function: Callable[[Columns], float]) -> Estimate:
    return lambda columns: function(columns[0])


def _one_interval(function: Callable[[Columns, float], Interval]) -> IntervalOf:
    return lambda columns, level: function(columns[0], level)


def _of_y(
    function: Callable[[np.ndarray, float], Interval],
) -> Callable[[Columns, float], Interval]:
    return lambda columns, level: function(columns["y"], level)


def _median(columns: Columns) -> float:
    return float(np.median(columns["y"]))


def _share(columns: Columns) -> float:
    return float(columns["y"].mean())


def _share_interval(columns: Columns, level: float) -> Interval:
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
    "median": _median,
    "median_distance": lambda columns: abs(_median(columns)),
    "mean": lambda columns: float(columns["y"].mean()),
    "rms": lambda columns: float(np.sqrt(np.mean(np.square(columns["y"])))),
    "spread": _spread,
    "part_above": _share,
    "part_below": _share,
    "part_within": _share,
    "part_beyond": _share,
    "weaker_path": _share,
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
    "median": _of_y(intervals.median),
    "mean": _of_y(intervals.mean),
    "part_above": _share_interval,
    "part_below": _share_interval,
    "part_within": _share_interval,
    "part_beyond": _share_interval,
    "weaker_path": _share_interval,
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
    "ratio_median": (_median, INTERVALS["median"]),
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

"""The statistic of a criterion over arrays, which are made of tables of runs.

The tables are turned into arrays once, so that a thousand redrawn designs take a
second.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.published import intervals, ratios
from analysis.published.array_statistics import (
    COUNTS,
    INTERVALS,
    RATIOS,
    TWO_SAMPLES,
    VALUES,
    Estimate,
    IntervalOf,
    median,
    of_y,
    share,
    share_interval,
)
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
            ranks = _one_interval(of_y(intervals.signed_ranks))
            return Estimator(only, _one(median), None if only.clustered else ranks)
        ahead = {"y": (differences >= 0).astype(float)}
        only = Samples((sample(ahead, numbers),), joint=False)
        shares = None if only.clustered else _one_interval(share_interval)
        return Estimator(only, _one(share), shares, True)
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
    return Estimator(only, _one(share), _one_interval(share_interval), True)


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

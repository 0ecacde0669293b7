"""The differences between two campaigns, design point by design point."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign import bootstrap, listed, table
from analysis.campaign.columns import column_of
from analysis.campaign.sample_sizes import least_values

RESAMPLES = 9999
METHODS: tuple[bootstrap.Method, ...] = ("BCa", "percentile")
"""Of the intervals, the first that is defined."""
VALUES = ["first", "second", "difference"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, in the metric's unit.

    low, high : the ends of the interval; None for fewer values than `least_values`
    """

    estimate: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Line:
    """One metric of a case of the first campaign and of its partner in the second.

    cases : the name of the case in the first campaign, and in the second
    place : the value of each listed factor that splits the networks, in words
    pairs : number of networks whose runs are ok in both campaigns; of a single
        network, of its repetitions that are not all the same
    first, second : medians over these pairs, in the metric's unit
    mean, median : of the differences, second less first
    above, below : number of pairs in which the second campaign has more, or less
    """

    metric: str
    cases: tuple[str, str]
    pairs: int
    first: float
    second: float
    mean: Interval
    median: Interval
    above: int
    below: int
    place: tuple[str, ...] = ()


def pairs(
    first: pd.DataFrame,
    second: pd.DataFrame,
    factors: Sequence[str],
    cases: Mapping[str, str],
    metric: str,
) -> pd.DataFrame:
    """The differences of a metric, one row per pair of runs.

    first, second : tables made by `analysis.campaign.table`; only ok runs count
    factors : the columns that identify a design point; both tables must have the
        same values there
    cases : case of the first campaign to its partner in the second
    metric : name as in an experiment file

    Columns: case, repetition, the factors, first, second, difference.
    """
    column = column_of(metric, first)
    keys = ["repetition", *factors]
    joined_by_case = []
    for first_case, second_case in cases.items():
        joined = _values(first, first_case, keys, column).merge(
            _values(second, second_case, keys, column),
            on=keys,
            suffixes=("_first", "_second"),
        )
        joined.insert(0, "case", first_case)
        joined_by_case.append(joined)
    table_of_pairs = pd.concat(joined_by_case, ignore_index=True)
    table_of_pairs = table_of_pairs.rename(
        columns={"value_first": "first", "value_second": "second"}
    )
    numbers = table_of_pairs[["first", "second"]].astype(float)
    table_of_pairs[["first", "second"]] = numbers
    table_of_pairs["difference"] = numbers["second"] - numbers["first"]
    return table_of_pairs


def _values(
    runs: pd.DataFrame, case: str, keys: Sequence[str], column: str
) -> pd.DataFrame:
    """The key columns and the column, as `value`, of a case's ok runs."""
    good = table.ok(runs)
    if column not in good.columns:
        good = good.assign(**{column: np.nan})
    values = good.loc[good["case"] == case, [*keys, column]].dropna()
    return values.rename(columns={column: "value"})


def lines(
    pairs: pd.DataFrame,
    cases: Mapping[str, str],
    metric: str,
    rng: np.random.Generator,
    confidence: float = 0.95,
    split: Sequence[str] = (),
) -> list[Line]:
    """One line per pair of cases, without the cases that have no pair of runs.

    pairs : as the function `pairs` returns them
    split : listed factors, such as a size, whose values have a line each: a network has
        all of them, so they are no networks of their own
    rng : draws the bootstrap resamples
    confidence : level of the intervals, above 0 and below 1
    """
    result = []
    for first_case, second_case in cases.items():
        of_case = pairs[pairs["case"] == first_case]
        for place, part in _parts(of_case, split):
            observed = observations(part)
            differences = observed["difference"].to_numpy(float)
            result.append(
                Line(
                    metric=metric,
                    cases=(first_case, second_case),
                    pairs=len(observed),
                    first=float(observed["first"].median()),
                    second=float(observed["second"].median()),
                    mean=interval(differences, np.mean, rng, confidence),
                    median=interval(differences, np.median, rng, confidence),
                    above=int((differences > 0).sum()),
                    below=int((differences < 0).sum()),
                    place=place,
                )
            )
    return result


def _parts(
    pairs: pd.DataFrame, split: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The pairs of each value of the listed factors, with the values in words."""
    if pairs.empty:
        return
    if not split:
        yield (), pairs
        return
    for values, part in pairs.groupby(list(split), sort=False):
        yield tuple(map(listed.value_text, values)), part


def observations(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per independent observation of a case.

    Repetitions of a network share its difference, so they are averaged. Of a single
    network, the repetitions are the observations, and identical ones are one.
    """
    points = [name for name in pairs if name not in ("case", "repetition", *VALUES)]
    if points and len(pairs[points].drop_duplicates()) > 1:
        grouped = pairs.groupby(points, dropna=False, sort=False)
        return grouped[VALUES].mean().reset_index()
    distinct = pairs.drop_duplicates(VALUES)
    return distinct if len(distinct) == 1 else pairs


def interval(
    values: np.ndarray,
    statistic: Callable[..., np.floating],
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Interval:
    """A statistic of values with its bootstrap confidence interval.

    values : shape (n,), n >= 1
    statistic : np.mean or np.median
    rng : draws the resamples
    confidence : level of the interval, above 0 and below 1

    The interval is the bias-corrected and accelerated (BCa) one. The percentile
    interval replaces it where the acceleration is not defined, as for a median that
    no single value changes. If all values are equal, so are both ends.
    """
    estimate = float(statistic(values))
    if len(values) < least_values(confidence):
        return Interval(estimate, None, None)
    if np.ptp(values) == 0:
        return Interval(estimate, estimate, estimate)
    for method in METHODS:
        with np.errstate(all="ignore"):
            low, high = bootstrap.interval(
                values, statistic, rng, RESAMPLES, confidence, method
            )
        if np.isfinite(low) and np.isfinite(high):
            break
    return Interval(estimate, low, high)

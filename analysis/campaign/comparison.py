"""Two campaigns over the same design points, difference by difference."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from analysis.campaign import table
from analysis.figures.request import COLUMNS

RESAMPLES = 9999
LEAST_PAIRS = 3


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, None where pairs are too few."""

    estimate: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Line:
    """A metric of two cases, second less first.

    pairs : design points and repetitions at which both are ok
    first, second : medians over these
    mean, median : of the differences
    above, below : pairs in which the second is more, and less
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


def pairs(
    first: pd.DataFrame,
    second: pd.DataFrame,
    factors: Sequence[str],
    cases: Mapping[str, str],
    metric: str,
) -> pd.DataFrame:
    """The differences of a metric, one row a pair.

    first, second : tables (analysis.campaign.table); runs that are not ok do not count
    factors : columns that name a design point, with equal values in both
    cases : of the first to those of the second
    metric : as in an experiment file

    Columns: case, repetition, the factors, first, second, difference.
    """
    column = COLUMNS.get(metric, metric)
    keys = ["repetition", *factors]
    parts = []
    for one, other in cases.items():
        sides = []
        for frame, case in ((first, one), (second, other)):
            good = table.ok(frame)
            if column not in good.columns:
                good = good.assign(**{column: np.nan})
            mine = good.loc[good["case"] == case, [*keys, column]].dropna()
            sides.append(mine.rename(columns={column: "value"}))
        both = sides[0].merge(sides[1], on=keys, suffixes=("_first", "_second"))
        both.insert(0, "case", one)
        parts.append(both)
    joined = pd.concat(parts, ignore_index=True)
    joined = joined.rename(columns={"value_first": "first", "value_second": "second"})
    numbers = joined[["first", "second"]].astype(float)
    joined[["first", "second"]] = numbers
    joined["difference"] = numbers["second"] - numbers["first"]
    return joined


def lines(
    found: pd.DataFrame,
    cases: Mapping[str, str],
    metric: str,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> list[Line]:
    """A line a pair of cases that has any pair.

    found : from `pairs`
    rng : draws the resamples
    confidence : 0-1, of the bias-corrected and accelerated bootstrap intervals
    """
    result = []
    for one, other in cases.items():
        mine = found[found["case"] == one]
        if mine.empty:
            continue
        differences = mine["difference"].to_numpy(float)
        result.append(
            Line(
                metric=metric,
                cases=(one, other),
                pairs=len(mine),
                first=float(mine["first"].median()),
                second=float(mine["second"].median()),
                mean=interval(differences, np.mean, rng, confidence),
                median=interval(differences, np.median, rng, confidence),
                above=int((differences > 0).sum()),
                below=int((differences < 0).sum()),
            )
        )
    return result


def interval(
    values: np.ndarray,
    statistic: object,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Interval:
    """Of np.mean or np.median over values, shape (n,), n >= 1.

    Where all values are the same so are both ends; where the acceleration is not
    defined (a median that no single value moves) the percentile interval is taken.
    """
    estimate = float(statistic(values))  # type: ignore[operator]
    if len(values) < LEAST_PAIRS:
        return Interval(estimate, None, None)
    if np.ptp(values) == 0:
        return Interval(estimate, estimate, estimate)
    for method in ("BCa", "percentile"):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", stats.DegenerateDataWarning)
            found = stats.bootstrap(
                (values,),
                statistic,
                n_resamples=RESAMPLES,
                confidence_level=confidence,
                method=method,
                rng=rng,
                vectorized=True,
            ).confidence_interval
        if np.isfinite(found.low) and np.isfinite(found.high):
            break
    return Interval(estimate, float(found.low), float(found.high))

"""Dependence of a campaign's figures on the points that its design has.

[thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and Models",
UCLouvain, 2017, Tables 3.2, 4.1 and 5.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd

from analysis.campaign import table
from analysis.campaign.columns import column_of

QUANTILES = {"median": 0.5, "25th percentile": 0.25, "75th percentile": 0.75}
RANGES = {
    "aggregation_benefit": 2.0,
    "experimental_aggregation_benefit": 2.0,
    "jain": 1.0,
    "retransmission_ratio": 1.0,
    "traffic_split": 1.0,
    "utilisation": 1.0,
}
"""Width of the range of values that a metric can take. [thesis] sec. 3.3.3 takes
[-1, 1] for A_B. E_AB gets the same range, although it can exceed 1."""


@dataclass(frozen=True)
class Spread:
    """One statistic, such as the median, over several designs.

    values : the statistic of each design, in the metric's unit
    scale : what deviations are relative to, in the same unit, above 0
    """

    values: tuple[float, ...]
    scale: float

    @property
    def mean(self) -> float:
        """Mean over the designs, in the metric's unit."""
        return float(np.mean(self.values))

    @property
    def relative_deviation(self) -> float:
        """Sample standard deviation, with n - 1, over the scale.

        [thesis] does not say whether it divides by n - 1 or by n. With n, three
        designs give a deviation that is 0.82 times as large.
        """
        return float(np.std(self.values, ddof=1)) / self.scale

    @property
    def relative_error(self) -> float:
        """Standard error of the mean over the scale. More designs make it smaller."""
        return self.relative_deviation / sqrt(len(self.values))


@dataclass(frozen=True)
class Line:
    """One metric of one group of runs, over all designs.

    group : column name to value: the case, and the factors that are lists
    runs : number of runs in each design
    ranged : True if deviations are relative to the metric's range, False if they are
        relative to its mean
    spreads : statistic's name, see QUANTILES, to its values over the designs
    """

    metric: str
    group: dict[str, object]
    runs: tuple[int, ...]
    ranged: bool
    spreads: dict[str, Spread]


def lines(
    designs: Sequence[pd.DataFrame], metrics: Sequence[str], groups: Sequence[str]
) -> list[Line]:
    """Median and quartiles of every metric and group, over at least two designs.

    designs : one table of runs per design; only runs that are ok count
    metrics : names as in an experiment file
    groups : columns that split a table beside `case`

    A group that lacks a metric in one of the designs has no line for this metric.
    Raises ValueError for fewer than two designs.
    """
    if len(designs) < 2:
        raise ValueError(f"{len(designs)} designs; a deviation needs at least two")
    result = []
    for metric in metrics:
        column = column_of(metric, designs[0])
        values_by_design = [_split(table.ok(runs), column, groups) for runs in designs]
        for key in values_by_design[0]:
            samples = [values.get(key, np.array([])) for values in values_by_design]
            if all(len(sample) for sample in samples):
                group = dict(zip(("case", *groups), key, strict=True))
                result.append(_line(metric, group, samples))
    return result


def worst_error(lines: Sequence[Line]) -> float:
    """The largest relative standard error of all statistics; 0 without lines."""
    spreads = (spread for line in lines for spread in line.spreads.values())
    return max((spread.relative_error for spread in spreads), default=0.0)


def worst_deviation(lines: Sequence[Line]) -> float:
    """The largest relative standard deviation of all statistics; 0 without lines.

    It says how far the figures of one design are from those of another design with
    as many points.
    """
    spreads = (spread for line in lines for spread in line.spreads.values())
    return max((spread.relative_deviation for spread in spreads), default=0.0)


def frame(lines: Sequence[Line]) -> pd.DataFrame:
    """One row per line and statistic, as `sensitivity.csv` holds them."""
    rows = []
    for line in lines:
        for name, spread in line.spreads.items():
            rows.append(
                {
                    "metric": line.metric,
                    **line.group,
                    "statistic": name,
                    "designs": len(spread.values),
                    "runs": sum(line.runs),
                    "mean": spread.mean,
                    "relative_to": "range" if line.ranged else "mean",
                    "relative_deviation": spread.relative_deviation,
                    "relative_error": spread.relative_error,
                    **{f"design{i}": v for i, v in enumerate(spread.values, start=1)},
                }
            )
    return pd.DataFrame(rows)


def _split(
    runs: pd.DataFrame, column: str, groups: Sequence[str]
) -> dict[tuple[object, ...], np.ndarray]:
    """The values of a column by (case, value of each group column)."""
    if column not in runs.columns:
        return {}
    known = runs[runs[column].notna()]
    by_group = known.groupby(["case", *groups], sort=False)
    return {tuple(key): part[column].to_numpy(float) for key, part in by_group}


def _line(metric: str, group: dict[str, object], samples: Sequence[np.ndarray]) -> Line:
    """samples : the metric's values in each design, at least one per design"""
    range_width = RANGES.get(metric)
    spreads = {}
    for name, quantile in QUANTILES.items():
        values = tuple(float(np.quantile(sample, quantile)) for sample in samples)
        mean = abs(float(np.mean(values)))
        spreads[name] = Spread(values, range_width or mean or 1.0)
    runs = tuple(len(sample) for sample in samples)
    return Line(metric, group, runs, range_width is not None, spreads)

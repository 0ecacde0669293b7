"""How much a campaign's figures depend on which points its design has.

[thesis] Chauvenne and Libioulle, 2017, Tables 3.2, 4.1 and 5.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd

from analysis.campaign import table
from analysis.figures.request import COLUMNS

QUANTILES = {"median": 0.5, "25th percentile": 0.25, "75th percentile": 0.75}
RANGES = {
    "aggregation_benefit": 2.0,
    "experimental_aggregation_benefit": 2.0,
    "jain": 1.0,
    "retransmission_ratio": 1.0,
    "traffic_split": 1.0,
    "utilisation": 1.0,
}
"""Width of what a metric can be. [thesis] 3.3.3 takes [-1, 1] for A_B; E_AB, which may
exceed 1, is taken the same."""


@dataclass(frozen=True)
class Spread:
    """One statistic over several designs.

    values : of each design; scale : what deviations are relative to
    """

    values: tuple[float, ...]
    scale: float

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def relative_deviation(self) -> float:
        """Sample standard deviation (n - 1) over the scale.

        The thesis does not say which it takes; with n in place of n - 1 three designs
        give 0.82 times as much.
        """
        return float(np.std(self.values, ddof=1)) / self.scale

    @property
    def relative_error(self) -> float:
        """Standard error of the mean over the scale: what more designs make smaller."""
        return self.relative_deviation / sqrt(len(self.values))


@dataclass(frozen=True)
class Line:
    """A metric of a group of runs.

    group : name of a column to value: the case, and the factors that are lists
    runs : of each design
    ranged : whether deviations are relative to the metric's range; else to the mean
    spreads : by name of the statistic
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

    designs : the table of each design; runs that are not ok do not count
    metrics : names as in an experiment file
    groups : columns that split a table beside `case`

    A metric that a group has not in every design is left out.
    Raises ValueError for fewer than two designs.
    """
    if len(designs) < 2:
        raise ValueError(f"{len(designs)} designs; a deviation takes at least two")
    found = []
    for metric in metrics:
        column = COLUMNS.get(metric, metric)
        split = [_split(table.ok(each), column, groups) for each in designs]
        for key in split[0]:
            parts = [each.get(key, np.array([])) for each in split]
            if all(len(part) for part in parts):
                group = dict(zip(("case", *groups), key, strict=True))
                found.append(_line(metric, group, parts))
    return found


def worst_error(found: Sequence[Line]) -> float:
    """The largest relative standard error of all figures; 0 without figures."""
    errors = (s.relative_error for line in found for s in line.spreads.values())
    return max(errors, default=0.0)


def worst_deviation(found: Sequence[Line]) -> float:
    """The largest relative standard deviation: how far one design's figures are from
    those of another of as many points."""
    spreads = (s for line in found for s in line.spreads.values())
    return max((s.relative_deviation for s in spreads), default=0.0)


def _split(
    rows: pd.DataFrame, column: str, groups: Sequence[str]
) -> dict[tuple[object, ...], np.ndarray]:
    if column not in rows.columns:
        return {}
    known = rows[rows[column].notna()]
    by = known.groupby(["case", *groups], sort=False)
    return {tuple(key): part[column].to_numpy(float) for key, part in by}


def _line(metric: str, group: dict[str, object], parts: Sequence[np.ndarray]) -> Line:
    scale = RANGES.get(metric)
    spreads = {}
    for name, quantile in QUANTILES.items():
        values = tuple(float(np.quantile(part, quantile)) for part in parts)
        mean = abs(float(np.mean(values)))
        spreads[name] = Spread(values, scale or mean or 1.0)
    return Line(metric, group, tuple(map(len, parts)), scale is not None, spreads)


def frame(found: Sequence[Line]) -> pd.DataFrame:
    """One row a line and statistic, for a file."""
    rows = []
    for line in found:
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

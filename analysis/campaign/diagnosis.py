"""Unknown settings of a network, judged by a number that somebody observed.

Each row is a run of the experiment with some values of the unknowns. A run fits if its
metrics are within the observed tolerance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd

from analysis.campaign.numbers import short

BINS = 4
"""Parts of a range whose means are compared."""
LEAST_FITS = 2
BOUNDING = 2 * LEAST_FITS
"""The fitting runs from which on the ends of their values bound an unknown."""
WIDE = 0.25
"""The share of a range from which on its fitting values leave it open."""
SEPARATED = 0.8
TELLING = (
    "retransmission_ratio",
    "reinjection_ratio",
    "out_of_order_ratio",
    "duplicate_ratio",
    "subflows_stale",
    "tcp_timeouts",
    "srtt_ms",
    "rate_jitter",
    "loss_probability",
    "limited_by_application",
    "limited_by_window",
)
"""Columns that a user of a real machine can see too, from its counters or captures."""
SHARES = (".share", ".goodput_mbps")


@dataclass(frozen=True)
class Unknown:
    """A setting that nobody knows.

    name : as it stands in the experiment file
    column : of the table of runs
    unit : of its values; "" for words and plain numbers
    values : the possible ones; empty for a range
    low, high : the ends of the range
    whole : whether only whole numbers are possible
    """

    name: str
    column: str
    unit: str = ""
    values: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False

    @property
    def is_range(self) -> bool:
        return not self.values


@dataclass(frozen=True)
class Observation:
    """A number that somebody saw.

    metric : as it stands in the experiment file; column : of the table of runs
    within : the tolerance as a share of the value, above 0
    """

    metric: str
    column: str
    value: float
    within: float


@dataclass(frozen=True)
class Difference:
    """A column that tells values of an unknown apart among the runs that fit.

    means : of the column, by the unknown's value or half of its range
    strength : 0-1; 1 if the groups do not overlap
    """

    unknown: str
    column: str
    means: Mapping[str, float]
    strength: float


def distances(rows: pd.DataFrame, seen: Sequence[Observation]) -> "pd.Series[float]":
    """The largest deviation of each run from what was observed, in tolerances: a run
    fits up to 1. It is infinite for a run that lacks a metric."""
    found = pd.Series(0.0, index=rows.index)
    for one in seen:
        values = (
            pd.to_numeric(rows[one.column], errors="coerce")
            if one.column in rows
            else pd.Series(np.nan, index=rows.index)
        )
        off = (values - one.value).abs() / (one.within * abs(one.value))
        found = found.combine(off.fillna(np.inf), max)
    return found


def influence(
    rows: pd.DataFrame, unknowns: Sequence[Unknown], column: str, best: "pd.Series[Any]"
) -> dict[str, float]:
    """The share of a column's variance that each unknown explains alone, 0-1.

    best : the closest run. A range is judged among the runs that have its values of all
        lists, because it may matter with some of them only

    It is omega squared of an analysis of variance over a list's values, or over BINS
    parts of a range; of a range the squared rank correlation, adjusted for the number
    of runs, if that is more. It is 0 if the column does not vary.
    """
    known = rows[pd.to_numeric(rows[column], errors="coerce").notna()]
    alike = known
    for one in unknowns:
        if not one.is_range:
            alike = alike[alike[one.column].astype(str) == str(best[one.column])]
    found = {}
    for one in unknowns:
        judged = alike if one.is_range else known
        target = pd.to_numeric(judged[column]).to_numpy(float)
        found[one.name] = _omega(target, _groups(judged, one).to_numpy())
        if one.is_range:
            values = pd.to_numeric(judged[one.column])
            found[one.name] = max(found[one.name], _ranked(values, target))
    return found


def _ranked(values: "pd.Series[float]", target: np.ndarray) -> float:
    """The squared rank correlation, 1 - (1 - r^2) (n - 1) / (n - 2), cut to 0-1."""
    count = len(target)
    if count < 4 or values.nunique() < 2 or len(np.unique(target)) < 2:
        return 0.0
    ranks = pd.Series(target, index=values.index).rank()
    squared = float(values.rank().corr(ranks)) ** 2
    return min(1.0, max(0.0, 1 - (1 - squared) * (count - 1) / (count - 2)))


def _groups(rows: pd.DataFrame, unknown: Unknown) -> "pd.Series[int]":
    """The number of each run's group by the unknown."""
    if not unknown.is_range:
        return pd.Series(
            [unknown.values.index(str(value)) for value in rows[unknown.column]],
            index=rows.index,
        )
    span = unknown.high - unknown.low
    part = (pd.to_numeric(rows[unknown.column]) - unknown.low) / span * BINS
    return part.astype(int).clip(0, BINS - 1)


def _omega(target: np.ndarray, groups: np.ndarray) -> float:
    """Omega squared: (SSB - (k - 1) MSW) / (SST + MSW), cut to 0-1."""
    labels = np.unique(groups)
    total = float(((target - target.mean()) ** 2).sum()) if len(target) else 0.0
    if len(labels) < 2 or len(target) <= len(labels) or total <= 0:
        return 0.0
    parts = [target[groups == label] for label in labels]
    within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    mean_square = within / (len(target) - len(labels))
    between = total - within
    value = (between - (len(labels) - 1) * mean_square) / (total + mean_square)
    return float(min(1.0, max(0.0, value)))


def differences(
    fits: pd.DataFrame, unknowns: Sequence[Unknown], seen: Sequence[Observation]
) -> list[Difference]:
    """The best column for each unknown that the fitting runs leave open.

    Groups are its values, or the two halves of its fitting values. A column whose
    groups overlap by much tells nothing and is left out.
    """
    return [
        each
        for one in unknowns
        for each in telling(_open_groups(fits, one), fits, seen, one.name)
    ]


def telling(
    groups: Mapping[str, pd.Index],
    fits: pd.DataFrame,
    seen: Sequence[Observation],
    what: str,
) -> list[Difference]:
    """The column that tells groups of fitting runs apart best; none if none does.

    what : the name of what the groups differ in
    """
    hidden = {one.column for one in seen}
    columns = [
        str(name)
        for name in fits.columns
        if (name in TELLING or str(name).endswith(SHARES)) and name not in hidden
    ]
    told = [_difference(what, name, groups, fits) for name in columns]
    best = max(filter(None, told), key=lambda each: each.strength, default=None)
    return [best] if best is not None and best.strength >= SEPARATED else []


def _open_groups(fits: pd.DataFrame, unknown: Unknown) -> dict[str, pd.Index]:
    """The fitting runs by an unknown that they leave open; empty if they settle it."""
    if not unknown.is_range:
        words = fits[unknown.column].astype(str)
        return {
            value: fits.index[words == value]
            for value in unknown.values
            if (words == value).sum() >= LEAST_FITS
        }
    values = fits[unknown.column].to_numpy(float)
    if len(values) < BOUNDING:
        return {}
    if values.max() - values.min() < WIDE * (unknown.high - unknown.low):
        return {}
    middle = float(np.median(values))
    unit = f" {unknown.unit}" if unknown.unit else ""
    return {
        f"up to {short(middle, 4)}{unit}": fits.index[values <= middle],
        f"above {short(middle, 4)}{unit}": fits.index[values > middle],
    }


def _difference(
    what: str, column: str, groups: Mapping[str, pd.Index], fits: pd.DataFrame
) -> Difference | None:
    """Strength with which a column tells the groups apart.

    It is the least over pairs of groups of the probability that a value of one is on
    its side of a value of the other, from 0 for even chances to 1.
    """
    values = pd.to_numeric(fits[column], errors="coerce")
    parts = {name: values[index].dropna() for name, index in groups.items()}
    if len(parts) < 2 or any(len(part) < LEAST_FITS for part in parts.values()):
        return None
    strengths = []
    for one, two in combinations(parts.values(), 2):
        above = (one.to_numpy()[:, None] > two.to_numpy()[None, :]).mean()
        below = (one.to_numpy()[:, None] < two.to_numpy()[None, :]).mean()
        strengths.append(abs(float(above - below)))
    means = {name: float(part.mean()) for name, part in parts.items()}
    return Difference(what, column, means, min(strengths))


def narrowed(
    rows: pd.DataFrame, unknowns: Sequence[Unknown], off: "pd.Series[float]"
) -> list[Unknown]:
    """The unknowns with the values of the best runs.

    These are the runs that fit, or else those with up to three times the least
    deviation. A range ends one step of the design beside their values.
    """
    best = rows[off <= max(1.0, 3 * float(off.min()))]
    ranges = sum(one.is_range for one in unknowns)
    found = []
    for one in unknowns:
        if one.is_range:
            values = pd.to_numeric(best[one.column])
            step = (one.high - one.low) / max(2.0, len(rows) ** (1 / ranges))
            low, high = float(values.min()) - step, float(values.max()) + step
            if one.whole:
                low, high = floor(low), ceil(high)
            low, high = max(one.low, low), min(one.high, high)
            found.append(replace(one, low=low, high=high))
        else:
            there = set(best[one.column].astype(str))
            kept = tuple(value for value in one.values if value in there)
            found.append(replace(one, values=kept))
    return found

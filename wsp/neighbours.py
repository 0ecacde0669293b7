"""Distances to the nearest of several points, in memory that stays bounded."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wsp.selection import Metric

_AT_ONCE = 2_000_000
"""Distances that are in memory at a time."""

Rows = NDArray[np.float64]


def distances(one: Rows, other: Rows, metric: Metric) -> Rows:
    """The distance from each row of `one` to each of `other`, shape (n, m)."""
    found = np.zeros((len(one), len(other)))
    for mine, others in zip(one.T, other.T, strict=True):
        away = np.subtract.outer(mine, others)
        found += away * away if metric == "euclidean" else np.abs(away)
    return np.asarray(np.sqrt(found)) if metric == "euclidean" else found


def blocks(one: Rows, other: Rows, metric: Metric) -> Iterator[tuple[int, Rows]]:
    """The distances of some rows of `one` at a time, with the first row's number."""
    step = max(1, _AT_ONCE // max(1, len(other)))
    for first in range(0, len(one), step):
        yield first, distances(one[first : first + step], other, metric)

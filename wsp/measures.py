"""Measures of how well a design fills the unit cube.

All functions take an (n, d) array of points in the unit cube. gamma_i is the distance
from point i to its nearest neighbour.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wsp.neighbours import blocks
from wsp.selection import Metric, checked


@dataclass(frozen=True)
class Criteria:
    """The criteria of one design; distances are nan for a single point.

    minimum_distance : higher is better
    coverage : dimensionless, 0 for a regular grid; lower is better
    mean_nearest_distance, mean_distance : higher is better
    discrepancy : centred L2 discrepancy, Euclidean or not; lower is better
    outer_share : share of all coordinates in the outer tenths of their ranges, see
        `outer_share`; 0.2 for uniform points
    """

    minimum_distance: float
    coverage: float
    mean_nearest_distance: float
    mean_distance: float
    discrepancy: float
    outer_share: float


def nearest_distances(
    points: ArrayLike, metric: Metric = "euclidean"
) -> NDArray[np.float64]:
    """gamma_i, shape (n,); nan for a single point."""
    rows = checked(points, metric).T
    if len(rows) == 1:
        return np.array([math.nan])
    found = np.empty(len(rows))
    for first, away in blocks(rows, rows, metric):
        own = np.arange(len(away))
        away[own, first + own] = math.inf
        found[first : first + len(away)] = away.min(axis=1)
    return found


def minimum_distance(points: ArrayLike, metric: Metric = "euclidean") -> float:
    """min gamma_i, the least distance between any two points (thesis 2.3.1)."""
    return float(nearest_distances(points, metric).min())


def coverage(points: ArrayLike, metric: Metric = "euclidean") -> float:
    """Coverage ("cover") measure: standard deviation of gamma_i over their mean.

    (1 / mean gamma) * sqrt((1 / n) * sum (gamma_i - mean gamma)^2), as in
    Gunzburger and Burkardt, "Uniformity measures for point samples in hypercubes"
    (2004). 0 when all gamma_i are equal, as on a grid; nan when all points are
    at one place.
    """
    gamma = nearest_distances(points, metric)
    mean = float(gamma.mean())
    return float(gamma.std()) / mean if mean > 0 else math.nan


def mean_nearest_distance(points: ArrayLike, metric: Metric = "euclidean") -> float:
    """Mean of gamma_i."""
    return float(nearest_distances(points, metric).mean())


def mean_distance(points: ArrayLike, metric: Metric = "euclidean") -> float:
    """Mean distance over all n (n - 1) / 2 pairs."""
    rows = checked(points, metric).T
    if len(rows) == 1:
        return math.nan
    sums = [away.sum() for _, away in blocks(rows, rows, metric)]
    return math.fsum(sums) / (len(rows) * (len(rows) - 1))


def discrepancy(points: ArrayLike) -> float:
    """Centred L2 discrepancy, squared: eq. 5 of F. J. Hickernell, "A generalized
    discrepancy and quadrature error bound", Mathematics of Computation 67, 1998."""
    rows = checked(points, "euclidean").T
    n, d = rows.shape
    away = np.abs(rows - 0.5)
    single = np.prod(1 + 0.5 * away - 0.5 * away**2, axis=1).sum()
    both = 0.0
    for row, mine in zip(rows, away, strict=True):
        near = np.abs(rows - row)
        both += np.prod(1 + 0.5 * mine + 0.5 * away - 0.5 * near, axis=1).sum()
    return float((13 / 12) ** d - 2 / n * single + both / n**2)


def outer_share(points: ArrayLike, width: float = 0.1) -> float:
    """Share of all coordinates, 0-1, within `width` of either end of their range.

    width : 0 to 0.5. The share is 2 `width` for uniform points; WSP in a cube has
        more, because a point at a face has no neighbours behind the face
    """
    rows = checked(points, "euclidean")
    return float(np.mean((rows < width) | (rows > 1 - width)))


def criteria(points: ArrayLike, metric: Metric = "euclidean") -> Criteria:
    """All criteria of a design."""
    gamma = nearest_distances(points, metric)
    return Criteria(
        minimum_distance=float(gamma.min()),
        coverage=coverage(points, metric),
        mean_nearest_distance=float(gamma.mean()),
        mean_distance=mean_distance(points, metric),
        discrepancy=discrepancy(points),
        outer_share=outer_share(points),
    )

"""WSP: thin a candidate set until its points are a minimum distance apart.

Thesis, sec. 2.3.1 (Chauvenne and Libioulle, UCLouvain 2017), after Santiago,
Claeys-Bruno and Sergent, "Construction of space-filling designs using WSP
algorithm for high dimensional spaces", Chemometrics and Intelligent Laboratory
Systems 113 (2012), 26-31. How this differs from the text:

* Step 2 (the matrix of all distances) is not carried out. Each step needs the
  distances from one point only, so memory is linear in the candidates.
* Step 6 ends "when no more points are eliminated". A point may well eliminate
  nothing while others remain to be visited, so the walk ends when every
  remaining point has been the reference point.
* Ties for the nearest point go to the lowest index (the papers leave it open).
* A point at exactly d_min is kept (step 4 eliminates D < d_min).

Distances are summed coordinate by coordinate in double precision, never through
a BLAS, so that every machine makes the same choice.

The boundary "torus" is not in the papers. It joins the two ends of each range: two
coordinates a and b differ by min(|a - b|, 1 - |a - b|). A point near a face of the
cube then has neighbours on all sides, as a point in the middle has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Metric = Literal["euclidean", "l1"]
Boundary = Literal["cube", "torus"]
Start = int | Literal["centre", "random"]

METRICS: tuple[Metric, ...] = ("euclidean", "l1")
BOUNDARIES: tuple[Boundary, ...] = ("cube", "torus")

_COMPACT_BELOW = 0.8  # copy the live points together when fewer than this are live


@dataclass(frozen=True)
class Walk:
    """One walk over the candidates with one d_min.

    Every d_min with ``below < cost(d_min) <= above`` makes the very same walk,
    where cost is the square for the Euclidean distance and the identity for L1.

    indices : ndarray of int, shape (k,), the kept points in order of visit
    above : float, least cost of a step to the next point; inf if there was none
    below : float, largest cost at which a point was eliminated; nan if not asked
    complete : bool, False if the walk was cut short at `limit` points
    """

    indices: NDArray[np.intp]
    above: float
    below: float
    complete: bool


def checked(
    points: ArrayLike, metric: str, boundary: str = "cube"
) -> NDArray[np.float64]:
    """Return `points` as coordinates, shape (d, n), C order, or raise ValueError.

    On a torus all coordinates must be from 0 to 1.
    """
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"points: shape {array.shape}; give (n, d) with n, d >= 1")
    if not np.isfinite(array).all():
        raise ValueError("points: not all finite; drop rows that hold nan or inf")
    if metric not in METRICS:
        raise ValueError(f"metric: {metric!r}; give one of {', '.join(METRICS)}")
    if boundary not in BOUNDARIES:
        raise ValueError(f"boundary: {boundary!r}; give one of {', '.join(BOUNDARIES)}")
    if boundary == "torus" and (array.min() < 0 or array.max() > 1):
        raise ValueError(
            "points: not all from 0 to 1, as a torus needs; scale them to the unit"
            " cube, or take boundary 'cube'"
        )
    return np.ascontiguousarray(array.T)


def start_index(
    points: ArrayLike,
    start: Start = "centre",
    metric: Metric = "euclidean",
    rng: np.random.Generator | None = None,
) -> int:
    """Index of the candidate from which WSP sets out (step 3).

    start : "centre" for the candidate nearest the middle (0.5, ..., 0.5) of the
        unit cube, "random" for one drawn from `rng`, or an index 0 <= i < n
    """
    columns = checked(points, metric)
    n = columns.shape[1]
    if start == "centre":
        away = columns - 0.5
        cost = away * away if metric == "euclidean" else np.abs(away)
        return int(np.add.reduce(cost, axis=0).argmin())
    if start == "random":
        if rng is None:
            raise ValueError("start: 'random' needs a generator; pass rng")
        return int(rng.integers(n))
    if isinstance(start, str) or not 0 <= int(start) < n:
        raise ValueError(
            f"start: {start!r}; give 'centre', 'random' or an index from 0 to {n - 1}"
        )
    return int(start)


def select(
    points: ArrayLike,
    d_min: float,
    start: Start = "centre",
    metric: Metric = "euclidean",
    rng: np.random.Generator | None = None,
    boundary: Boundary = "cube",
) -> NDArray[np.intp]:
    """Indices of the points that WSP keeps, in the order of the walk.

    points : array, shape (n, d), candidates, as a rule in the unit cube
    d_min : float >= 0, least distance between kept points (dimensionless)
    start : see `start_index`; the start is always kept
    metric : "euclidean" or "l1"
    boundary : "cube", or "torus" to join the ends of each range; a torus needs
        points in the unit cube

    Any two kept points are at least d_min apart, and every other candidate is
    nearer than d_min to a kept one. Implements steps 3-6 of thesis sec. 2.3.1.
    Takes O(k n d) time and O(n d) memory for k kept points.
    """
    columns = checked(points, metric, boundary)
    if not d_min >= 0:
        raise ValueError(f"d_min: {d_min}; give a distance of 0 or more")
    origin = start_index(points, start, metric, rng)
    return walk(columns, d_min, origin, metric, boundary=boundary).indices


def costs_from(
    columns: NDArray[np.float64],
    index: int,
    metric: Metric,
    boundary: Boundary = "cube",
) -> NDArray[np.float64]:
    """The cost of the distance from one point to each point, shape (n,).

    columns : ndarray, shape (d, n), as `checked` returns it
    index : the point, 0 <= index < n

    The cost is the square of a Euclidean distance, and an L1 distance itself.
    """
    return costs_of(columns - columns[:, index : index + 1], metric, boundary)


def costs_of(
    away: NDArray[np.float64], metric: Metric, boundary: Boundary
) -> NDArray[np.float64]:
    """The cost of each difference of two points, shape (n,).

    away : ndarray, shape (d, n), differences of coordinates; its contents change
    """
    if boundary == "torus":
        _fold(away, np.empty_like(away))
    _SHAPES[metric](away, out=away)
    return np.asarray(np.add.reduce(away, axis=0))


_SHAPES: dict[str, Callable[..., object]] = {"euclidean": np.square, "l1": np.abs}


def _fold(away: NDArray[np.float64], work: NDArray[np.float64]) -> None:
    """Make differences of coordinates those of the torus, in place.

    work : the same shape; its contents change

    An infinite difference becomes minus infinity, whose cost is infinite.
    """
    np.abs(away, out=away)
    np.subtract(1.0, away, out=work)
    np.minimum(away, work, out=away)


def walk(
    columns: NDArray[np.float64],
    d_min: float,
    origin: int,
    metric: Metric,
    limit: int | None = None,
    want_below: bool = False,
    boundary: Boundary = "cube",
) -> Walk:
    """Walk once from `origin`; see `Walk` and `select`.

    columns : ndarray, shape (d, n), C order, finite (see `checked`); not changed
    limit : stop as soon as more than this many points are kept
    """
    threshold = d_min * d_min if metric == "euclidean" else d_min
    shape = _SHAPES[metric]
    _, n = columns.shape
    live = columns.copy()
    names = np.arange(n)
    work = np.empty_like(columns)
    other = np.empty_like(columns) if boundary == "torus" else None
    costs = np.empty(n)
    near = np.empty(n, dtype=bool)
    size = remaining = n
    kept: list[int] = []
    above, below = np.inf, 0.0 if want_below else np.nan
    while True:
        kept.append(int(names[origin]))
        if limit is not None and len(kept) > limit:
            return Walk(np.array(kept, dtype=np.intp), above, below, False)
        scratch, cost, hit = work[:, :size], costs[:size], near[:size]
        np.subtract(live, live[:, origin : origin + 1], out=scratch)
        if other is not None:
            _fold(scratch, other[:, :size])
        shape(scratch, out=scratch)
        np.add.reduce(scratch, axis=0, out=cost)
        np.less(cost, threshold, out=hit)
        if want_below:
            below = max(below, cost.max(where=hit, initial=0.0))
        hit[origin] = True
        remaining -= int(np.count_nonzero(hit))
        if remaining == 0:
            return Walk(np.array(kept, dtype=np.intp), above, below, True)
        if remaining < _COMPACT_BELOW * size:
            np.logical_not(hit, out=hit)
            np.logical_and(hit, np.isfinite(live[0]), out=hit)
            rest = np.flatnonzero(hit)
            live, names, cost = live.take(rest, axis=1), names[rest], cost[rest]
            size = remaining
        else:
            # A dead point lies at infinity: never near, never nearest.
            np.putmask(live[0], hit, np.inf)
            np.putmask(cost, hit, np.inf)
        origin = int(cost.argmin())
        above = min(above, float(cost[origin]))

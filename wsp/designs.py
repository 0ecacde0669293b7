"""From factors to a design with exactly the number of points asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wsp.candidate_sets import CandidateSet, candidates
from wsp.factors import Factor, centres, scale, unscale
from wsp.growth import grow
from wsp.measures import Criteria, criteria
from wsp.search import CountNotFound, Selection, adaptive
from wsp.selection import BOUNDARIES, Boundary, Metric, Start

Method = Literal["wsp", "lhs", "sobol", "uniform"]
Constraint = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

METHODS: tuple[Method, ...] = get_args(Method)

_STARTS = 16  # random starts tried before giving up
_REDRAWS = 32  # draws of a plain method before giving up


@dataclass(frozen=True)
class Design:
    """A design and how good it is.

    factors : tuple of d factors
    method : one of METHODS
    points : ndarray, shape (count, d), values in the factors' units
    unit : ndarray, shape (count, d), the same points in the unit cube
    d_min : float or None, the distance that WSP kept in the unit cube or torus; in a
        grown design, the one at which its last point came in; None if the method
        was not WSP
    feasible : int, distinct candidates that satisfied the constraint
    criteria : Criteria of `unit`, in the unit cube for either boundary
    boundary : "cube" or "torus", where WSP measured its distances
    """

    factors: tuple[Factor, ...]
    method: Method
    points: NDArray[np.float64]
    unit: NDArray[np.float64]
    d_min: float | None
    feasible: int
    criteria: Criteria
    boundary: Boundary = "cube"


def make_design(
    factors: Sequence[Factor],
    count: int,
    rng: np.random.Generator,
    method: Method = "wsp",
    candidates: int = 10_000,
    candidate_set: CandidateSet = "sobol",
    metric: Metric = "euclidean",
    start: Start = "centre",
    constraint: Constraint | None = None,
    grown_from: int | None = None,
    boundary: Boundary = "cube",
) -> Design:
    """Spread `count` distinct points over `factors`.

    count : int >= 1
    method : "wsp", or a plain "lhs", "sobol" or "uniform" sample to compare with
    candidates, candidate_set, start : for WSP only. A random start that does not
        allow `count` points is drawn again
    constraint : given values of shape (n, d), in the factors' units, returns
        which points are allowed, shape (n,)
    grown_from : int < count; the first so many points are the design that the same
        call gives for that count, the others are added to them (WSP only)
    boundary : for WSP only. "torus" measures distances as if the ends of each range
        were joined, so that points do not gather at the faces of the cube. Each
        level of a stepped factor then lies at `Factor.centres`

    Candidates are first snapped to the steps of their factors, then freed of
    duplicates and of points that the constraint forbids; WSP's distances are
    those between snapped points, each factor's range taken as 1.

    Raises ValueError, one line, if exactly `count` points cannot be had.
    """
    factors = tuple(factors)
    _check(factors, count, method, candidates, grown_from, boundary)
    if method != "wsp":
        values, feasible = _plain(factors, count, rng, method, constraint)
        unit = unscale(factors, values)
        return Design(
            factors, method, values, unit, None, feasible, criteria(unit, metric)
        )
    values = _draw(factors, candidates, candidate_set, rng, constraint)
    if len(values) < count:
        raise ValueError(_too_few(factors, count, len(values), candidates))
    place = centres if boundary == "torus" else unscale
    places = place(factors, values)
    found = _selected(places, grown_from or count, start, metric, rng, boundary)
    if grown_from is not None:
        found = grow(places, found.indices, count, metric, boundary)
    unit = unscale(factors, values[found.indices])
    return Design(
        factors,
        method,
        values[found.indices],
        unit,
        found.d_min,
        len(values),
        criteria(unit, metric),
        boundary,
    )


def _selected(
    unit: NDArray[np.float64],
    count: int,
    start: Start,
    metric: Metric,
    rng: np.random.Generator,
    boundary: Boundary,
) -> Selection:
    """The points of adaptive WSP. A random start that does not allow `count` points is
    drawn again."""
    for _ in range(_STARTS - 1 if start == "random" else 0):
        try:
            return adaptive(unit, count, start, metric, rng, boundary=boundary)
        except CountNotFound:
            continue
    return adaptive(unit, count, start, metric, rng, boundary=boundary)


def _check(
    factors: tuple[Factor, ...],
    count: int,
    method: str,
    candidates: int,
    grown_from: int | None,
    boundary: str,
) -> None:
    if not factors:
        raise ValueError("factors: none given; a design needs at least one")
    names = [f.name for f in factors]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"factors: {name} is given twice; name each one once")
    if method not in METHODS:
        raise ValueError(f"method: {method!r}; give one of {', '.join(METHODS)}")
    if count < 1:
        raise ValueError(f"points: {count} wanted; give 1 or more")
    if method == "wsp" and count > candidates:
        raise ValueError(
            f"points: {count} wanted of {candidates} candidates; give more candidates"
        )
    if boundary not in BOUNDARIES:
        raise ValueError(f"boundary: {boundary!r}; give one of {', '.join(BOUNDARIES)}")
    if boundary != "cube" and method != "wsp":
        raise ValueError(
            f"boundary: {boundary} is for wsp only, not for {method}; take it away"
        )
    if grown_from is not None and method != "wsp":
        raise ValueError(f"grown_from: only wsp's designs grow, not those of {method}")
    if grown_from is not None and not 1 <= grown_from < count:
        raise ValueError(
            f"grown_from: {grown_from} of {count} points; give 1 or more, and fewer"
            " than there are in the end"
        )


def _draw(
    factors: tuple[Factor, ...],
    n: int,
    method: CandidateSet,
    rng: np.random.Generator,
    constraint: Constraint | None,
) -> NDArray[np.float64]:
    """Distinct allowed values, in the order drawn, at most `n`."""
    values = scale(factors, candidates(method, n, len(factors), rng))
    if any(f.stepped for f in factors):
        values = _distinct(values)
    if constraint is not None:
        allowed = np.asarray(constraint(values))
        if allowed.shape != (len(values),):
            raise ValueError(
                f"constraint: gave shape {allowed.shape} for {len(values)} points; "
                "return one truth value per point"
            )
        values = values[allowed.astype(bool)]
    return values


def _distinct(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, first = np.unique(values, axis=0, return_index=True)
    return values[np.sort(first)]


def _plain(
    factors: tuple[Factor, ...],
    count: int,
    rng: np.random.Generator,
    method: CandidateSet,
    constraint: Constraint | None,
) -> tuple[NDArray[np.float64], int]:
    """A sample of `method`, and how many points of the last draw were allowed.

    A Latin hypercube loses its property with any point that is dropped, so it is
    drawn again whole; the others draw twice as many and take the first `count`.
    """
    drawn = count
    for _ in range(_REDRAWS):
        values = _draw(factors, drawn, method, rng, constraint)
        if len(values) >= count:
            return values[:count], len(values)
        if method != "lhs":
            drawn = min(2 * drawn, max(count, 1 << 20))
    raise ValueError(_too_few(factors, count, len(values), drawn))


def _too_few(factors: tuple[Factor, ...], count: int, feasible: int, drawn: int) -> str:
    grid = 1
    for factor in factors:
        grid = grid * factor.levels if grid and factor.levels else 0
    have = f"{feasible} of {drawn} candidates are distinct and allowed"
    if grid and grid < count:
        have = f"the factors' steps allow {grid}"
    return (
        f"points: {count} wanted but {have}; give more candidates, finer steps or a "
        "looser constraint"
    )

"""Adaptive WSP: find the d_min that keeps exactly the wanted number of points.

The idea of choosing d_min from a wanted size is in Beal, Claeys-Bruno and
Sergent, "Constructing space-filling designs using an adaptive WSP algorithm for
spaces with constraints", Chemometrics and Intelligent Laboratory Systems 133
(2014), 84-91; the search below is ours.

The number of points that WSP keeps is a step function of d_min. It falls as a whole
but jumps up and down by some per cent between neighbouring steps. Bisection may
therefore end between, say, 201 and 197 points and never see 200. Every walk tells how
far its step reaches on either side (`selection.Walk`), which gives a search in three
parts:

1. The search interpolates log(count) over log(d_min) between a d_min that keeps too
   many points and one that keeps too few, until the two are close. Where more than
   half of the candidates stay, it bisects over the distances of near pairs instead:
   a pair that is nearer than d_min costs one point at most.
2. It tries values about the d_min at which the count is right on average.
3. It makes one walk per step of the function, outwards from there, alternately
   upwards and downwards. No step is skipped. When both ends are reached, no d_min
   gives the count.

Nothing is random: the same candidates, count and start give the same answer.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wsp.selection import (
    Boundary,
    Metric,
    Start,
    Walk,
    checked,
    costs_of,
    start_index,
    walk,
)

MAX_WALKS = 1000

MOST_WORK = 4_000_000_000
"""Bound on walks x candidates x points of a search, about five seconds of one core."""

MOST_WALK = 2_000_000_000
"""Bound on candidates x points of one walk; with LEAST_WALKS, a minute of one core."""

LEAST_WALKS = 20
"""Walks that a search may make however large the design is."""

_SLOPE = 0.65  # log(count) falls about this times d with log(d_min)
_INTERPOLATIONS = 60  # at most, in part 1
_MEET = 1.002  # part 1 ends when its two ends are within this ratio
_DRAWS = 96  # in part 2
_BAND = 1.03  # ... no further than this ratio from where part 1 ended
_SPREAD = 0.004  # ... spread evenly over this relative width
_TINY = 1e-150  # no d_min below: its square must not vanish
_NEIGHBOURS = 8  # of each candidate, whose distances part 1 bisects over
_GOLDEN = (math.sqrt(5) - 1) / 2


class CountNotFound(ValueError):
    """No d_min was found that keeps exactly the wanted number of points."""


@dataclass(frozen=True)
class Selection:
    """Result of adaptive WSP.

    indices : ndarray of int, shape (count,), kept candidates in order of the walk
    d_min : float, `select` with this d_min and the same options gives these indices
    walks : int, number of walks that the search made
    """

    indices: NDArray[np.intp]
    d_min: float
    walks: int


def adaptive(
    points: ArrayLike,
    count: int,
    start: Start = "centre",
    metric: Metric = "euclidean",
    rng: np.random.Generator | None = None,
    max_walks: int = MAX_WALKS,
    boundary: Boundary = "cube",
) -> Selection:
    """Thin `points` by WSP to exactly `count` points.

    points : array, shape (n, d), distinct candidates, as a rule in the unit cube
    count : int, 1 <= count <= n
    start, metric, rng, boundary : see `selection.select`
    max_walks : int, bound on the search; each walk is one run of WSP. MOST_WORK
        bounds the search of a large design further

    Raises ValueError for a count outside its range or beyond MOST_WALK, CountNotFound
    (a ValueError) if no d_min gives that count or none was found within the bounds. The
    message names the nearest counts that were seen.
    """
    columns = checked(points, metric, boundary)
    n = columns.shape[1]
    if count < 1:
        raise ValueError(f"count: {count} points; give 1 or more")
    if count > n:
        raise ValueError(
            f"count: {count} points wanted of {n} candidates; give more candidates"
        )
    if count * n > MOST_WALK:
        raise ValueError(
            f"count: WSP would need hours for {count} points of {n} candidates; give"
            f" at most {MOST_WALK // n} points of so many candidates, or take sobol,"
            " which spreads any number"
        )
    if max_walks < 1:
        raise ValueError(f"max_walks: {max_walks}; give 1 or more")
    origin = start_index(points, start, metric, rng)
    affordable = max(LEAST_WALKS, MOST_WORK // (count * n))
    walks = min(max_walks, affordable)
    return _Search(columns, count, origin, metric, walks, boundary).run()


class _Search:
    """The state of one search: what is wanted and which counts were seen."""

    def __init__(
        self,
        columns: NDArray[np.float64],
        count: int,
        origin: int,
        metric: Metric,
        max_walks: int,
        boundary: Boundary,
    ) -> None:
        self.columns, self.count, self.origin = columns, count, origin
        self.metric: Metric = metric
        self.boundary: Boundary = boundary
        self.max_walks = max_walks
        self.limit = 2 * count + 16  # a walk stops here: the count is too high
        self.seen: list[tuple[float, int]] = []
        self.walks = 0

    def run(self) -> Selection:
        if 2 * self.count > self.columns.shape[1]:
            d_min, hit = self._bisect_pairs()
        else:
            d_min, hit = self._interpolate()
            if hit is None:
                d_min, hit = self._draw(d_min)
        if hit is None:
            d_min, hit = self._step_outwards(d_min)
        return Selection(hit.indices, d_min, self.walks)

    def _bisect_pairs(self) -> tuple[float, Walk | None]:
        """Part 1 for a dense design: the last d_min, and its walk if that hits."""
        costs = self._pair_costs()
        # Each of the first pairs removes one candidate at most, so that fewer pairs
        # than candidates to remove cannot be enough.
        low = min(self.columns.shape[1] - self.count, len(costs))
        high = len(costs)
        d_min = _TINY
        pairs = low
        while True:
            d_min = self._just_above(float(costs[pairs - 1])) if pairs else _TINY
            made = self._walk(d_min)
            if self._hit(made):
                return d_min, made
            if len(made.indices) > self.count:
                low = pairs + 1
            else:
                high = pairs - 1
            if low > high:
                return d_min, None
            # The first guess is nearly right where few candidates are removed.
            pairs = min((low + high) // 2, low + max(1, low // 4))

    def _pair_costs(self) -> NDArray[np.float64]:
        """The costs of distances between near candidates, in ascending order."""
        from scipy.spatial import KDTree  # slow to load, and few designs need it

        # KDTree's torus goes from 0 up to, but without, 1.
        torus = self.boundary == "torus"
        points = self.columns.T % 1.0 if torus else self.columns.T
        neighbours = min(_NEIGHBOURS + 1, len(points))
        power = 2 if self.metric == "euclidean" else 1
        tree = KDTree(points, boxsize=1.0 if torus else None)
        _, others = tree.query(points, k=neighbours, p=power)
        first = np.repeat(np.arange(len(points)), neighbours)
        second = others.reshape(-1)
        both = np.column_stack([np.minimum(first, second), np.maximum(first, second)])
        pairs = np.unique(both[first != second], axis=0)
        away = self.columns[:, pairs[:, 0]] - self.columns[:, pairs[:, 1]]
        return np.sort(costs_of(away, self.metric, self.boundary))

    def _walk(self, d_min: float, want_below: bool = False) -> Walk:
        if self.walks >= self.max_walks:
            raise CountNotFound(self._failure(f"in {self.walks} tries of d_min"))
        self.walks += 1
        made = walk(
            self.columns,
            d_min,
            self.origin,
            self.metric,
            self.limit,
            want_below,
            self.boundary,
        )
        if made.complete:
            self.seen.append((d_min, len(made.indices)))
        return made

    def _hit(self, made: Walk) -> bool:
        return made.complete and len(made.indices) == self.count

    def _interpolate(self) -> tuple[float, Walk | None]:
        """Part 1: the last d_min tried, and its walk if that was a hit."""
        dimensions, n = self.columns.shape
        spans = np.ptp(self.columns, axis=1)
        if self.boundary == "torus":
            spans = np.minimum(spans, 0.5)
        reach = math.hypot(*spans) if self.metric == "euclidean" else math.fsum(spans)
        reach = max(reach * (1 + 1e-12), _TINY)  # keeps one point
        low, low_count = 0.0, n
        high, high_count = reach, 1
        slope = _SLOPE * dimensions
        d_min = reach * self.count ** (-1 / slope)
        for _ in range(_INTERPOLATIONS):
            made = self._walk(d_min)
            if self._hit(made):
                return d_min, made
            found = len(made.indices)
            if found > self.count:
                low, low_count = d_min, found
            else:
                high, high_count = d_min, found
            if low > 0 and high / low < _MEET:
                break
            jump = (found / self.count) ** (1 / slope)
            if low == 0:
                if d_min == _TINY:
                    break
                d_min = max(_TINY, d_min * max(0.25, 0.98 * jump))
            elif high == reach:
                d_min = min(math.sqrt(low * high), 1.02 * jump * d_min)
            else:
                whole = math.log(low_count / high_count)
                share = math.log(low_count / self.count) / whole
                d_min = low * (high / low) ** min(max(share, 0.1), 0.9)
        return d_min, None

    def _draw(self, centre: float) -> tuple[float, Walk | None]:
        """Part 2: the d_min about which was drawn last, and the walk of a hit."""
        slope = _SLOPE * len(self.columns)
        low, high = max(_TINY, centre / _BAND), centre * _BAND
        for draw in range(1, _DRAWS + 1):
            aims = [
                math.log(d_min) + math.log(found / self.count) / slope
                for d_min, found in self.seen
                if low < d_min < high
            ]
            if aims:
                centre = math.exp(math.fsum(aims) / len(aims))
            d_min = centre * (1 + _SPREAD * (draw * _GOLDEN % 1 - 0.5))
            d_min = min(max(d_min, low), high)
            made = self._walk(d_min)
            if self._hit(made):
                return d_min, made
        return d_min, None

    def _step_outwards(self, d_min: float) -> tuple[float, Walk]:
        """Part 3: every step of the function, outwards from `d_min`."""
        made = self._walk(d_min, want_below=True)
        up: float | None = self._next_above(made)
        down: float | None = self._next_below(made)
        while not self._hit(made):
            if up is None and down is None:
                raise CountNotFound(self._failure("at any d_min"))
            if down is None or (up is not None and self.walks % 2):
                assert up is not None
                d_min, made = up, self._walk(up)
                up = self._next_above(made)
            else:
                d_min, made = down, self._walk(down, want_below=True)
                down = self._next_below(made)
        return d_min, made

    def _cost(self, d_min: float) -> float:
        return d_min * d_min if self.metric == "euclidean" else d_min

    def _next_above(self, made: Walk) -> float | None:
        """Least d_min of the step above, or None at the top."""
        if not math.isfinite(made.above):
            return None
        return self._just_above(made.above)

    def _just_above(self, cost: float) -> float:
        """Least d_min that removes a candidate at that cost."""
        d_min = max(_TINY, math.sqrt(cost) if self.metric == "euclidean" else cost)
        while self._cost(d_min) <= cost:
            d_min = math.nextafter(d_min, math.inf)
        return d_min

    def _next_below(self, made: Walk) -> float | None:
        """Greatest d_min of the step below, or None at the bottom."""
        if made.below <= 0:
            return None
        d_min = math.sqrt(made.below) if self.metric == "euclidean" else made.below
        while self._cost(d_min) > made.below:
            d_min = math.nextafter(d_min, 0.0)
        return d_min

    def _failure(self, extent: str) -> str:
        fewer = max((c for _, c in self.seen if c < self.count), default=None)
        more = min((c for _, c in self.seen if c > self.count), default=None)
        near = " or ".join(str(c) for c in (fewer, more) if c is not None)
        near += " point" if near == "1" else " points"
        growth = "" if fewer is None else f", let {fewer} grow (grown_from: {fewer})"
        return (
            f"count: WSP from candidate {self.origin} keeps {near}, but never "
            f"{self.count} {extent}; ask for one of those counts{growth}, or take "
            "other candidates (candidates, candidate_set)"
        )

"""Weights that make up for a design's uneven density."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wsp.candidate_sets import candidates
from wsp.designs import Constraint
from wsp.factors import Factor, centres, scale
from wsp.neighbours import blocks
from wsp.selection import Metric, checked

SAMPLES = 200_000
"""Points of the sample that measures the volumes: a cell of a 98-point design gets
about 2000 of them, and its weight an error of about 2 %."""


def weights(
    factors: Sequence[Factor],
    points: ArrayLike,
    rng: np.random.Generator,
    metric: Metric = "euclidean",
    constraint: Constraint | None = None,
    samples: int = SAMPLES,
) -> NDArray[np.float64]:
    """A weight per point, shape (n,), in proportion to the volume nearest to it.

    factors : d factors
    points : array, shape (n, d), distinct, in the factors' units, as `Design.points`
    metric : the distance in the unit cube by which a place belongs to its nearest
        point; a level of a stepped factor lies at `Factor.centres`
    constraint : as for `make_design`; forbidden places do not count
    samples : int >= 1, how many places are drawn before the constraint. Each level
        of a stepped factor is as likely as any other

    The weights have a mean of 1; a weight of 0.5 marks a point whose surroundings
    have twice as many points as the design has on average. A weighted mean over the
    design estimates the mean over the whole domain, each place as likely as any
    other, by the value at the nearest point.

    Raises ValueError if the constraint allows none of the places.
    """
    rows = centres(factors, checked(points, metric).T)
    places = candidates("sobol", samples, len(factors), rng)
    if constraint is not None:
        allowed = np.asarray(constraint(scale(factors, places)))
        places = places[allowed.astype(bool)]
    if not len(places):
        raise ValueError(
            f"weights: none of {samples} places is allowed; loosen the constraint"
        )
    counts = np.zeros(len(rows), dtype=np.intp)
    for _, away in blocks(places, rows, metric):
        counts += np.bincount(away.argmin(axis=1), minlength=len(rows))
    return np.asarray(counts * (len(rows) / len(places)))


def effective_count(weights: ArrayLike) -> float:
    """Number of equally weighted points that have the same variance of a mean.

    weights : array, shape (n,), at least 0 and not all 0

    This is (sum w)^2 / sum w^2 (Kish, Survey Sampling, 1965, sec. 11.7).
    """
    values = np.asarray(weights, dtype=np.float64)
    return float(values.sum() ** 2 / np.square(values).sum())

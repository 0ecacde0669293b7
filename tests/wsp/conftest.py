"""Candidate sets and a second, naive WSP that the tests of wsp share."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

NAMES = {"euclidean": "euclidean", "l1": "cityblock"}


def naive_select(
    points: NDArray[np.float64], d_min: float, origin: int, metric: str
) -> list[int]:
    """WSP to the letter of thesis sec. 2.3.1: matrix of distances, sets, loops."""
    return naive_walk(cdist(points, points, NAMES[metric]), d_min, origin)


def naive_walk(distances: NDArray[np.float64], d_min: float, origin: int) -> list[int]:
    """The walk over a matrix of all distances, shape (n, n)."""
    remaining = set(range(len(distances))) - {origin}
    kept = [origin]
    while True:
        remaining = {i for i in remaining if distances[origin, i] >= d_min}
        if not remaining:
            return kept
        origin = min(remaining, key=lambda i: (distances[origin, i], i))
        remaining.remove(origin)
        kept.append(origin)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170608)

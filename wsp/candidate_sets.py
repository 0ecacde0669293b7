"""Candidate sets in the unit cube: what WSP thins, or designs of their own."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wsp import sobol

CandidateSet = Literal["uniform", "lhs", "sobol"]

CANDIDATE_SETS: tuple[CandidateSet, ...] = get_args(CandidateSet)


def candidates(
    method: CandidateSet, n: int, d: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw `n` points in `d` dimensions; shape (n, d), in the unit cube [0, 1).

    method : "uniform" (independent), "lhs" (Latin hypercube) or "sobol" (Sobol'
        sequence, scrambled); the last two are those of scipy.stats.qmc, bit for bit

    With enough candidates WSP's result hardly depends on the method (thesis,
    sec. 2.3.1). Sobol' points are balanced if n is a power of two.
    """
    if n < 1 or d < 1:
        raise ValueError(f"candidates: {n} points in {d} dimensions; give 1 or more")
    if method == "uniform":
        return rng.random((n, d))
    if method == "lhs":
        return _latin_hypercube(n, d, rng)
    if method == "sobol":
        if d > sobol.MOST_DIMENSIONS:
            raise ValueError(
                f"sobol: {d} dimensions; at most {sobol.MOST_DIMENSIONS}, or take lhs"
            )
        if n > sobol.MOST_POINTS:
            raise ValueError(f"sobol: {n} points; at most {sobol.MOST_POINTS}")
        return sobol.points(n, d, rng)
    raise ValueError(
        f"candidate set: {method!r}; give one of {', '.join(CANDIDATE_SETS)}"
    )


def _latin_hypercube(n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """One point per row of each dimension, uniform within the row.

    scipy draws from a child of the generator too, in this order.
    """
    own = rng.spawn(1)[0]
    within = own.uniform(size=(n, d))
    rows = np.tile(np.arange(1, n + 1), (d, 1))
    for row in rows:
        own.shuffle(row)
    return np.asarray((rows.T - within) / n)

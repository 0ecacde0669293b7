"""Candidate sets in the unit cube: what WSP thins, or designs of their own."""

import warnings
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

CandidateSet = Literal["uniform", "lhs", "sobol"]

CANDIDATE_SETS: tuple[CandidateSet, ...] = get_args(CandidateSet)


def candidates(
    method: CandidateSet, n: int, d: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw `n` points in `d` dimensions; shape (n, d), in the unit cube [0, 1).

    method : "uniform" (independent), "lhs" (Latin hypercube) or "sobol" (Sobol'
        sequence, scrambled); the last two by scipy.stats.qmc

    With enough candidates WSP's result hardly depends on the method (thesis,
    sec. 2.3.1). Sobol' points are balanced if n is a power of two.
    """
    if n < 1 or d < 1:
        raise ValueError(f"candidates: {n} points in {d} dimensions; give 1 or more")
    if method == "uniform":
        return rng.random((n, d))
    # Here, as it takes a second to load and not every design needs it.
    from scipy.stats import qmc

    if method == "lhs":
        return np.asarray(qmc.LatinHypercube(d, rng=rng).random(n))
    if method == "sobol":
        if d > qmc.Sobol.MAXDIM:
            raise ValueError(f"sobol: {d} dimensions; at most {qmc.Sobol.MAXDIM}")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The balance properties")
            return np.asarray(qmc.Sobol(d, rng=rng).random(n))
    raise ValueError(
        f"candidate set: {method!r}; give one of {', '.join(CANDIDATE_SETS)}"
    )

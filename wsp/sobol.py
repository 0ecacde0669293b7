"""Sobol' sequences, scrambled: the points of `scipy.stats.qmc.Sobol`, bit for bit.

They are computed here because a plan needs nothing else of scipy, which is the largest
of all libraries.

[1] S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
    projections", SIAM J. Sci. Comput. 30(5), 2008. `joe_kuo.txt` has the numbers of
    their file new-joe-kuo-6: per dimension a primitive polynomial, whose bits are its
    coefficients, and the first direction numbers.
[2] J. Matousek, "On the L2-discrepancy for anchored boxes", J. Complexity 14, 1998:
    a random lower triangular matrix per dimension, and a random shift.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BITS = 30
MOST_DIMENSIONS = 200
MOST_POINTS = 1 << BITS
FILE = Path(__file__).with_name("joe_kuo.txt")

Words = NDArray[np.uint32]


def points(n: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The first `n` points in `d` dimensions; shape (n, d), in the unit cube [0, 1).

    n : 1 to MOST_POINTS
    d : 1 to MOST_DIMENSIONS
    """
    directions = _directions(d)
    # scipy draws from a child of the generator too.
    shift, matrices = _drawn(d, rng.spawn(1)[0])
    numbers = _scrambled(directions, matrices)
    # Point i differs from point i - 1 by the direction number of the lowest zero bit
    # of i - 1, which is the lowest set bit of i (Gray code).
    steps = np.arange(1, n, dtype=np.uint32)
    lowest = np.bitwise_and(steps, ~steps + np.uint32(1))
    bits = np.log2(lowest).astype(np.intp)
    found = np.empty((n, d), dtype=np.uint32)
    found[0] = shift
    found[1:] = numbers.T[bits]
    np.bitwise_xor.accumulate(found, axis=0, out=found)
    return np.asarray(found * (1.0 / MOST_POINTS), dtype=np.float64)


def _directions(d: int) -> Words:
    """The direction numbers of each dimension, shape (d, BITS), of BITS bits each.

    Of the first dimension all are 1, and of others the recurrence of [1] eq. 2 holds:
    m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s).
    """
    numbers = np.empty((d, BITS), dtype=np.uint32)
    lines = FILE.read_text(encoding="ascii").splitlines()
    for row, line in enumerate(lines[:d]):
        polynomial, *first = map(int, line.split())
        degree = polynomial.bit_length() - 1
        values = first if degree else [1] * BITS
        for k in range(len(values), BITS):
            value = values[k - degree]
            for back in range(1, degree + 1):
                if polynomial >> (degree - back) & 1:
                    value ^= values[k - back] << back
            values.append(value)
        numbers[row] = [value << (BITS - 1 - k) for k, value in enumerate(values)]
    return numbers


def _drawn(d: int, rng: np.random.Generator) -> tuple[Words, Words]:
    """The shift, shape (d,), and the lower triangular matrices, (d, BITS, BITS)."""
    powers = 2 ** np.arange(BITS, dtype=np.uint32)
    shift = np.dot(rng.integers(2, size=(d, BITS), dtype=np.uint32), powers)
    drawn = rng.integers(2, size=(d, BITS, BITS), dtype=np.uint32)
    return shift.astype(np.uint32), np.tril(drawn)


def _scrambled(directions: Words, matrices: Words) -> Words:
    """Each direction number times the matrix of its dimension, over the bits [2].

    The diagonal of a matrix counts as 1. Bits stand from the highest to the lowest.
    """
    places = np.arange(BITS - 1, -1, -1, dtype=np.uint32)
    bits = directions[:, :, None] >> places & np.uint32(1)
    lower = matrices.copy()
    lower[:, range(BITS), range(BITS)] = 1
    product = np.einsum("drc,dkc->dkr", lower, bits) & np.uint32(1)
    return np.asarray((product << places).sum(axis=2), dtype=np.uint32)

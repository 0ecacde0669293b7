"""Conditions C0 to C5 of [balia] sec. III, checked by numbers at drawn rates.

C0 : the Jacobian of phi is symmetric; the controller then maximises a utility
C1 : for all losses above 0 there are rates with phi = q; what a user sends over a
    link falls as the link's loss rises, and tends to 0
C2 : the symmetric part of the Jacobian is negative definite
C3 : phi_r is infinite if and only if x_r is 0. (C3 also asks for a routing matrix of
    full row rank, which is a property of the network: `full_row_rank`)
C4 : a user's total rate does not rise with any path's loss
C5 : phi_r tends to 0 as x_r grows without bound

C1 to C3 give a unique equilibrium (Theorem 3.2), and C4 and C5 make controllers with a
larger phi less friendly (3.4) and more responsive (3.6).

A check that fails has found a counterexample, and is a proof of "no" up to rounding. A
check that holds has found none among the drawn rates, and proves nothing.

[balia] Peng, Walid, Hwang, Low, "Multipath TCP: Analysis, Design and Implementation",
IEEE/ACM ToN 2016.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from analysis.models.controllers import Controller
from analysis.models.networks import Network

Vector = NDArray[np.float64]

NAMES = ("C0", "C1", "C2", "C3", "C4", "C5")
SAMPLES = 200
MOST_PATHS = 12
"""C1 goes through all sets of paths."""
_STEP = 1e-5
_ROUNDING = 1e-6
_SPREAD = 2.0


@dataclass(frozen=True)
class Verdict:
    """Whether a condition held wherever it was checked.

    holds : False if there is a counterexample
    rates : packets/s on each path where it failed first; empty if it held
    """

    holds: bool
    rates: tuple[float, ...] = ()


def check(
    law: Controller,
    rtts_s: Vector,
    rng: np.random.Generator,
    samples: int = SAMPLES,
) -> dict[str, Verdict]:
    """The verdict on each condition, by its name in NAMES.

    rtts_s : round-trip times of the user's paths, seconds, shape (n,), 1 to 12 of them
    samples : how many rates are drawn, at least 1; each path's is independent, and its
        logarithm uniform over four decades

    Raises ValueError for arguments out of range.
    """
    rtts = np.asarray(rtts_s, dtype=np.float64)
    if not 1 <= len(rtts) <= MOST_PATHS:
        raise ValueError(f"{len(rtts)} paths; give 1 to {MOST_PATHS}")
    if not (np.isfinite(rtts).all() and (rtts > 0).all()):
        raise ValueError("round-trip times must be finite and above 0")
    if samples < 1:
        raise ValueError(f"{samples} samples; give 1 or more")
    drawn = 10 ** rng.uniform(-_SPREAD, _SPREAD, (samples, len(rtts)))
    checks: dict[str, Callable[[Controller, Vector, Vector], bool]] = {
        "C0": _symmetric,
        "C1": _solvable,
        "C2": _negative_definite,
        "C3": _infinite_at_zero,
        "C4": _total_falls,
        "C5": _vanishes,
    }
    return {
        name: _first_failure(holds, law, drawn, rtts) for name, holds in checks.items()
    }


def full_row_rank(network: Network) -> bool:
    """Whether the losses of paths determine those of links (the second half of C3)."""
    matrix = network.crossing
    return bool(np.linalg.matrix_rank(matrix) == len(matrix))


def jacobian(law: Controller, rates: Vector, rtts_s: Vector) -> Vector:
    """d phi_j / d x_r, shape (n, n), by central differences."""
    columns = []
    for index, rate in enumerate(rates):
        step = np.zeros(len(rates))
        step[index] = _STEP * rate
        above, below = law.phi(rates + step, rtts_s), law.phi(rates - step, rtts_s)
        columns.append((above - below) / (2 * step[index]))
    return np.column_stack(columns)


def _first_failure(
    holds: Callable[[Controller, Vector, Vector], bool],
    law: Controller,
    drawn: Vector,
    rtts_s: Vector,
) -> Verdict:
    for rates in drawn:
        if not holds(law, rates, rtts_s):
            return Verdict(False, tuple(rates.tolist()))
    return Verdict(True)


def _symmetric(law: Controller, rates: Vector, rtts_s: Vector) -> bool:
    slopes = jacobian(law, rates, rtts_s)
    return bool(np.abs(slopes - slopes.T).max() <= _ROUNDING * np.abs(slopes).max())


def _negative_definite(law: Controller, rates: Vector, rtts_s: Vector) -> bool:
    slopes = jacobian(law, rates, rtts_s)
    # Congruence keeps the signs of eigenvalues; this one makes them comparable.
    scale = 1 / np.sqrt(np.abs(np.diag(slopes)))
    scaled = slopes * scale * scale[:, np.newaxis]
    return bool(np.linalg.eigvalsh((scaled + scaled.T) / 2).max() < -_ROUNDING)


def _solvable(law: Controller, losses: Vector, rtts_s: Vector) -> bool:
    """The drawn numbers are losses here; phi has no scale of its own."""
    rates = law.demand(losses, rtts_s)
    used = rates > 0
    late = law.phi(rates, rtts_s) / losses - 1
    if not (used.any() and np.abs(late[used]).max() < _ROUNDING):
        return False
    if (late[~used] > _ROUNDING).any():
        return False
    return all(_falls(law, losses, rtts_s, link) for link in _links(len(losses)))


def _links(paths: int) -> Iterator[list[int]]:
    """Every set of paths that a link can carry, as their indices."""
    for size in range(1, paths + 1):
        for chosen in combinations(range(paths), size):
            yield list(chosen)


def _falls(law: Controller, losses: Vector, rtts_s: Vector, link: list[int]) -> bool:
    """Whether a link carries less as its loss rises, and nothing at last."""
    carried = []
    for price in (0.0, 1e-3 * losses.min(), losses.max(), 1e16 * losses.max()):
        raised = losses.copy()
        raised[link] += price
        carried.append(law.demand(raised, rtts_s)[link].sum())
    if (np.diff(carried) > _ROUNDING * carried[0]).any():
        return False
    return bool(carried[-1] <= 1e-3 * law.demand(losses, rtts_s).sum())


def _infinite_at_zero(law: Controller, rates: Vector, rtts_s: Vector) -> bool:
    if not np.isfinite(law.phi(rates, rtts_s)).all():
        return False
    for index in range(len(rates)):
        gone = rates.copy()
        gone[index] = 1e-12 * rates.min()
        if not law.phi(gone, rtts_s)[index] > 1e3 * law.phi(rates, rtts_s)[index]:
            return False
    return True


def _total_falls(law: Controller, losses: Vector, rtts_s: Vector) -> bool:
    """C4 by the meaning that [balia] sec. III.A gives it, so that it also applies where
    the Jacobian has no inverse. The drawn numbers are losses here."""
    total = law.demand(losses, rtts_s).sum()
    for index in range(len(losses)):
        raised = losses.copy()
        raised[index] *= 1 + 1e-3
        if law.demand(raised, rtts_s).sum() > total * (1 + _ROUNDING):
            return False
    return True


def _vanishes(law: Controller, rates: Vector, rtts_s: Vector) -> bool:
    for index in range(len(rates)):
        grown = rates.copy()
        grown[index] = 1e9 * rates.max()
        if not law.phi(grown, rtts_s)[index] < 1e-6 * law.phi(rates, rtts_s)[index]:
            return False
    return True

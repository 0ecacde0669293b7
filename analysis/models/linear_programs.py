"""Small linear programs, by the simplex method in its dictionary form.

[1] V. Chvatal, "Linear Programming", 1983, chapters 2 and 3: dictionaries, Bland's rule
    against cycles, and a first program with one further variable where 0 is not
    feasible.

Programs of a run have a few dozen variables. scipy solves larger ones, and takes longer
to load than these take.
"""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

MOST_CELLS = 40_000
"""Constraints times variables of a program that is solved here."""
_LEAST = 1e-11
"""A coefficient below counts as 0. Programs are scaled so that rates are about 1."""
_STEEPEST = 2_000
"""Steps by the largest coefficient; the steps after them follow Bland's rule."""
_STEPS = 20_000


class InfeasibleError(ValueError):
    """Nothing satisfies the constraints."""


def least(objective: Vector, rows: Vector, bounds: Vector) -> float:
    """The least value of `objective` x where `rows` x <= `bounds` and x >= 0.

    objective : shape (n,)
    rows : shape (m, n)
    bounds : shape (m,), of any sign

    Raises InfeasibleError, and ValueError for a program without a least value.
    """
    if rows.size > MOST_CELLS:
        return _by_scipy(objective, rows, bounds)
    found = _Dictionary(rows, bounds)
    if bounds.size and bounds.min() < 0:
        found.make_feasible()
    return -found.greatest(-objective)


def _by_scipy(objective: Vector, rows: Vector, bounds: Vector) -> float:
    from scipy.optimize import linprog

    solution = linprog(objective, A_ub=rows, b_ub=bounds, method="highs")
    if solution.status == 2:
        raise InfeasibleError("nothing satisfies the constraints")
    if solution.status != 0:
        raise ValueError(str(solution.message))
    return float(solution.fun)


class _Dictionary:
    """Basic variables as functions of the others: basic = bounds - rows others.

    Variables 0 to n - 1 are the program's, and n + i is what constraint i leaves.
    """

    def __init__(self, rows: Vector, bounds: Vector) -> None:
        self.rows, self.bounds = rows.astype(float), bounds.astype(float)
        count, variables = rows.shape
        self.others = np.arange(variables)
        self.basic = np.arange(variables, variables + count)

    def make_feasible(self) -> None:
        """Steps to a dictionary without bounds below 0.

        A further variable loosens all constraints; its least value is 0 if they can
        be satisfied.
        """
        further = self.others.size + self.basic.size
        self.rows = np.column_stack([self.rows, -np.ones(len(self.rows))])
        self.others = np.append(self.others, further)
        self._step(int(self.bounds.argmin()), self.others.size - 1, None)
        objective = np.zeros(further + 1)
        objective[further] = -1.0
        loose = -self.greatest(objective)
        if loose > 1e-9 * max(1.0, float(np.abs(self.bounds).max())):
            raise InfeasibleError("nothing satisfies the constraints")
        if further in self.basic:  # at 0: any other variable may take its place
            row = int(np.flatnonzero(self.basic == further)[0])
            self._step(row, int(np.abs(self.rows[row]).argmax()), None)
        kept = self.others != further
        self.rows, self.others = self.rows[:, kept], self.others[kept]
        self.bounds = np.maximum(self.bounds, 0.0)

    def greatest(self, objective: Vector) -> float:
        """The greatest value of an objective over the variables, from 0 on."""
        whole = np.zeros(self.others.size + self.basic.size)
        whole[: len(objective)] = objective
        value = float(whole[self.basic] @ self.bounds)
        gains = np.append(whole[self.others] - whole[self.basic] @ self.rows, value)
        for step in range(_STEPS):
            choice = _steepest if step < _STEEPEST else _first
            column = choice(gains[:-1], self.others)
            if column is None:
                return float(gains[-1])
            rises = self.rows[:, column]
            limiting = np.flatnonzero(rises > _LEAST)
            if not limiting.size:
                raise ValueError("the program has no least value")
            reach = self.bounds[limiting] / rises[limiting]
            nearest = limiting[reach <= reach.min()]
            row = int(nearest[self.basic[nearest].argmin()])
            self._step(row, column, gains)
        raise ValueError(f"no solution within {_STEPS} steps")

    def _step(self, row: int, column: int, gains: Vector | None) -> None:
        """Let a basic variable and another one change places."""
        pivot = self.rows[row, column]
        self.rows[row] /= pivot
        self.rows[row, column] = 1 / pivot
        self.bounds[row] /= pivot
        mine, bound = self.rows[row].copy(), self.bounds[row]
        factors = self.rows[:, column].copy()
        factors[row] = 0.0
        self.rows[:, column] = np.where(factors != 0, 0.0, self.rows[:, column])
        self.rows -= np.outer(factors, mine)
        self.bounds -= factors * bound
        if gains is not None:
            gain = gains[column]
            gains[column] = 0.0
            gains[:-1] -= gain * mine
            gains[-1] += gain * bound
        self.others[column], self.basic[row] = self.basic[row], self.others[column]


def _steepest(gains: Vector, _others: NDArray[np.intp]) -> int | None:
    """The column of the variable that gains most; None if none gains."""
    column = int(gains.argmax()) if gains.size else 0
    return column if gains.size and gains[column] > _LEAST else None


def _first(gains: Vector, others: NDArray[np.intp]) -> int | None:
    """The column of the first variable that gains (Bland); None if none gains."""
    gaining = np.flatnonzero(gains > _LEAST)
    return int(gaining[others[gaining].argmin()]) if gaining.size else None

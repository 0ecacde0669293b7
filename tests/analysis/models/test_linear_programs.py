"""Linear programs: one on paper, invariants, and scipy's solutions."""

import numpy as np
import pytest
from scipy.optimize import linprog

from analysis.models import linear_programs
from analysis.models.linear_programs import InfeasibleError, least


def array(*values: object) -> np.ndarray:
    return np.array(values, dtype=float)


def test_the_first_example_of_chvatal() -> None:
    """Chapter 2: 5 x1 + 4 x2 + 3 x3 is at most 13, at (2, 0, 1)."""
    rows = array([2, 3, 1], [4, 1, 2], [3, 4, 2])
    assert least(array(-5, -4, -3), rows, array(5, 11, 8)) == pytest.approx(-13)


def test_an_example_in_which_0_is_not_feasible() -> None:
    """Chapter 3: x1 - x2 + x3 is at most 3/5, at (0, 14/5, 17/5)."""
    rows = array([2, -1, 2], [2, -3, 1], [-1, 1, -2])
    found = least(array(-1, 1, -1), rows, array(4, -5, -1))
    assert found == pytest.approx(-0.6)


def test_a_program_that_cycles_without_blands_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chapter 3: the largest coefficient comes back to the first dictionary."""
    rows = array([0.5, -5.5, -2.5, 9], [0.5, -1.5, -0.5, 1], [1, 0, 0, 0])
    objective, bounds = array(-10, 57, 9, 24), array(0, 0, 1)
    assert least(objective, rows, bounds) == pytest.approx(-1)
    monkeypatch.setattr(linear_programs, "_STEEPEST", 0)
    assert least(objective, rows, bounds) == pytest.approx(-1)


@pytest.mark.parametrize("rule", [2000, 0])
@pytest.mark.parametrize("seed", range(60))
def test_values_are_scipys(
    seed: int, rule: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear_programs, "_STEEPEST", rule)
    rng = np.random.default_rng(seed)
    count, variables = rng.integers(1, 12, 2)
    rows = rng.integers(-2, 4, (count, variables)).astype(float)
    bounds = rng.integers(-3, 12, count).astype(float)
    objective = rng.integers(-4, 5, variables).astype(float)
    expected = linprog(objective, A_ub=rows, b_ub=bounds, method="highs")
    if expected.status == 0:
        assert least(objective, rows, bounds) == pytest.approx(expected.fun, abs=1e-9)
    elif expected.status == 2:
        with pytest.raises(InfeasibleError):
            least(objective, rows, bounds)
    else:
        with pytest.raises(ValueError):
            least(objective, rows, bounds)


def test_large_programs_are_left_to_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = array([1, 1], [-1, 0])
    own = least(array(-1, -2), rows, array(3, -1))
    monkeypatch.setattr(linear_programs, "MOST_CELLS", 3)
    assert least(array(-1, -2), rows, array(3, -1)) == pytest.approx(own) == -5
    with pytest.raises(InfeasibleError):
        least(array(1, 1), rows, array(1, -2))
    with pytest.raises(ValueError, match="unbounded"):
        least(array(-1, 0), array([0, 1], [0, 2]), array(3, 1))

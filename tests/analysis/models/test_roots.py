"""Roots: the numbers of scipy's brentq, step for step."""

import math
from collections.abc import Callable

import pytest
from scipy.optimize import brentq

from analysis.models import roots

FUNCTIONS: list[tuple[Callable[[float], float], float, float]] = [
    (lambda x: x * x - 2, 0.0, 3.0),
    (lambda x: math.cos(x) - x, 0.0, 2.0),
    (lambda x: x**9 - 1e-3, -1.0, 4.0),
    (lambda x: math.exp(-x) - 1e-6, 0.0, 100.0),
    (lambda x: math.atan(50 * (x - 0.3)), -10.0, 1.0),
    (lambda x: x - 1, 1.0, 2.0),
    (lambda x: x - 2, 1.0, 2.0),
    (lambda x: -1.0 if x < 0.7 else 1.0, 0.0, 1.0),
]


@pytest.mark.parametrize(("function", "low", "high"), FUNCTIONS)
@pytest.mark.parametrize("within", [1e-3, 1e-13])
@pytest.mark.parametrize("share", [1e-14, roots.LEAST_SHARE])
def test_roots_are_scipys(
    function: Callable[[float], float],
    low: float,
    high: float,
    within: float,
    share: float,
) -> None:
    asked: list[list[float]] = [[], []]

    def told(number: int) -> Callable[[float], float]:
        def value(x: float) -> float:
            asked[number].append(x)
            return function(x)

        return value

    mine = roots.bracketed(told(0), low, high, within, share)
    assert mine == brentq(told(1), low, high, xtol=within, rtol=share)
    assert asked[0] == asked[1]


def test_the_root_of_two() -> None:
    found = roots.bracketed(lambda x: x * x - 2, 0.0, 2.0, 1e-15)
    assert found == pytest.approx(math.sqrt(2), abs=1e-15)


def test_no_change_of_sign() -> None:
    with pytest.raises(ValueError, match="no change of sign between 1 and 2"):
        roots.bracketed(lambda x: x, 1.0, 2.0, 1e-9)

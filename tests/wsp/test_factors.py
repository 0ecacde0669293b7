"""Factors: levels, scaling and its inverse, refusals."""

from typing import Any

import numpy as np
import pytest

import wsp


def levels_of(factor: wsp.Factor) -> list[float]:
    levels: list[float] = np.unique(factor.scale(np.linspace(0, 1, 2001))).tolist()
    return levels


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (wsp.Factor("a", 0, 0.3, step=0.1), [0.0, 0.1, 0.2, 0.3]),
        (wsp.Factor("a", 1, 10, step=4), [1, 5, 9]),
        (wsp.Factor("a", 0.5, 3.5, integer=True), [1, 2, 3]),
        (wsp.Factor("a", -2, 2, integer=True, step=2), [-2, 0, 2]),
        (wsp.Factor("a", 3, 3), [3]),
        (wsp.Factor("a", 0, 1, step=5), [0]),
        (wsp.Factor("a", 1e-7, 3e-7, step=1e-7), [1e-7, 2e-7, 3e-7]),
    ],
)
def test_levels(factor: wsp.Factor, expected: list[float]) -> None:
    assert levels_of(factor) == expected
    assert factor.levels == len(expected)
    assert factor.stepped


def test_levels_are_equally_likely() -> None:
    factor = wsp.Factor("a", 1, 5, integer=True)
    _, counts = np.unique(factor.scale(np.arange(1000) / 1000), return_counts=True)
    assert counts.tolist() == [200] * 5


def test_continuous_ends_and_inverse(rng: np.random.Generator) -> None:
    factor = wsp.Factor("a", 1, 100)
    assert factor.levels is None
    assert factor.scale(np.array([0.0, 1.0])).tolist() == [1, 100]
    unit = rng.random(50)
    assert factor.unscale(factor.scale(unit)) == pytest.approx(unit)


def test_snapped_coordinates_are_those_of_the_values() -> None:
    factor = wsp.Factor("a", 0, 10, step=4)
    values = factor.scale(np.array([0.1, 0.5, 0.99]))
    assert values.tolist() == [0, 4, 8]
    assert factor.unscale(values).tolist() == [0, 0.4, 0.8]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"minimum": 2, "maximum": 1}, "a: minimum 2 is above maximum 1"),
        ({"maximum": float("inf")}, "finite"),
        ({"step": 0}, "step"),
        ({"step": -1}, "step"),
        ({"step": 0.5, "integer": True}, "whole"),
        ({"minimum": 0.2, "maximum": 0.8, "integer": True}, "no whole number"),
        ({"name": ""}, "name"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wsp.Factor(**{"name": "a", "minimum": 0, "maximum": 9, **arguments})

"""Candidate sets: shape, range, their defining property, determinism."""

from typing import Any

import numpy as np
import pytest

import wsp


@pytest.mark.parametrize("method", wsp.CANDIDATE_SETS)
def test_shape_range_and_bytes(
    method: wsp.CandidateSet, recwarn: pytest.WarningsRecorder
) -> None:
    one, two = (
        wsp.candidates(method, 1000, 4, np.random.default_rng(5)) for _ in range(2)
    )
    assert one.shape == (1000, 4)
    assert one.min() >= 0
    assert one.max() <= 1
    assert one.tobytes() == two.tobytes()
    assert not recwarn.list


def test_latin_hypercube_has_one_point_a_row(rng: np.random.Generator) -> None:
    points = wsp.candidates("lhs", 50, 3, rng)
    for column in points.T:
        assert sorted((column * 50).astype(int).tolist()) == list(range(50))


def test_sobol_is_balanced(rng: np.random.Generator) -> None:
    points = wsp.candidates("sobol", 256, 2, rng)
    cells = (points * 16).astype(int) @ np.array([16, 1])
    assert np.bincount(cells, minlength=256).tolist() == [1] * 256


@pytest.mark.parametrize(
    ("method", "n", "d", "message"),
    [
        ("halton", 10, 2, "uniform, lhs, sobol"),
        ("sobol", 0, 2, "1 or more"),
        ("lhs", 4, 0, "1 or more"),
        ("sobol", 4, 30_000, "at most 21201"),
    ],
)
def test_refusals(
    method: Any, n: int, d: int, message: str, rng: np.random.Generator
) -> None:
    with pytest.raises(ValueError, match=message):
        wsp.candidates(method, n, d, rng)

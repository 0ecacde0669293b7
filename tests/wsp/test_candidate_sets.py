"""Candidate sets: shape, range, their defining property, determinism."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import qmc

import wsp
from wsp import sobol


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
        ("sobol", 4, 201, "at most 200, or take lhs"),
    ],
)
def test_refusals(
    method: Any, n: int, d: int, message: str, rng: np.random.Generator
) -> None:
    with pytest.raises(ValueError, match=message):
        wsp.candidates(method, n, d, rng)


@pytest.mark.parametrize("d", [1, 2, 3, 8, 37, 200])
@pytest.mark.parametrize("n", [1, 2, 3, 100, 1024])
@pytest.mark.parametrize("method", ["sobol", "lhs"])
def test_the_points_are_scipys_bit_for_bit(
    method: wsp.CandidateSet, n: int, d: int
) -> None:
    mine = wsp.candidates(method, n, d, np.random.default_rng([n, d]))
    kinds = {"sobol": qmc.Sobol, "lhs": qmc.LatinHypercube}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The balance properties")
        expected = kinds[method](d, rng=np.random.default_rng([n, d])).random(n)
    assert mine.tobytes() == expected.tobytes()


def test_the_numbers_are_those_of_joe_and_kuo() -> None:
    """Rows 2 to 6 of their file: degree, polynomial without its ends, numbers."""
    rows = ["1 0 1", "2 1 1 3", "3 1 1 3 1", "3 2 1 1 1", "4 1 1 1 3 3"]
    lines = sobol.FILE.read_text().splitlines()
    assert len(lines) == sobol.MOST_DIMENSIONS
    for printed, line in zip(rows, lines[1:], strict=False):
        degree, inner, *numbers = map(int, printed.split())
        assert [1 << degree | inner << 1 | 1, *numbers] == [*map(int, line.split())]


def test_too_many_points_of_a_sequence() -> None:
    with pytest.raises(ValueError, match="at most 1073741824"):
        wsp.candidates("sobol", 2**30 + 1, 1, np.random.default_rng())

"""WSP on a torus against brute force, and what it is for: no crowding at the faces."""

from typing import Any

import numpy as np
import pytest
from conftest import naive_walk
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

import wsp


def naive_distances(points: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """All distances on the unit torus: the least over all 3^d shifted copies."""
    n, d = points.shape
    shifts = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * d), axis=-1).reshape(-1, d)
    least = np.full((n, n), np.inf)
    for shift in shifts:
        away = points[:, None, :] - (points[None, :, :] + shift)
        length = np.abs(away).sum(2) if metric == "l1" else np.sqrt((away**2).sum(2))
        np.minimum(least, length, out=least)
    return least


@pytest.mark.parametrize("metric", wsp.METRICS)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_same_as_naive(metric: wsp.Metric, d: int, rng: np.random.Generator) -> None:
    points = rng.random((250, d))
    distances = naive_distances(points, metric)
    for share in (0.05, 0.2, 0.4, 0.7):
        d_min = share * distances.max()
        start = wsp.start_index(points, "random", metric, rng)
        kept = wsp.select(points, d_min, start, metric, boundary="torus")
        assert kept.tolist() == naive_walk(distances, d_min, start)


@pytest.mark.parametrize("metric", wsp.METRICS)
@pytest.mark.parametrize("count", [25, 170])  # 170 of 300: the search over near pairs
def test_adaptive_and_grown(
    metric: wsp.Metric, count: int, rng: np.random.Generator
) -> None:
    points = rng.random((300, 3))
    distances = naive_distances(points, metric)
    start = wsp.start_index(points, metric=metric)
    found = wsp.adaptive(points, count, metric=metric, boundary="torus")
    assert len(found.indices) == count
    assert found.indices.tolist() == naive_walk(distances, found.d_min, start)
    chosen = found.indices.tolist()
    while len(chosen) < count + 20:
        chosen.append(int(distances[:, chosen].min(axis=1).argmax()))
    grown = wsp.grow(points, found.indices, count + 20, metric, "torus")
    assert grown.indices.tolist() == chosen


def test_both_ends_of_a_range_are_one_place() -> None:
    points = np.array([[0.5], [0.0], [1.0], [0.97]])
    assert wsp.select(points, 0.04, 0).tolist() == [0, 3, 1]
    assert wsp.select(points, 0.01, 0, boundary="torus").tolist() == [0, 3, 1]
    assert wsp.select(points, 0.04, 0, boundary="torus").tolist() == [0, 3]
    dense = np.linspace(0, 1, 12)[:, None]
    assert len(wsp.adaptive(dense, 11, boundary="torus").indices) == 11


def test_the_same_points_whatever_the_origin(rng: np.random.Generator) -> None:
    """A torus has no middle: to shift all candidates shifts the design."""
    points = rng.integers(0, 1 << 20, (500, 3)) / (1 << 20)  # shifts are exact
    moved = (points + rng.integers(0, 1 << 20, 3) / (1 << 20)) % 1.0
    for metric in wsp.METRICS:
        before = wsp.select(points, 0.3, 7, metric, boundary="torus")
        after = wsp.select(moved, 0.3, 7, metric, boundary="torus")
        assert before.tolist() == after.tolist()


def test_margins_and_their_cost() -> None:
    """docs/wsp.md: 98 points over six factors, the outer tenths of every range."""
    factors = [wsp.Factor(name, 0, 1) for name in "abcdef"]
    made = {
        boundary: wsp.make_design(
            factors, 98, np.random.default_rng(1), boundary=boundary
        )
        for boundary in wsp.BOUNDARIES
    }
    assert made["cube"].criteria.outer_share > 0.30
    assert 0.17 < made["torus"].criteria.outer_share < 0.24
    least = {name: pdist(design.unit).min() for name, design in made.items()}
    assert made["torus"].d_min is not None
    assert made["torus"].d_min * (1 - 1e-12) <= least["torus"] < least["cube"]


def test_levels_of_a_ring() -> None:
    """First and last level of a stepped factor are neighbours and not one place."""
    factors = [wsp.Factor("flows", 1, 4, integer=True), wsp.Factor("loss", 0, 1, 0.5)]
    values = np.array([[1.0, 0.0], [4.0, 1.0]])
    assert wsp.centres(factors, values) == pytest.approx(
        np.array([[1 / 8, 1 / 6], [7 / 8, 5 / 6]])
    )
    every = wsp.make_design(factors, 12, np.random.default_rng(1), boundary="torus")
    assert len(np.unique(every.points, axis=0)) == 12
    same = wsp.make_design(
        [wsp.Factor("x", 0, 1), wsp.Factor("fixed", 3, 3)],
        5,
        np.random.default_rng(1),
        boundary="torus",
    )
    assert (same.points[:, 1] == 3).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boundary": "ball"}, "cube, torus"),
        ({"points": [[0.0, 0.0], [1.0, 1.5]]}, "from 0 to 1"),
        ({"points": [[0.0, -0.1], [1.0, 1.0]]}, "from 0 to 1"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    arguments = {"points": [[0.0, 0.0], [1.0, 1.0]], "boundary": "torus"} | options
    with pytest.raises(ValueError, match=message) as caught:
        wsp.select(d_min=0.5, **arguments)
    assert "\n" not in str(caught.value)


def test_only_wsp_has_a_boundary() -> None:
    factors = [wsp.Factor("a", 0, 1)]
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="torus is for wsp only, not for lhs"):
        wsp.make_design(factors, 5, rng, method="lhs", boundary="torus")
    with pytest.raises(ValueError, match="cube, torus"):
        wsp.make_design(factors, 5, rng, boundary="ball")  # type: ignore[arg-type]

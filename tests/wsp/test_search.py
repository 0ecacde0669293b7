"""Adaptive WSP: exactly the wanted number, or a reason why not."""

import numpy as np
import pytest
from conftest import naive_select
from scipy.spatial.distance import pdist

import wsp


def grid(side: int) -> np.ndarray:
    axis = np.arange(side) / (side - 1)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("method", ["uniform", "lhs", "sobol"])
@pytest.mark.parametrize(("n", "d", "count"), [(3000, 6, 98), (1500, 2, 40)])
def test_exact_count_and_reproducible_d_min(
    n: int,
    d: int,
    count: int,
    method: wsp.CandidateSet,
    metric: wsp.Metric,
    rng: np.random.Generator,
) -> None:
    points = wsp.candidates(method, n, d, rng)
    found = wsp.adaptive(points, count, metric=metric)
    assert len(found.indices) == count
    again = wsp.select(points, found.d_min, metric=metric)
    assert again.tolist() == found.indices.tolist()


def test_the_published_miss_is_a_hit(rng: np.random.Generator) -> None:
    """README of louisna/rust-wsp: 200 of 1000 in 20 dimensions, L1, ended at 201."""
    points = rng.random((1000, 20))
    assert len(wsp.adaptive(points, 200, metric="l1").indices) == 200


@pytest.mark.parametrize("count", [1, 2, 3, 57, 58, 59, 60])
def test_extremes(count: int, rng: np.random.Generator) -> None:
    points = rng.random((60, 3))
    found = wsp.adaptive(points, count)
    assert len(found.indices) == count
    assert np.isfinite(found.d_min)


def counts_by_brute_force(points: np.ndarray, start: int) -> set[int]:
    """Every count that any d_min gives: one naive walk between any two distances."""
    distances = np.unique(np.round(pdist(points), 12))
    middles = (distances[1:] + distances[:-1]) / 2
    every = [distances[0] / 2, *middles, distances[-1] + 1]
    return {len(naive_select(points, d, start, "euclidean")) for d in every}


@pytest.mark.slow
def test_finds_every_count_that_exists_and_refuses_the_others() -> None:
    points = grid(9)  # eighths: equal distances are equal to the bit
    start = wsp.start_index(points)
    possible = counts_by_brute_force(points, start)
    assert possible != set(range(1, 82))
    for count in range(1, 82):
        if count in possible:
            assert len(wsp.adaptive(points, count).indices) == count
        else:
            with pytest.raises(wsp.CountNotFound) as caught:
                wsp.adaptive(points, count)
            fewer = max(c for c in possible if c < count)
            more = min(c for c in possible if c > count)
            assert f"{fewer} or {more} points" in str(caught.value)
            assert "at any d_min" in str(caught.value)


def test_finds_every_count_that_exists_among_scattered_points(
    rng: np.random.Generator,
) -> None:
    points = rng.random((40, 2))
    possible = counts_by_brute_force(points, wsp.start_index(points))
    for count in range(1, 41):
        if count in possible:
            assert len(wsp.adaptive(points, count, max_walks=5000).indices) == count
        else:
            with pytest.raises(wsp.CountNotFound, match="at any d_min"):
                wsp.adaptive(points, count, max_walks=5000)


def test_duplicates_cannot_all_be_kept() -> None:
    points = np.array([[0.1, 0.1], [0.1, 0.1], [0.9, 0.9]])
    assert len(wsp.adaptive(points, 2).indices) == 2
    with pytest.raises(ValueError, match="keeps 2 points, but never 3"):
        wsp.adaptive(points, 3)
    with pytest.raises(ValueError, match="keeps 1 point, but never 2"):
        wsp.adaptive(np.zeros((5, 2)), 2)


@pytest.mark.parametrize(("n", "d", "count"), [(2000, 2, 1999), (10_000, 2, 9999)])
def test_almost_all_candidates(
    n: int, d: int, count: int, rng: np.random.Generator
) -> None:
    """The search took longer than anyone waits: it knew nothing of the near pairs."""
    points = wsp.candidates("sobol", n, d, rng)
    found = wsp.adaptive(points, count)
    assert len(found.indices) == count
    assert found.walks <= 5


def test_a_dense_count_that_does_not_exist_is_told_soon(
    rng: np.random.Generator,
) -> None:
    """All near pairs of these candidates are equally near."""
    points = np.linspace(0, 1, 1001)[:, np.newaxis]
    with pytest.raises(wsp.CountNotFound, match="never 1000 ") as caught:
        wsp.adaptive(points, 1000, start=0)
    fewer = int(str(caught.value).split("grown_from: ")[1].split(")")[0])
    kept = wsp.adaptive(points, fewer, start=0).indices
    assert len(wsp.grow(points, kept, 1000).indices) == 1000


def test_a_large_search_is_bounded(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wsp.search.MOST_WORK", 1000)
    square = grid(30)
    with pytest.raises(wsp.CountNotFound, match="in 20 tries of d_min"):
        wsp.adaptive(square, 890)


@pytest.mark.parametrize(
    ("count", "message"), [(0, "give 1 or more"), (-3, "1 or more"), (51, "candidates")]
)
def test_refused_counts(count: int, message: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=message):
        wsp.adaptive(rng.random((50, 2)), count)


def test_bounded(rng: np.random.Generator) -> None:
    with pytest.raises(wsp.CountNotFound, match="in 2 tries"):
        wsp.adaptive(rng.random((1000, 6)), 97, max_walks=2)
    with pytest.raises(ValueError, match="max_walks"):
        wsp.adaptive(rng.random((50, 2)), 5, max_walks=0)


def test_deterministic(rng: np.random.Generator) -> None:
    points = rng.random((2000, 4))
    one, two = (wsp.adaptive(points, 55) for _ in range(2))
    assert one.indices.tobytes() == two.indices.tobytes()
    assert (one.d_min, one.walks) == (two.d_min, two.walks)


def test_a_search_that_would_take_hours_is_refused_at_once() -> None:
    points = np.linspace(0, 1, 200_000)[:, None]
    with pytest.raises(ValueError, match="at most 10000 points of so many cand"):
        wsp.adaptive(points, 10_001)

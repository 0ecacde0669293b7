"""Criteria against values on paper, published ones, and naive loops."""

import math

import numpy as np
import pytest
from conftest import NAMES
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import qmc

import wsp


def naive_gamma(points: NDArray[np.float64], metric: wsp.Metric) -> NDArray[np.float64]:
    distances: NDArray[np.float64] = cdist(points, points, NAMES[metric])
    np.fill_diagonal(distances, np.inf)
    nearest: NDArray[np.float64] = distances.min(axis=1)
    return nearest


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_same_as_naive(metric: wsp.Metric, rng: np.random.Generator) -> None:
    points = rng.random((80, 5))
    gamma = naive_gamma(points, metric)
    assert wsp.nearest_distances(points, metric) == pytest.approx(gamma, rel=1e-12)
    assert wsp.minimum_distance(points, metric) == pytest.approx(gamma.min())
    assert wsp.mean_nearest_distance(points, metric) == pytest.approx(gamma.mean())
    mean = sum(gamma) / 80
    spread = math.sqrt(sum((g - mean) ** 2 for g in gamma) / 80)
    assert wsp.coverage(points, metric) == pytest.approx(spread / mean)
    pairs = [
        cdist(points[i : i + 1], points[j : j + 1], NAMES[metric])[0, 0]
        for i in range(80)
        for j in range(i)
    ]
    assert wsp.mean_distance(points, metric) == pytest.approx(np.mean(pairs))


def test_on_paper() -> None:
    points = np.array([[0.0, 0.0], [0.3, 0.4], [1.0, 0.0]])
    # gamma: 0.5, 0.5, sqrt(0.65); pairs: 0.5, sqrt(0.65), 1
    far = math.sqrt(0.65)
    mean = (1 + far) / 3
    spread = math.sqrt((2 * (0.5 - mean) ** 2 + (far - mean) ** 2) / 3)
    found = wsp.criteria(points)
    assert found.minimum_distance == pytest.approx(0.5)
    assert found.mean_nearest_distance == pytest.approx(mean)
    assert found.coverage == pytest.approx(spread / mean)
    assert found.mean_distance == pytest.approx((1.5 + far) / 3)
    assert wsp.minimum_distance(points, "l1") == pytest.approx(0.7)


def test_coverage_of_a_regular_grid_is_zero() -> None:
    """Published: "for a regular mesh, cov = 0" (R package DiceDesign, coverage)."""
    axis = np.arange(5) / 4
    grid = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    assert wsp.coverage(grid) == 0
    assert wsp.minimum_distance(grid) == 0.25


def test_published_discrepancy() -> None:
    """Fang, Li and Sudjianto (2006), Example 5, p. 80: CD of two 6-run designs."""
    first = np.array([[1, 3], [2, 6], [3, 2], [4, 5], [5, 1], [6, 4]])
    second = np.array([[1, 5], [2, 4], [3, 3], [4, 2], [5, 1], [6, 6]])
    for design, printed in ((first, 0.0081), (second, 0.0105)):
        unit = (2.0 * design - 1.0) / (2.0 * 6.0)
        assert wsp.discrepancy(unit) == pytest.approx(printed, abs=0.00005)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_the_mean_distance_of_many_points(
    metric: wsp.Metric, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In blocks, so that no matrix of all distances is needed."""
    points = rng.random((60, 3))
    at_once = wsp.mean_distance(points, metric)
    monkeypatch.setattr("wsp.neighbours._AT_ONCE", 10)
    assert wsp.mean_distance(points, metric) == pytest.approx(at_once, rel=1e-12)


def test_single_point() -> None:
    found = wsp.criteria([[0.5, 0.5]])
    assert math.isnan(found.minimum_distance)
    assert math.isnan(found.coverage)
    assert math.isnan(found.mean_distance)
    assert found.discrepancy > 0


def test_coincident_points_have_no_coverage() -> None:
    assert math.isnan(wsp.coverage(np.full((3, 2), 0.5)))


def test_wsp_fills_better_than_its_candidates_at_random(
    rng: np.random.Generator,
) -> None:
    """Santiago et al. 2012, thesis 2.3.1: higher distance, lower cover measure."""
    points = wsp.candidates("uniform", 5000, 6, rng)
    thinned = wsp.criteria(points[wsp.adaptive(points, 98).indices])
    plain = wsp.criteria(points[:98])
    assert thinned.minimum_distance > 2 * plain.minimum_distance
    assert thinned.coverage < plain.coverage / 4


@pytest.mark.parametrize("n", [1, 2, 50, 3000])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_discrepancies_are_scipys(n: int, d: int) -> None:
    points = np.random.default_rng([n, d]).random((n, d))
    expected = qmc.discrepancy(points, method="CD")
    assert wsp.discrepancy(points) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("metric", wsp.METRICS)
def test_many_points_are_compared_in_blocks(metric: wsp.Metric) -> None:
    points = np.random.default_rng(5).random((3000, 2))
    all_pairs = cdist(points, points, NAMES[metric])
    np.fill_diagonal(all_pairs, np.inf)
    nearest = all_pairs.min(axis=1)
    np.testing.assert_allclose(wsp.nearest_distances(points, metric), nearest, 1e-14)
    mean = all_pairs[np.isfinite(all_pairs)].mean()
    assert wsp.mean_distance(points, metric) == pytest.approx(mean, rel=1e-12)

"""Designs that grow: what was chosen stays, and the rest fills as WSP would."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

import wsp

KINDS = {"euclidean": "euclidean", "l1": "cityblock"}


def naive_grow(points: np.ndarray, kept: list[int], count: int, kind: str) -> list[int]:
    """Each time all distances again, and the farthest candidate."""
    chosen = list(kept)
    while len(chosen) < count:
        nearest = cdist(points, points[chosen], kind).min(axis=1)
        chosen.append(int(nearest.argmax()))
    return chosen


@pytest.mark.parametrize("metric", wsp.METRICS)
def test_against_a_naive_one(metric: wsp.Metric, rng: np.random.Generator) -> None:
    points = rng.random((400, 3))
    kept = wsp.adaptive(points, 20, metric=metric).indices
    found = wsp.grow(points, kept, 45, metric)
    assert found.indices.tolist() == naive_grow(points, list(kept), 45, KINDS[metric])


@pytest.mark.parametrize("metric", wsp.METRICS)
def test_what_wsp_promises(metric: wsp.Metric, rng: np.random.Generator) -> None:
    """All points are d_min apart, and no candidate is farther than that from all."""
    points = rng.random((1500, 4))
    kept = wsp.adaptive(points, 30, metric=metric).indices
    found = wsp.grow(points, kept, 60, metric)
    assert found.indices[:30].tolist() == kept.tolist()
    assert len(set(found.indices.tolist())) == 60
    chosen = points[found.indices]
    assert pdist(chosen, KINDS[metric]).min() >= found.d_min * (1 - 1e-12)
    gaps = cdist(points, chosen, KINDS[metric]).min(axis=1)
    assert gaps.max() <= found.d_min * (1 + 1e-12)


def test_in_two_steps_as_in_one(rng: np.random.Generator) -> None:
    points = rng.random((1000, 3))
    kept = wsp.adaptive(points, 20).indices
    middle = wsp.grow(points, kept, 35).indices
    once, twice = wsp.grow(points, kept, 50), wsp.grow(points, middle, 50)
    assert once.indices.tolist() == twice.indices.tolist()
    assert once.d_min == twice.d_min


@pytest.mark.parametrize(
    ("kept", "count", "words"),
    [
        ([], 5, "give one point or more"),
        ([1, 1], 5, "each once"),
        ([50], 5, "from 0 to 49"),
        ([-1], 5, "from 0 to 49"),
        ([1, 2], 2, "more than the 2 that are kept"),
        ([1], 51, "at most the 50 candidates"),
    ],
)
def test_refused(
    kept: list[int], count: int, words: str, rng: np.random.Generator
) -> None:
    with pytest.raises(ValueError, match=words):
        wsp.grow(rng.random((50, 2)), kept, count)


def test_copies_are_not_points() -> None:
    points = np.array([[0.1, 0.1], [0.1, 0.1], [0.9, 0.9]])
    assert wsp.grow(points, [0], 2).indices.tolist() == [0, 2]
    with pytest.raises(ValueError, match="only 2 of the candidates are distinct"):
        wsp.grow(points, [0], 3)


FACTORS = (
    wsp.Factor("capacity_mbps", 1, 100),
    wsp.Factor("delay_ms", 1, 25),
    wsp.Factor("loss_percent", 0, 2, step=1),
)


def make(count: int, **more: Any) -> wsp.Design:
    rng = np.random.default_rng(1)
    return wsp.make_design(FACTORS, count, rng, candidates=2000, **more)


@pytest.mark.parametrize("start", ["centre", "random"])
def test_the_larger_design_begins_with_the_smaller(start: wsp.Start) -> None:
    small = make(30, start=start)
    large = make(50, start=start, grown_from=30)
    assert large.points[:30].tobytes() == small.points.tobytes()
    assert large.points.shape == (50, 3)
    assert small.d_min is not None and large.d_min is not None
    assert large.d_min < small.d_min
    assert large.criteria == wsp.criteria(large.unit)


def test_grown_designs_obey_the_constraint() -> None:
    grown = make(40, grown_from=20, constraint=lambda x: x[:, 0] > 2 * x[:, 1])
    assert (grown.points[:, 0] > 2 * grown.points[:, 1]).all()


@pytest.mark.parametrize("seed", range(3))
def test_fills_nearly_as_well_as_a_fresh_one(seed: int) -> None:
    """Half as many again, in the thesis's six dimensions; LHS for comparison."""
    factors = [wsp.Factor(f"f{i}", 0, 1) for i in range(6)]

    def made(count: int, **more: Any) -> wsp.Criteria:
        rng = np.random.default_rng(seed)
        return wsp.make_design(factors, count, rng, **more).criteria

    grown, fresh, lhs = (
        made(147, grown_from=98),
        made(147),
        made(147, method="lhs"),
    )
    assert grown.minimum_distance > 0.95 * fresh.minimum_distance
    assert grown.coverage < 0.06 < 3 * lhs.coverage
    assert grown.mean_nearest_distance > fresh.mean_nearest_distance


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"grown_from": 40}, "grown_from: 40 of 40 points"),
        ({"grown_from": 0}, "grown_from: 0 of 40 points"),
        ({"grown_from": 20, "method": "lhs"}, "only wsp's designs grow"),
    ],
)
def test_refused_designs(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(40, **more)

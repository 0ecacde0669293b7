"""Weights by volume against cells whose volumes are known."""

import numpy as np
import pytest

import wsp

SQUARE = (wsp.Factor("a", 0, 10), wsp.Factor("b", 0, 1))


def test_cells_on_paper(rng: np.random.Generator) -> None:
    """On a line at 0.1, 0.3 and 0.9 the cells end at 0.2 and 0.6."""
    line = [wsp.Factor("a", 0, 10)]
    found = wsp.weights(line, [[1.0], [3.0], [9.0]], rng)
    assert found == pytest.approx([0.6, 1.2, 1.2], abs=0.001)
    assert found.mean() == pytest.approx(1)
    assert wsp.effective_count(found) == pytest.approx(9 / 3.24, abs=0.01)


@pytest.mark.parametrize("metric", wsp.METRICS)
def test_against_all_distances(metric: wsp.Metric, rng: np.random.Generator) -> None:
    points = rng.random((20, 2)) * [10, 1]
    found = wsp.weights(SQUARE, points, rng, metric, samples=100_000)
    side = (np.arange(251) + 0.5) / 251
    places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 1, 2)
    away = np.abs(places - points / [10, 1])
    cost = away.sum(2) if metric == "l1" else (away**2).sum(2)
    expected = np.bincount(cost.argmin(1), minlength=20) * 20 / len(places)
    assert found == pytest.approx(expected, abs=0.03)


def test_levels_are_equally_likely(rng: np.random.Generator) -> None:
    flows = [wsp.Factor("flows", 1, 5, integer=True)]
    found = wsp.weights(flows, [[1.0], [2.0], [3.0], [4.0], [5.0]], rng)
    assert found == pytest.approx(np.ones(5), abs=0.001)


def test_forbidden_places_do_not_count(rng: np.random.Generator) -> None:
    found = wsp.weights(
        SQUARE,
        [[2.5, 0.5], [7.5, 0.5]],
        rng,
        constraint=lambda x: x[:, 0] < 6,
    )
    assert found == pytest.approx([5 / 3, 1 / 3], abs=0.001)
    with pytest.raises(ValueError, match="none of 200000 places"):
        wsp.weights(SQUARE, [[5, 0.5]], rng, constraint=lambda x: x[:, 0] > 10)


def test_weights_move_margins_towards_a_uniform_design() -> None:
    factors = [wsp.Factor(name, 0, 1) for name in "abcdef"]
    design = wsp.make_design(factors, 98, np.random.default_rng(1))
    found = wsp.weights(factors, design.points, np.random.default_rng(2))
    margin = ((design.unit < 0.1) | (design.unit > 0.9)).mean(axis=1)
    assert margin.mean() > 0.30
    assert np.average(margin, weights=found) < 0.28

"""Designs over factors: counts, steps, constraints, files, determinism."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

import wsp
from wsp.plot import pair_plot

pytestmark = pytest.mark.slow

PATHS = tuple(
    factor
    for i in (1, 2)
    for factor in (
        wsp.Factor(f"path{i}.capacity_mbps", 1, 100),
        wsp.Factor(f"path{i}.delay_ms", 1, 25),
        wsp.Factor(f"path{i}.queueing_delay_ms", 0, 100),
    )
)


def make(
    factors: Sequence[wsp.Factor], count: int, seed: int = 1, **options: Any
) -> wsp.Design:
    return wsp.make_design(factors, count, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("method", wsp.METHODS)
def test_thesis_domain(method: wsp.Method) -> None:
    design = make(PATHS, 98, method=method)
    assert design.points.shape == design.unit.shape == (98, 6)
    for column, factor in zip(design.points.T, PATHS, strict=True):
        assert column.min() >= factor.minimum
        assert column.max() <= factor.maximum
    assert wsp.criteria(design.unit) == design.criteria
    assert (design.d_min is None) == (method != "wsp")


@pytest.mark.parametrize("candidate_set", wsp.CANDIDATE_SETS)
@pytest.mark.parametrize("metric", wsp.METRICS)
def test_kept_distance(candidate_set: wsp.CandidateSet, metric: wsp.Metric) -> None:
    design = make(
        PATHS, 60, candidates=2000, candidate_set=candidate_set, metric=metric
    )
    assert design.d_min is not None
    assert design.criteria.minimum_distance >= design.d_min * (1 - 1e-9)


@pytest.mark.parametrize("method", wsp.METHODS)
@pytest.mark.parametrize("start", ["centre", "random", 3])
def test_same_seed_same_bytes(
    method: wsp.Method, start: wsp.Start, tmp_path: Path
) -> None:
    files = []
    for run in range(2):
        design = make(PATHS, 30, method=method, start=start, candidates=1000)
        wsp.write_csv(design, tmp_path / f"{run}.csv")
        files.append((tmp_path / f"{run}.csv").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("method", ["wsp", "lhs", "sobol", "uniform"])
def test_other_seed_other_points(method: wsp.Method) -> None:
    one, two = (make(PATHS, 30, seed=s, method=method).points for s in (1, 2))
    assert one.tobytes() != two.tobytes()


def test_steps_give_distinct_points_and_distances_between_them() -> None:
    factors = [
        wsp.Factor("flows", 1, 8, integer=True),
        wsp.Factor("loss_percent", 0, 1, step=0.25),
        wsp.Factor("delay_ms", 0, 40, step=10),
    ]
    design = make(factors, 25, start="random")
    assert design.feasible == 8 * 5 * 5
    assert len(np.unique(design.points, axis=0)) == 25
    assert np.isin(design.points[:, 1], [0, 0.25, 0.5, 0.75, 1]).all()
    assert np.array_equal(wsp.unscale(factors, design.points), design.unit)
    assert design.d_min is not None
    assert pdist(design.unit).min() >= design.d_min * (1 - 1e-12)


def test_whole_grid() -> None:
    factors = [wsp.Factor("a", 1, 4, integer=True), wsp.Factor("b", 1, 3, integer=True)]
    design = make(factors, 12)
    assert len(np.unique(design.points, axis=0)) == 12


@pytest.mark.parametrize("method", ["wsp", "sobol", "uniform"])
def test_constraint(method: wsp.Method) -> None:
    design = make(
        PATHS, 40, method=method, constraint=lambda x: x[:, 0] >= x[:, 3] + 20
    )
    assert (design.points[:, 0] >= design.points[:, 3] + 20).all()
    assert len(design.points) == 40
    if method == "wsp":
        assert design.feasible < 10_000


def test_constraint_sees_snapped_values_in_units() -> None:
    seen: list[NDArray[np.float64]] = []

    def keep(values: NDArray[np.float64]) -> NDArray[np.bool_]:
        seen.append(values)
        return np.ones(len(values), dtype=bool)

    make([wsp.Factor("a", 10, 20, step=5)], 3, constraint=keep)
    assert sorted(seen[0][:, 0].tolist()) == [10, 15, 20]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "0 wanted"),
        ({"count": 20_000}, "20000 wanted of 10000 candidates"),
        ({"factors": []}, "at least one"),
        ({"factors": [PATHS[0], PATHS[0]]}, "given twice"),
        ({"method": "grid"}, "wsp, lhs, sobol, uniform"),
        ({"candidate_set": "halton"}, "uniform, lhs, sobol"),
        ({"metric": "l2"}, "euclidean, l1"),
        ({"start": "corner"}, "'centre', 'random'"),
        ({"constraint": lambda x: x[:, 0] > 99.5}, "of 10000 candidates are distinct"),
        ({"constraint": lambda x: x[:, 0] > 200, "method": "sobol"}, "looser"),
        ({"constraint": lambda x: x[:, 0] > 50, "method": "lhs"}, "98 wanted but"),
        ({"constraint": lambda x: x > 0}, "one truth value per point"),
        ({"factors": [wsp.Factor("a", 1, 9, integer=True)]}, "steps allow 9"),
        ({"factors": [wsp.Factor("a", 1, 9, integer=True)], "method": "lhs"}, "9;"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    arguments = {"factors": PATHS, "count": 98, **options}
    with pytest.raises(ValueError, match=message) as caught:
        make(arguments.pop("factors"), arguments.pop("count"), **arguments)
    assert "\n" not in str(caught.value)


def test_random_start_is_drawn_again_until_the_count_is_had() -> None:
    """Nine points on a square: from the middle 1, 5 or 9; from a corner also 4."""
    square = [wsp.Factor(name, 0, 2, integer=True) for name in "ab"]
    with pytest.raises(wsp.CountNotFound, match="1 or 5 points, but never 4"):
        make(square, 4)
    assert len(make(square, 4, start="random").points) == 4


def test_few_levels_name_the_design_that_grows() -> None:
    """Of the corners of a cube WSP keeps 1, 2, 4 or 8; the message says what helps."""
    cube = [wsp.Factor(name, 0, 1, integer=True) for name in "abc"]
    with pytest.raises(wsp.CountNotFound, match="never 5") as caught:
        make(cube, 5)
    assert "(grown_from: 4)" in str(caught.value)
    assert "random" not in str(caught.value)
    assert len(make(cube, 5, grown_from=4).points) == 5


def test_csv_reads_back(tmp_path: Path) -> None:
    factors = [wsp.Factor("flows", 1, 8, integer=True), wsp.Factor("delay_ms", 1, 25)]
    design = make(factors, 10, candidates=500)
    wsp.write_csv(design, tmp_path / "design.csv")
    with (tmp_path / "design.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["point", "flows", "delay_ms"]
    assert [int(row[0]) for row in rows] == list(range(10))
    assert [[float(v) for v in row[1:]] for row in rows] == design.points.tolist()
    assert all("." not in row[1] for row in rows)


@pytest.mark.parametrize("d", [1, 3])
def test_pair_plot_is_a_png_and_the_same_one(d: int, tmp_path: Path) -> None:
    design = make(PATHS[:d], 20, candidates=500)
    for name in "ab":
        pair_plot(design, tmp_path / name, "title")
    assert (tmp_path / "a").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_pair_plot_of_a_constant_factor_and_of_too_many(tmp_path: Path) -> None:
    constant = [wsp.Factor("a", 5, 5), wsp.Factor("b", 0, 1)]
    pair_plot(make(constant, 8, candidates=200), tmp_path / "design.png")
    many = [wsp.Factor(f"f{i}", 0, 1) for i in range(13)]
    with pytest.raises(ValueError, match="13 factors"):
        pair_plot(make(many, 8, candidates=200), tmp_path / "design.png")

"""Seeds of runs: one per point and repetition, so that networks have independent noise.

A campaign is compared with itself under another seed, where the runs differ by noise
alone. The p-value of such a comparison is uniform if the runs' noise is independent.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import Plan, make_plan
from mpbench.plan.points import Point, points
from mpbench.plan.seeds import BITS, run_seed
from tests.spec.files import TEXT, spec

BUILD = {"kernel": "abc", "guest": "def"}
NETWORKS, REPETITIONS, COMPARISONS = 20, 10, 300
SeedOf = Callable[[int, int, Mapping[str, Any]], int]


def of_repetition(seed: int, repetition: int, factors: Mapping[str, Any]) -> int:
    """The rule that this project had: all points of a repetition share a seed."""
    return run_seed(seed, repetition, {})


def seeds(plan: Plan) -> dict[tuple[Any, ...], set[int]]:
    """The seeds of each point and repetition, the point by its values."""
    found: dict[tuple[Any, ...], set[int]] = {}
    for run in plan.runs:
        place = (tuple(sorted(run.factors.items())), run.repetition)
        found.setdefault(place, set()).add(dump(run.job)["seed"])
    return found


def noise(seed_of: SeedOf, networks: list[Point], seed: int) -> NDArray[np.float64]:
    """The mean over repetitions of each network's noise, shape (networks,).

    The noise of a run is standard normal, and the run's seed is its quantile.
    """
    seeds = [
        [seed_of(seed, repetition, network) for repetition in range(REPETITIONS)]
        for network in networks
    ]
    drawn = ndtri((np.array(seeds, dtype=float) + 0.5) / 2**BITS)
    return np.asarray(drawn.mean(axis=1))


def p_values(seed_of: SeedOf, networks: list[Point]) -> NDArray[np.float64]:
    """Of "the campaign differs from itself", each time under two fresh seeds."""
    campaigns = [noise(seed_of, networks, seed) for seed in range(2 * COMPARISONS)]
    tested = stats.ttest_rel(campaigns[::2], campaigns[1::2], axis=1)
    return np.asarray(tested.pvalue)


@pytest.fixture(scope="module")
def networks() -> list[Point]:
    return points(loads(TEXT.replace("points: 4", f"points: {NETWORKS}")))


def test_a_campaign_does_not_differ_from_itself_under_other_seeds(
    networks: list[Point],
) -> None:
    found = p_values(run_seed, networks)
    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert 0.02 < np.mean(found < 0.05) < 0.09


def test_one_seed_for_all_networks_would_be_found(
    networks: list[Point],
) -> None:
    """Noise that networks share moves all differences the same way."""
    found = p_values(of_repetition, networks)
    assert np.mean(found < 0.05) > 0.5
    assert stats.kstest(found, "uniform").pvalue < 1e-6


def test_every_point_and_repetition_has_a_seed_that_its_cases_share() -> None:
    found = seeds(make_plan(spec(repetitions=3), BUILD))
    assert all(len(of_place) == 1 for of_place in found.values())
    assert len(set().union(*found.values())) == len(found) == 4 * 3
    assert all(0 <= seed < 2**63 for of in found.values() for seed in of)


def test_growing_a_design_keeps_the_runs_of_its_points() -> None:
    small = loads(TEXT)
    grown = loads(TEXT.replace("points: 4", "points: 7\n  grown_from: 4"))
    before = {run.id for run in make_plan(small, BUILD).runs}
    after = {run.id for run in make_plan(grown, BUILD).runs}
    assert before < after


def grid(**lists: list[str]) -> Plan:
    varied = {f"{link}.loss": values for link, values in lists.items()}
    return make_plan(spec(design={"method": "grid", "factors": varied}), BUILD)


def test_the_order_of_factors_and_values_keeps_seeds() -> None:
    listed = grid(path1=["0 %", "1 %"], path2=["0 %", "2 %"])
    turned = grid(path2=["2 %", "0 %"], path1=["1 %", "0 %"])
    assert seeds(listed) == seeds(turned)


def test_what_is_no_factor_leaves_seeds_alone() -> None:
    """A configuration is compared with another under the same random numbers."""
    lossless = seeds(make_plan(spec(), BUILD))
    assert seeds(make_plan(spec(parameters={"path1.loss": "1 %"}), BUILD)) == lossless


def test_a_network_without_a_design_has_the_seed_of_its_repetition() -> None:
    """Its runs keep their ids: there is no second network to share noise with."""
    (run,) = make_plan(spec(design=None, repetitions=1), BUILD).runs[:1]
    assert dump(run.job)["seed"] == run_seed(1, 0, {}) == 0xC6B70E5615456D7


def test_a_design_has_no_point_twice() -> None:
    """Two equal points would be one run, which the table would count twice."""
    narrow = {"min": "1 Mbit/s", "max": "1.000003 Mbit/s"}
    crowded = spec(design={"points": 40, "factors": {"path1.capacity": narrow}})
    with pytest.raises(UserError, match="40 points, of which 4 differ"):
        points(crowded)

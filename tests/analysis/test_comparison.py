"""Two campaigns, pair by pair."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.campaign import comparison, sample_sizes

BOTH = {"mptcp": "mptcp"}


def campaign(values: list[float], case: str = "mptcp", **more: Any) -> pd.DataFrame:
    """One design point per value, with capacities 1, 2, 3 and so on."""
    return pd.DataFrame(
        {
            "case": case,
            "verdict": "ok",
            "repetition": 0,
            "capacity": range(1, len(values) + 1),
            "goodput_mbps": values,
            **more,
        }
    )


def paired(
    one: pd.DataFrame, other: pd.DataFrame, cases: Mapping[str, str] = BOTH
) -> pd.DataFrame:
    return comparison.pairs(one, other, ["capacity"], cases, "goodput")


def test_pairs_are_of_one_design_point() -> None:
    shuffled = campaign([3.0, 5.0, 7.0]).iloc[::-1]
    pairs = paired(campaign([1.0, 2.0, 3.0]), shuffled)
    assert list(pairs.sort_values("capacity")["difference"]) == [2, 3, 4]


def test_runs_that_are_not_ok_make_no_pair() -> None:
    bad = campaign([1.0, 2.0, 3.0], verdict=["ok", "invalid", "ok"])
    assert list(paired(bad, campaign([1.0, 1.0, 1.0]))["capacity"]) == [1, 3]
    other_points = campaign([1.0]).assign(capacity=9)
    assert paired(bad, other_points).empty


def test_cases_of_other_names() -> None:
    pairs = paired(
        campaign([1.0], "lowrtt"),
        campaign([4.0], "roundrobin"),
        {"lowrtt": "roundrobin"},
    )
    assert list(pairs["difference"]) == [3]


def test_line() -> None:
    one, other = campaign([1.0, 2.0, 3.0, 4.0]), campaign([2.0, 4.0, 2.5, 4.0])
    rng = np.random.default_rng(1)
    (line,) = comparison.lines(paired(one, other), BOTH, "goodput", rng)
    assert (line.pairs, line.above, line.below) == (4, 2, 1)
    assert (line.first, line.second) == (2.5, 3.25)
    assert line.mean.estimate == pytest.approx((1 + 2 - 0.5) / 4)
    assert line.median.estimate == pytest.approx(0.5)
    assert line.mean.low is None, "four networks give no interval of 95 %"


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_an_interval_needs_values_for_its_level(confidence: float) -> None:
    """The range of n values misses the median with the probability 2^(1-n)."""
    least = sample_sizes.least_values(confidence)
    assert 2.0 ** (1 - least) <= 1 - confidence < 2.0 ** (2 - least)
    values, rng = np.arange(float(least)), np.random.default_rng(1)
    whole = comparison.interval(values, np.median, rng, confidence)
    assert whole.low is not None
    fewer = comparison.interval(values[1:], np.median, rng, confidence)
    assert fewer.low is None and fewer.high is None
    assert sample_sizes.least_values(0.95) == 6


def repeated(points: int, differences: list[list[float]]) -> pd.DataFrame:
    """Pairs of one case: a row per point and repetition."""
    rows = [
        ("mptcp", repetition, float(point), 0.0, value, value)
        for point in range(points)
        for repetition, value in enumerate(differences[point])
    ]
    names = ["case", "repetition", "capacity", "first", "second", "difference"]
    return pd.DataFrame(rows, columns=names)


def test_repetitions_of_a_network_are_one_observation() -> None:
    """They share its difference: 3 networks, repeated 10 times, are no 30 networks."""
    pairs = repeated(3, [[1.0] * 10, [5.0] * 10, [9.0, 11.0] * 5])
    rng = np.random.default_rng(1)
    (line,) = comparison.lines(pairs, {"mptcp": "mptcp"}, "goodput", rng)
    assert (line.pairs, line.above, line.median.estimate) == (3, 3, 5.0)
    assert line.median.low is None


def test_identical_repetitions_of_one_network_are_one_observation() -> None:
    rng, cases = np.random.default_rng(1), {"mptcp": "mptcp"}
    (same,) = comparison.lines(repeated(1, [[2.0] * 10]), cases, "goodput", rng)
    assert (same.pairs, same.median.low) == (1, None)
    noisy = repeated(1, [[2.0 + 0.1 * n for n in range(10)]])
    (differ,) = comparison.lines(noisy, cases, "goodput", rng)
    assert differ.pairs == 10 and differ.median.low is not None


def test_interval_is_near_students() -> None:
    """For the mean of 200 normal values, the bootstrap interval agrees with Student's
    within a tenth of its width."""
    values = np.random.default_rng(5).normal(3, 2, 200)
    interval = comparison.interval(values, np.mean, np.random.default_rng(1))
    low, high = stats.t.interval(0.95, 199, values.mean(), stats.sem(values))
    assert interval.low == pytest.approx(low, abs=0.1 * (high - low))
    assert interval.high == pytest.approx(high, abs=0.1 * (high - low))


def test_intervals_repeat_with_the_generator() -> None:
    values = np.random.default_rng(5).normal(0, 1, 30)
    first, second = (
        comparison.interval(values, np.median, np.random.default_rng(1)) for _ in "ab"
    )
    assert first == second


@pytest.mark.parametrize("statistic", [np.mean, np.median])
def test_intervals_at_the_edge(statistic: Callable[..., np.floating]) -> None:
    rng = np.random.default_rng(1)
    same = comparison.interval(np.full(20, 0.25), statistic, rng)
    assert (same.low, same.estimate, same.high) == (0.25, 0.25, 0.25)
    few = comparison.interval(np.array([1.0, 2.0]), statistic, rng)
    assert few.low is None and few.estimate == 1.5
    mostly = comparison.interval(np.array([0.0] * 19 + [1.0]), statistic, rng)
    assert mostly.low is not None and np.isfinite(mostly.low)


def test_sizes_of_a_network_have_a_line_each() -> None:
    """Eight networks with three sizes are eight pairs per size, and not 24."""
    rows = pd.DataFrame(
        [
            {"case": "a", "repetition": 0, "capacity": network, "size": size}
            | {"first": 1.0, "second": 1.0 + size, "difference": size}
            for network in range(8)
            for size in (1.0, 2.0, 3.0)
        ]
    )
    rng = np.random.default_rng(1)
    found = comparison.lines(rows, {"a": "a"}, "goodput", rng, split=["size"])
    assert [(line.place, line.pairs) for line in found] == [
        ((size,), 8) for size in "123"
    ]
    assert [line.median.estimate for line in found] == [1.0, 2.0, 3.0]

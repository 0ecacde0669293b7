"""Batches after thesis sec. 3.2."""

import itertools

import numpy as np
import pytest

from analysis.campaign import batches


def test_the_example_of_the_thesis() -> None:
    """Delays up to 25 ms in 5 batches: ]0, 5], ..., ]20, 25]."""
    bounds = batches.edges([1.0, 24.3])
    assert bounds == (0, 5, 10, 15, 20, 25)
    assert batches.assign([0.1, 5, 5.0001, 20, 25], bounds).tolist() == [0, 0, 1, 3, 4]
    assert batches.label(bounds, 1) == "]5, 10]"


def test_capacity_differences_of_the_thesis() -> None:
    assert batches.edges([97.0]) == (0, 20, 40, 60, 80, 100)


def test_a_signed_difference_lies_about_0() -> None:
    assert batches.edges([-97.0, 3], 5, signed=True) == (-100, -60, -20, 20, 60, 100)
    assert batches.edges([-1.0, 30.0], 4, signed=True) == (-30, -15, 0, 15, 30)


def test_a_difference_of_nothing_is_in_the_first_batch() -> None:
    assert batches.assign([0.0], (0, 1, 2)).tolist() == [0]
    assert batches.label((0, 1, 2), 0) == "[0, 1]"


def test_outside_and_missing() -> None:
    assert batches.assign([-1, 3, np.nan], (0, 1, 2)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("largest", [0.0, 1e-6, 0.37, 1.0, 99.99, 100.0, 100.01, 7e9])
def test_every_value_has_a_batch(largest: float) -> None:
    values = np.linspace(0, largest, 50)
    bounds = batches.edges(values)
    assert (batches.assign(values, bounds) >= 0).all()
    assert all(a < b for a, b in itertools.pairwise(bounds))


def test_summary_against_a_naive_one() -> None:
    random = np.random.default_rng(3)
    criterion, values = random.uniform(0, 100, 200), random.normal(size=200)
    values[7] = np.nan
    summary = batches.summary(criterion, values, (0, 20, 40, 60, 80, 100))
    assert summary["n"].sum() == 199
    for index, (_, row) in enumerate(summary.iterrows()):
        chosen = sorted(
            v
            for c, v in zip(criterion, values, strict=True)
            if 20 * index < c <= 20 * (index + 1) and v == v
        )
        middle = len(chosen) // 2
        odd = len(chosen) % 2
        median = chosen[middle] if odd else sum(chosen[middle - 1 : middle + 1]) / 2
        assert row["median"] == pytest.approx(median)
        assert (row["minimum"], row["maximum"]) == (chosen[0], chosen[-1])


def test_no_values_are_refused() -> None:
    for values in ([], [-1.0], [np.inf]):
        with pytest.raises(ValueError, match="batches: needs"):
            batches.edges(values)

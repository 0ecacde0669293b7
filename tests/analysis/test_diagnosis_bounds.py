"""Numbers of the search for unknown settings, computed by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import diagnosis
from analysis.campaign.diagnosis import Unknown

CONTROL = Unknown("control", "control", "", ("a", "b"))


def test_omega_squared_of_three_groups() -> None:
    """SSB 52 and SST 53.5; MSW is 1.5 / 3: (52 - 2 * 0.5) / (53.5 + 0.5)."""
    target = np.array([1.0, 2, 3, 4, 8, 9])
    groups = np.array([0, 0, 1, 1, 2, 2])
    assert diagnosis._omega(target, groups) == pytest.approx(51 / 54)
    assert diagnosis._omega(target, np.array([0, 1, 2, 0, 1, 2])) == 0
    assert diagnosis._omega(target, np.zeros(6)) == 0
    assert diagnosis._omega(target, np.arange(6)) == 0
    assert diagnosis._omega(np.ones(6), groups) == 0
    assert diagnosis._omega(np.array([]), np.array([])) == 0
    # Two groups are enough: SSB 4.5, SST 5, MSW 0.25: (4.5 - 0.25) / 5.25.
    two = diagnosis._omega(np.array([1.0, 1, 2.5, 3.5]), np.array([0, 0, 1, 1]))
    assert two == pytest.approx((4 - 0.25) / (4.5 + 0.25))


@pytest.mark.parametrize(
    ("target", "share"),
    [
        ([1.0, 2, 3], 0),  # too few
        ([1.0, 2, 3, 4], 1),
        ([4.0, 3, 2, 1], 1),
        ([1.0, 1, 1, 1], 0),
        # r = 1 - 6 * 2 / (5 * 24) = 0.9: 1 - 0.19 * 4 / 3
        ([1.0, 2, 3, 5, 4], 1 - 0.19 * 4 / 3),
        # r = 1 - 6 * 20 / (5 * 24) = 0: below 0, cut
        ([1.0, 5, 2, 4, 3], 0),
    ],
)
def test_the_adjusted_rank_correlation(target: list[float], share: float) -> None:
    values = pd.Series(np.arange(float(len(target))))
    found = diagnosis._ranked(values, np.array(target))
    assert found == pytest.approx(share, abs=1e-9)
    assert diagnosis._ranked(pd.Series([2.0] * len(target)), np.array(target)) == 0


def test_two_values_are_ranks_enough() -> None:
    halves, numbers = pd.Series([1.0, 1, 2, 2]), pd.Series([1.0, 2, 3, 4])
    assert diagnosis._ranked(halves, np.array([5.0, 5, 9, 9])) == pytest.approx(1)
    # r^2 = 0.8: 1 - 0.2 * 3 / 2
    for one, two in ((halves, numbers), (numbers, halves)):
        assert diagnosis._ranked(one, two.to_numpy()) == pytest.approx(0.7)


def test_a_range_has_four_parts() -> None:
    queue = Unknown("q", "q", low=10, high=50)
    rows = pd.DataFrame({"q": [10, 19.9, 20, 29.9, 30, 40, 49, 50, 55, 5]})
    assert diagnosis._groups(rows, queue).tolist() == [0, 0, 1, 1, 2, 3, 3, 3, 3, 0]
    words = pd.DataFrame({"control": ["b", "a"]})
    assert diagnosis._groups(words, CONTROL).tolist() == [1, 0]


@pytest.mark.parametrize(("other", "strengths"), [(0.2, [0.8]), (1.0, [])])
def test_a_column_tells_apart_from_a_strength_of_80_percent(
    other: float, strengths: list[float]
) -> None:
    """Five runs of one and two of the other. Of ten pairs, nine are on their side, or
    eight."""
    ratios = [2.0, 3, 4, 5, 0.5, 1.0, other]
    fits = pd.DataFrame({"control": [*"aaaaabb"], "retransmission_ratio": ratios})
    found = diagnosis.differences(fits, [CONTROL], [])
    assert [each.strength for each in found] == strengths


def test_a_range_narrows_to_a_step_of_the_design_beside_the_best() -> None:
    """Sixteen runs over two ranges are four to a side; one run has half a range."""
    one = Unknown("one", "one", low=0, high=100)
    two = Unknown("two", "two", low=0, high=10)
    values = [50.0] + [99.0] * 15
    rows = pd.DataFrame({"one": values, "two": [5.0] + [0.1] * 15})
    off = pd.Series([0.5] + [9.0] * 15)
    found = diagnosis.narrowed(rows, [one, two], off)
    assert [(each.low, each.high) for each in found] == [(25, 75), (2.5, 7.5)]
    (alone,) = diagnosis.narrowed(rows.head(1), [one], off.head(1))
    assert (alone.low, alone.high) == (0, 100)
    wide = Unknown("one", "one", low=0, high=200)
    (alone,) = diagnosis.narrowed(rows.head(1), [wide], off.head(1))
    assert (alone.low, alone.high) == (0, 150)


@pytest.mark.parametrize(
    ("off", "kept"), [([0.3, 1.0, 1.01], ("a", "b")), ([2.0, 6.0, 6.1], ("a", "b"))]
)
def test_the_best_fit_or_have_three_times_the_least_deviation(
    off: list[float], kept: tuple[str, ...]
) -> None:
    letters = Unknown("control", "control", "", ("a", "b", "c"))
    rows = pd.DataFrame({"control": ["a", "b", "c"]})
    (found,) = diagnosis.narrowed(rows, [letters], pd.Series(off))
    assert found.values == kept

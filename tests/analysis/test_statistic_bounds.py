"""Statistics of published statements at the values where they change."""

from collections.abc import Sequence

import pandas as pd
import pytest

from analysis.published.statistics import STATISTICS, Question


def found(name: str, values: Sequence[float], **asked: float) -> float:
    question = Question("m", "", None, None, (), **asked)
    return STATISTICS[name](pd.DataFrame({"m": values}), question).value


@pytest.mark.parametrize(
    ("name", "share"),
    [("part_above", 1 / 4), ("part_below", 1 / 4), ("part_within", 3 / 4)],
)
def test_a_value_at_the_threshold_is_neither_above_nor_below(
    name: str, share: float
) -> None:
    assert (
        found(
            name, [1.0, 2.0, -2.0 if name == "part_within" else 2.0, 3.0], threshold=2.0
        )
        == share
    )


def test_a_share_at_the_threshold_is_not_beyond_it() -> None:
    assert found("part_beyond", [0.25, 0.75, 0.2, 0.8], threshold=0.75) == 0.5


def test_an_outlier_is_farther_than_one_and_a_half_quartile_ranges() -> None:
    # The quartiles are 1 and 3, so the bounds are -2 and 6.
    inside = [-2.0, 0, 1, 1, 2, 3, 3, 4, 6]
    assert found("outliers", inside) == 0
    assert found("outliers", [-2.01, *inside[1:]]) == 1
    assert found("outliers", [*inside[:-1], 6.01]) == 1


def test_the_outer_tenths_end_at_a_tenth() -> None:
    rows = pd.DataFrame({"point": range(11), "f": [float(n) for n in range(11)]})
    question = Question("m", "", None, None, ("f",))
    assert STATISTICS["outer_tenths"](rows, question).value == 2 / 11


def test_a_batch_ends_with_its_upper_bound() -> None:
    rows = pd.DataFrame({"c": [-1.0, 0.0, 1.0, 2.0, 3.0], "m": [1.0, 2, 3, 4, 5]})
    for above, up_to, median in ((0.0, 1.0, 2.0), (1.0, 2.0, 4.0), (2.0, None, 5.0)):
        question = Question("m", "c", above, up_to, ())
        assert STATISTICS["median"](rows, question).value == median


def test_a_fall_is_from_the_first_batch_to_the_last() -> None:
    rows = pd.DataFrame({"c": range(20), "m": [20.0 - n for n in range(20)]})
    assert STATISTICS["fall"](rows, Question("m", "c", None, None, ())).value > 10


def test_more_over_the_path_with_less_counts() -> None:
    rows = pd.DataFrame(
        {"d": [1.0, 1.0, -1.0, -1.0, 0.0], "path1.share": [0.4, 0.6] * 2 + [0.1]}
    )
    question = Question("m", "d", None, None, ())
    assert STATISTICS["weaker_path"](rows, question).value == 0.5
    alone = STATISTICS["weaker_path"](rows[:1], question)
    assert (alone.value, alone.n) == (1.0, 1)

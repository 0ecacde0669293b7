"""Figures over several designs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import sensitivity


def design(
    values: dict[str, list[float]], verdict: str = "ok", **more: Any
) -> pd.DataFrame:
    rows = [
        {"case": case, "verdict": verdict, "aggregation_benefit": value, **more}
        for case, listed in values.items()
        for value in listed
    ]
    return pd.DataFrame(rows)


def test_by_hand() -> None:
    """Medians 0.1, 0.2 and 0.3: sample deviation 0.1, of a range of 2 that is 5 %."""
    designs = [design({"a": [m - 0.5, m, m + 0.5]}) for m in (0.1, 0.2, 0.3)]
    (line,) = sensitivity.lines(designs, ["aggregation_benefit"], [])
    assert line.runs == (3, 3, 3) and line.ranged
    median = line.spreads["median"]
    assert median.values == (0.1, 0.2, 0.3)
    assert median.relative_deviation == pytest.approx(0.05)
    assert median.relative_error == pytest.approx(0.05 / 3**0.5)
    assert line.spreads["25th percentile"].mean == pytest.approx(0.2 - 0.25)
    assert line.spreads["75th percentile"].relative_deviation == pytest.approx(0.05)
    assert sensitivity.worst_error([line]) == pytest.approx(0.05 / 3**0.5)


def test_the_same_design_twice_has_no_error() -> None:
    same = design({"a": [0.1, 0.4, -0.3], "b": [1.0]})
    lines = sensitivity.lines([same, same], ["aggregation_benefit"], [])
    assert [line.group["case"] for line in lines] == ["a", "b"]
    assert sensitivity.worst_error(lines) == sensitivity.worst_deviation(lines) == 0
    assert sensitivity.worst_error([]) == sensitivity.worst_deviation([]) == 0


def test_deviations_against_a_naive_count() -> None:
    generator = np.random.default_rng(3)
    designs = [design({"a": list(generator.uniform(-1, 1, 40))}) for _ in range(5)]
    (line,) = sensitivity.lines(designs, ["aggregation_benefit"], [])
    for name, share in (
        ("25th percentile", 25),
        ("median", 50),
        ("75th percentile", 75),
    ):
        quantiles = [np.percentile(d["aggregation_benefit"], share) for d in designs]
        mean = sum(quantiles) / 5
        deviation = (sum((value - mean) ** 2 for value in quantiles) / 4) ** 0.5
        assert line.spreads[name].relative_deviation == pytest.approx(deviation / 2)


def test_each_value_of_a_list_has_its_own_line() -> None:
    parts = [
        pd.concat([design({"a": [v]}, size=1), design({"a": [v / 2]}, size=2)])
        for v in (0.2, 0.4)
    ]
    lines = sensitivity.lines(parts, ["aggregation_benefit"], ["size"])
    assert [line.group for line in lines] == [
        {"case": "a", "size": 1},
        {"case": "a", "size": 2},
    ]
    assert lines[1].spreads["median"].values == (0.1, 0.2)


def test_a_metric_without_a_range_is_relative_to_its_mean() -> None:
    designs = [
        design({"a": [0.0]}).assign(goodput_mbps=value) for value in (90.0, 110.0)
    ]
    (line,) = sensitivity.lines(designs, ["goodput"], [])
    assert not line.ranged
    assert line.spreads["median"].relative_deviation == pytest.approx(2**0.5 / 10)


def test_missing_metrics_are_left_out() -> None:
    good, bad = design({"a": [0.1]}), design({"a": [0.1]}, verdict="invalid")
    assert sensitivity.lines([good, bad], ["aggregation_benefit"], []) == []
    assert sensitivity.lines([good, good], ["completion_time"], []) == []
    with pytest.raises(ValueError, match="at least two"):
        sensitivity.lines([good], ["aggregation_benefit"], [])


def test_frame() -> None:
    same = design({"a": [0.1, 0.2]})
    lines = sensitivity.lines([same, same], ["aggregation_benefit"], [])
    frame = sensitivity.frame(lines)
    assert list(frame["statistic"]) == list(sensitivity.QUANTILES)
    assert list(frame["design1"]) == list(frame["design2"])
    assert set(frame["relative_to"]) == {"range"}


def test_the_statistic_that_varies_most_is_told() -> None:
    """The median is the same in both designs, and the upper quartile is not."""
    designs = [design({"a": [-0.1, 0.0, high]}) for high in (0.1, 0.5)]
    (line,) = sensitivity.lines(designs, ["aggregation_benefit"], [])
    assert line.spreads["median"].relative_error == 0
    upper = line.spreads["75th percentile"]
    assert upper.relative_error > 0
    assert sensitivity.worst_error([line]) == upper.relative_error
    assert sensitivity.worst_deviation([line]) == upper.relative_deviation

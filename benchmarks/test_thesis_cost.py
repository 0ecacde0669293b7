"""The cost of the thesis, from a sample of each campaign."""

import pytest

from benchmarks.thesis_cost import LEAST, Sampled, half_width_s, shares


def test_a_total_is_the_mean_times_the_runs() -> None:
    one = Sampled("a", 100, [1.0, 2.0, 3.0, 2.0])
    assert one.total_s == 200
    # 100^2 * (1 - 4/100) * (2/3) / 4
    assert one.variance == pytest.approx(1600)
    assert half_width_s([one, one]) == pytest.approx(1.96 * 3200**0.5)


def test_a_campaign_that_was_executed_whole_has_no_variance() -> None:
    assert Sampled("a", 3, [1.0, 5.0, 9.0]).variance == 0
    assert Sampled("a", 1, [1.0]).total_s == 1


def test_runs_are_drawn_by_the_expected_time() -> None:
    found = shares({"long": 900.0, "short": 99.0, "tiny": 1.0}, 100)
    assert found == {"long": 90, "short": 10, "tiny": LEAST}

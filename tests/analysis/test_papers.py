"""The papers' metrics on cases computed by hand."""

import numpy as np
import pytest

from analysis import dynamics, sharing
from analysis.run import metrics


def test_mean_loss_probability_of_the_thesis_example() -> None:
    """Sec. 5.2.2: 0 and 1 %, 70 and 30 % of the traffic: 0.3 %."""
    assert metrics.mean_loss_probability([0, 0.01], [0.7, 0.3]) == pytest.approx(0.003)
    with pytest.raises(ValueError, match="add up"):
        metrics.mean_loss_probability([0, 0.01], [0.7, 0.2])
    with pytest.raises(ValueError, match="each path"):
        metrics.mean_loss_probability([0, 2], [0.5, 0.5])


def test_first_path() -> None:
    assert metrics.first_path_share([30, 10]) == 0.75
    assert metrics.first_path_quality([9, 4]) == "best"
    assert metrics.first_path_quality([4, 9]) == "worst"
    assert metrics.first_path_quality([4, 9, 1]) == "between"
    with pytest.raises(ValueError, match="alike"):
        metrics.first_path_quality([4, 4])


def test_less_lossy_path_is_that_of_the_fewest_retransmissions() -> None:
    assert metrics.less_lossy_path([0.02, 0.003]) == 2
    assert metrics.less_lossy_path([0.0, 0.003, 0.1]) == 1
    with pytest.raises(ValueError, match="several"):
        metrics.less_lossy_path([0.01, 0.01])


def test_factor_difference_keeps_its_sign() -> None:
    assert metrics.factor_difference(3, 20) == -17
    assert abs(metrics.factor_difference(3, 20)) == 17
    with pytest.raises(ValueError, match="finite"):
        metrics.factor_difference(float("nan"), 1)


def test_lexicographic_shares_of_mpcc_figure_1() -> None:
    """Sec. 4.1: three links of 100 Mbit/s; one connection has all, one has the last.
    The worst-off gets 100 either way, and the other then 200, not 100."""
    capacities = {"1": 100.0, "2": 100.0, "3": 100.0}
    connections = [[["1"], ["2"], ["3"]], [["3"]]]
    assert sharing.max_min(capacities, connections) == pytest.approx(100)
    shares = sharing.lexicographic_max_min(capacities, connections)
    assert shares == pytest.approx([200, 100])
    assert sharing.is_max_min([100, 100], capacities, connections)
    assert not sharing.is_max_min([210, 90], capacities, connections)


def test_shares_of_one_bottleneck_are_even_and_do_not_count_subflows() -> None:
    connections = [[["a"], ["a"], ["a"]], [["a"]], [["a"]]]
    shares = sharing.lexicographic_max_min({"a": 30.0}, connections)
    assert shares == pytest.approx([10, 10, 10])


def test_shares_of_a_line_of_two_links() -> None:
    """A flow over both links and one on each: halves of 10 and then the rest of 30."""
    shares = sharing.lexicographic_max_min(
        {"a": 10.0, "b": 30.0}, [[["a", "b"]], [["a"]], [["b"]]]
    )
    assert shares == pytest.approx([5, 5, 25])


def test_shares_against_a_brute_search() -> None:
    """Two connections, two links of their own and one between them."""
    random = np.random.default_rng(3)
    for c1, c2, shared in random.uniform(1, 20, (20, 3)):
        best = max(
            (min(c1 + x, c2 + shared - x), max(c1 + x, c2 + shared - x))
            for x in np.linspace(0, shared, 4001)
        )
        found = sharing.lexicographic_max_min(
            {"1": c1, "2": c2, "s": shared}, [[["1"], ["s"]], [["2"], ["s"]]]
        )
        assert sorted(found) == pytest.approx(sorted(best), abs=0.02)


def test_unknown_link_is_named() -> None:
    with pytest.raises(ValueError, match="link b"):
        sharing.max_min({"a": 1.0}, [[["b"]]])


def test_recovery_is_when_the_average_of_later_is_reached() -> None:
    """Balia, Table V: after 80 s windows are 10, 30, 50, 70, 70; mean 46."""
    times = [70, 79, 80, 81, 82, 83, 84]
    windows = [99, 8, 10, 30, 50, 70, 70]
    assert dynamics.recovery_time_s(times, windows, left_s=80) == 2
    with pytest.raises(ValueError, match="no window"):
        dynamics.recovery_time_s(times, windows, left_s=90)


def test_settling_needs_the_band_to_be_kept() -> None:
    times = np.arange(0, 20, 1.0)
    rates = np.full(20, 10.0)
    rates[:4] = [1, 2, 9, 2]
    assert dynamics.settling_time_s(times, rates, share=10) == 4
    rates[7] = 20
    assert dynamics.settling_time_s(times, rates, share=10) == 8
    rates[::3] = 20
    with pytest.raises(ValueError, match="never"):
        dynamics.settling_time_s(times, rates, share=10)


def test_jitter_is_relative() -> None:
    assert dynamics.rate_jitter([8, 12]) == pytest.approx(2.8284271 / 10)
    assert dynamics.rate_jitter([800, 1200]) == pytest.approx(2.8284271 / 10)


def test_expected_oscillation_of_reno_is_a_half() -> None:
    assert dynamics.expected_oscillation([20], [10], [0.1], [0.01]) == 0.5
    # Two like routes that halve: each loss takes a quarter of the whole.
    two = dynamics.expected_oscillation([20, 20], [10, 10], [0.1, 0.1], [0.01, 0.01])
    assert two == pytest.approx(0.25)


def test_window_oscillation_is_the_mean_drop() -> None:
    saw = [10, 11, 12, 6, 7, 8, 4, 2, 3, 4]  # 12 -> 6, 8 -> 2
    assert dynamics.window_oscillation(saw) == pytest.approx((0.5 + 0.75) / 2)
    assert dynamics.window_oscillation([4, 2]) == 0.5
    with pytest.raises(ValueError, match="never falls"):
        dynamics.window_oscillation([1, 2, 3])

"""Metrics against the thesis's words, a naive second form, and invariants."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from analysis.run import metrics


def test_aggregation_benefit_at_the_marks_of_the_thesis() -> None:
    """Sec. 2.1.3: 1 all capacity, 0 the best path's, -1 nothing."""
    assert metrics.aggregation_benefit(30, [10, 20]) == 1
    assert metrics.aggregation_benefit(20, [10, 20]) == 0
    assert metrics.aggregation_benefit(0, [10, 20]) == -1
    assert metrics.aggregation_benefit(25, [10, 20]) == pytest.approx(0.5)
    assert metrics.aggregation_benefit(15, [10, 20]) == pytest.approx(-0.25)
    assert metrics.aggregation_benefit(45, [10, 20, 30]) == pytest.approx(0.5)


def test_experimental_aggregation_benefit_is_the_thesis_formula_on_two_paths() -> None:
    random = np.random.default_rng(1)
    for first, second, goodput in random.uniform(0.1, 100, (500, 3)):
        best, worst, both = max(first, second), min(first, second), first + second
        if goodput >= both:
            expected = goodput / both
        elif goodput > best:
            expected = (goodput - best) / worst
        else:
            expected = (goodput - best) / best
        ours = metrics.experimental_aggregation_benefit(goodput, [first, second])
        assert ours == pytest.approx(expected, rel=1e-12)


def test_experimental_aggregation_benefit_has_no_jump() -> None:
    alone = [3.0, 5.0, 7.0]
    for mark, value in ((15.0, 1.0), (7.0, 0.0)):
        for side in (-1e-9, 0.0, 1e-9):
            benefit = metrics.experimental_aggregation_benefit(mark + side, alone)
            assert benefit == pytest.approx(value, abs=1e-9)
    assert metrics.experimental_aggregation_benefit(0, alone) == -1
    assert metrics.experimental_aggregation_benefit(30, alone) == 2


def test_experimental_aggregation_benefit_when_a_path_gives_nothing() -> None:
    assert metrics.experimental_aggregation_benefit(5, [5, 0]) == 1
    assert metrics.experimental_aggregation_benefit(4, [5, 0]) == pytest.approx(-0.2)


def test_benefits_rise_with_goodput_and_ignore_order() -> None:
    parts = [4.0, 9.0, 2.5]
    for metric in (
        metrics.aggregation_benefit,
        metrics.experimental_aggregation_benefit,
    ):
        values = [metric(goodput, parts) for goodput in np.linspace(0, 20, 201)]
        assert values == sorted(values)
        assert metric(7.7, parts) == metric(7.7, parts[::-1])


def test_jain() -> None:
    assert metrics.jain([5]) == 1
    assert metrics.jain([2, 2, 2]) == pytest.approx(1)
    assert metrics.jain([1, 0, 0, 0]) == pytest.approx(0.25)
    # olia and balia papers: a rate of 2 beside one of 1 is 9 / 10
    assert metrics.jain([1, 2]) == pytest.approx(0.9)
    assert metrics.jain([1e300, 1e300]) == pytest.approx(1)


def test_goodput_utilisation_shares_and_retransmissions() -> None:
    assert metrics.goodput_mbps(1_250_000, 1) == pytest.approx(10)
    assert metrics.utilisation(14.3, [10, 5]) == pytest.approx(14.3 / 15)
    assert metrics.shares([3, 1]) == (0.75, 0.25)
    assert math.fsum(metrics.shares([0.1] * 10)) == pytest.approx(1)
    assert metrics.retransmission_ratio(5, 1000) == 0.005


def test_balance_of_requests() -> None:
    """Thesis, App. C: -1 to 1, 0 for schedulers that are alike."""
    assert metrics.request_balance(7, 7) == 0
    assert metrics.request_balance(3, 1) == 0.5 == -metrics.request_balance(1, 3)
    assert metrics.request_balance(5, 0) == 1
    with pytest.raises(ValueError, match="both rates of requests are 0"):
        metrics.request_balance(0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.goodput_mbps(1, 0), "must be above 0"),
        (lambda: metrics.goodput_mbps(-1, 1), "at least 0"),
        (lambda: metrics.aggregation_benefit(1, [1]), "needs at least 2"),
        (lambda: metrics.aggregation_benefit(1, [1, 0]), "above 0"),
        (lambda: metrics.aggregation_benefit(math.nan, [1, 1]), "finite"),
        (
            lambda: metrics.experimental_aggregation_benefit(1, [0, 0]),
            "all goodputs of TCP are 0",
        ),
        (lambda: metrics.jain([0, 0]), "all rates are 0"),
        (lambda: metrics.jain([]), "at least 1"),
        (lambda: metrics.shares([0, 0]), "all amounts are 0"),
        (lambda: metrics.retransmission_ratio(0, 0), "nothing was sent"),
    ],
)
def test_what_is_not_defined_is_refused(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()

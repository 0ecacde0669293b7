"""Metrics at the ends of what they are defined for, and their exact values there."""

import math
from collections.abc import Callable

import pytest

from analysis.models import max_min
from analysis.models.networks import Network, User
from analysis.run import metrics


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (metrics.goodput_mbps(5_000_000, 2), 20),
        (metrics.goodput_mbps(0, 0.001), 0),
        (metrics.goodput_mbps(125_000, 0.5), 2),
        (metrics.aggregation_benefit(0, [3, 1]), -1),
        (metrics.aggregation_benefit(3, [3, 1]), 0),
        (metrics.aggregation_benefit(3.5, [3, 2]), 0.25),
        (metrics.aggregation_benefit(1.5, [3, 1]), -0.5),
        (metrics.aggregation_benefit(8, [3, 1]), 5),
        (metrics.experimental_aggregation_benefit(8, [3, 1]), 2),
        (metrics.experimental_aggregation_benefit(4, [3, 1]), 1),
        (metrics.experimental_aggregation_benefit(3, [3, 1]), 0),
        (metrics.experimental_aggregation_benefit(3.5, [3, 1]), 0.5),
        (metrics.experimental_aggregation_benefit(3, [3, 0]), 1),
        (metrics.jain([3]), 1),
        (metrics.jain([3, 0, 0, 0, 0]), 0.2),
        (metrics.jain([1, 3]), pytest.approx(0.8)),
        (metrics.utilisation(5, [4]), 1.25),
        (metrics.utilisation(0, [4, 6]), 0),
        (metrics.utilisation(5, [4, 6]), 0.5),
        (metrics.retransmission_ratio(0, 1), 0),
        (metrics.retransmission_ratio(1, 0.5), 2),
        (metrics.request_balance(0, 3), -1),
        (metrics.request_balance(3, 0), 1),
        (metrics.request_balance(5, 3), 0.25),
        (metrics.shares([7]), (1,)),
        (metrics.shares([0, 7]), (0, 1)),
        (metrics.mean_loss_probability([1], [1]), 1),
        (metrics.mean_loss_probability([0.5, 0], [0.25, 0.75]), 0.125),
        (metrics.first_path_quality([2, 1, 3]), "between"),
        (metrics.first_path_quality([3, 3, 1]), "best"),
        (metrics.first_path_quality([1, 1, 3]), "worst"),
        (metrics.first_path_quality([0, 1]), "worst"),
        (metrics.less_lossy_path([2, 1, 1.5]), 2),
        (metrics.less_lossy_path([2, 1, 2]), 2),
        (metrics.less_lossy_path([0, 1]), 1),
    ],
)
def test_values_at_the_marks(found: object, value: object) -> None:
    assert found == value


@pytest.mark.parametrize(
    "call",
    [
        lambda: metrics.goodput_mbps(1, 0),
        lambda: metrics.goodput_mbps(1, -1),
        lambda: metrics.goodput_mbps(1, math.nan),
        lambda: metrics.goodput_mbps(-0.5, 1),
        lambda: metrics.aggregation_benefit(1, [2]),
        lambda: metrics.aggregation_benefit(-0.5, [2, 2]),
        lambda: metrics.aggregation_benefit(1, [2, 0]),
        lambda: metrics.aggregation_benefit(1, [2, math.inf]),
        lambda: metrics.experimental_aggregation_benefit(1, [2]),
        lambda: metrics.experimental_aggregation_benefit(-1, [2, 1]),
        lambda: metrics.experimental_aggregation_benefit(1, [2, -0.5]),
        lambda: metrics.experimental_aggregation_benefit(0, [0, 0]),
        lambda: metrics.jain([]),
        lambda: metrics.jain([0]),
        lambda: metrics.jain([1, -0.5]),
        lambda: metrics.utilisation(1, []),
        lambda: metrics.utilisation(1, [0]),
        lambda: metrics.utilisation(-1, [1]),
        lambda: metrics.retransmission_ratio(0, 0),
        lambda: metrics.retransmission_ratio(-1, 1),
        lambda: metrics.retransmission_ratio(1, math.nan),
        lambda: metrics.request_balance(0, 0),
        lambda: metrics.request_balance(-1, 2),
        lambda: metrics.shares([]),
        lambda: metrics.shares([0, 0]),
        lambda: metrics.first_path_quality([1]),
        lambda: metrics.first_path_quality([1, 1]),
        lambda: metrics.mean_loss_probability([], []),
        lambda: metrics.mean_loss_probability([1.5], [1]),
        lambda: metrics.mean_loss_probability([0.5, 0.5], [1]),
        lambda: metrics.less_lossy_path([1]),
        lambda: metrics.less_lossy_path([1, 2, 1]),
    ],
)
def test_values_outside_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()


@pytest.mark.parametrize("off", [0.9e-6, -0.9e-6])
def test_shares_may_be_rounded_by_a_millionth(off: float) -> None:
    found = metrics.mean_loss_probability([0.5, 0.5], [0.25, 0.75 + off])
    assert found == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(ValueError, match=r"the shares add up to"):
        metrics.mean_loss_probability([0.5, 0.5], [0.25, 0.75 + off * 1.2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.utilisation(1, [0]), "capacity: 0.0 given; .* above 0"),
        (lambda: metrics.utilisation(1, []), "capacity: 0 given; needs at least 1"),
        (lambda: metrics.jain([-1]), "rate: -1.0 given; .* at least 0"),
        (lambda: metrics.jain([]), "rate: 0 given; needs at least 1"),
        (lambda: metrics.jain([0]), "all rates are 0"),
        (lambda: metrics.shares([]), "amount: 0 given; needs at least 1"),
        (
            lambda: metrics.aggregation_benefit(1, [1]),
            "capacity: 1 given; needs at least 2",
        ),
        (
            lambda: metrics.experimental_aggregation_benefit(1, [1]),
            "single-path goodput: 1 given; needs at least 2",
        ),
        (
            lambda: metrics.first_path_quality([1]),
            "throughput: 1 given; needs at least 2",
        ),
        (
            lambda: metrics.less_lossy_path([1]),
            "retransmission ratio: 1 given; needs at least 2",
        ),
        (
            lambda: metrics.mean_loss_probability([], []),
            "loss probability: 0 given; needs at least 1",
        ),
        (
            lambda: metrics.mean_loss_probability([0.5], []),
            "share: 0 given; needs at least 1",
        ),
        (lambda: metrics.mean_loss_probability([0.5, 0.5], [1]), "of each path"),
        (lambda: metrics.goodput_mbps(-1, 1), "-1 bytes; must be at least 0"),
        (lambda: metrics.utilisation(-1, [1]), "goodput: -1.0 given"),
    ],
)
def test_a_refusal_says_the_bound(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


LINKS = {"a": 9e6, "b": 3e6}


def users(**paths: tuple[int, str]) -> Network:
    """Users by name: how many of them, and the links of which each is a path."""
    found = {
        name: User(tuple((link,) for link in links), count)
        for name, (count, links) in paths.items()
    }
    return Network(LINKS, found)


def test_the_last_user_rises_when_the_others_are_held() -> None:
    found = max_min.rates(users(one=(1, "a"), other=(2, "b")))
    assert found == pytest.approx({"one": 9e6, "other": 1.5e6})
    assert list(found) == ["one", "other"]
    both = max_min.rates(users(both=(1, "ab"), many=(2, "b")))
    assert both == pytest.approx({"both": 9e6, "many": 1.5e6})
    even = max_min.rates(users(both=(2, "ab"), one=(1, "a"), many=(1, "b")))
    assert even == pytest.approx(dict.fromkeys(("both", "one", "many"), 3e6))


def test_a_rate_that_differs_by_little_is_another_level() -> None:
    """Levels that differ by a hundred thousandth are told apart."""
    network = Network(
        {"a": 1e6, "b": 1e6 * (1 + 1e-5)},
        {"one": User((("a",),), 1), "other": User((("b",),), 1)},
    )
    found = max_min.rates(network)
    assert found["other"] / found["one"] - 1 == pytest.approx(1e-5, rel=0.01)


def test_probing_takes_a_segment_per_round_trip() -> None:
    """1250 bytes per 10 ms are 1 Mbit/s, which a user of both links sends over b."""
    both = User((("a",), ("b",)), 1, (0.02, 0.01))
    network = Network(LINKS, {"both": both, "one": User((("b",),), 1)})
    found = max_min.probing(network, segment_bytes=1250)
    assert found == pytest.approx({"both": 10e6, "one": 2e6}, rel=1e-6)
    plain = max_min.rates(network)
    assert plain == pytest.approx({"both": 9e6, "one": 3e6}, rel=1e-6)
    with pytest.raises(ValueError, match="user both: no round-trip time"):
        max_min.probing(users(both=(1, "ab"), one=(1, "b")))
    full = Network({"a": 1e5, "b": 1e5}, {"both": both})
    with pytest.raises(ValueError, match="cannot carry one segment per round-trip"):
        max_min.probing(full, segment_bytes=12_500)
    with pytest.raises(ValueError, match="segment"):
        max_min.probing(network, segment_bytes=0)


def test_the_distance_is_the_largest_shortfall() -> None:
    network = users(one=(1, "a"), other=(1, "b"))
    assert max_min.distance(network, {"one": 9e6, "other": 3e6}) == 0
    assert max_min.distance(network, {"one": 12e6, "other": 4e6}) == 0
    assert max_min.distance(network, {"one": 6.75e6, "other": 1.5e6}) == 0.5
    assert max_min.distance(network, {"one": 0, "other": 3e6}) == 1
    with pytest.raises(ValueError, match="no rate of user other"):
        max_min.distance(network, {"one": 9e6})

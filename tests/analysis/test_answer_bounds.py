"""Bounds of the answer and of the search for a factor that decides."""

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import answer, turning
from analysis.campaign.answer import Contrast
from analysis.campaign.comparison import Interval
from analysis.campaign.question import Question
from analysis.campaign.turning import Search
from tests.analysis.questions import X, Y, answered, campaign, row

QUEUE = Question("a", {"mean_queue": "more"}, asked=True)


def contrast(*pairs: tuple[float, float], repetitions: int = 1) -> Contrast:
    """Case b beside case a; a pair of queues per network, of which more is better."""
    rows = [
        row(
            point,
            case,
            10.0,
            repetition=repetition,
            mean_queue_packets=queue + repetition / 100,
            **{X: point, Y: 1.0},
        )
        for point, pair in enumerate(pairs)
        for case, queue in zip("ab", pair, strict=True)
        for repetition in range(repetitions)
    ]
    [found] = answered(campaign(rows, question=QUEUE)).contrasts
    return found


def test_a_network_with_equal_values_is_neither_ahead_nor_behind() -> None:
    found = contrast((10, 9), (10, 10), (10, 9.95), (10, 12), (10, 13))
    assert (found.ahead, found.behind) == (2, 2)


def test_a_baseline_below_zero_has_no_percent() -> None:
    found = contrast((-0.5, -0.5), (10, 11), (20, 21))
    assert found.unit == "packets" and found.gain.estimate == 1
    assert contrast((0.0, 0.0), (10, 11), (20, 22)).unit == "%"


def test_two_networks_are_compared_by_network() -> None:
    assert len(contrast((10, 11), (20, 22), repetitions=3).gains) == 2
    assert len(contrast((10, 11), repetitions=3).gains) == 3


@pytest.mark.parametrize(("low", "high"), [(None, 5.0), (1.0, None), (None, None)])
def test_an_interval_without_an_end_decides_nothing(
    low: float | None, high: float | None
) -> None:
    assert answer.judged(Interval(3.0, low, high), 10.0) == "undecided"


def test_sides_are_split_as_often_as_the_depth_says() -> None:
    x = [float(n) for n in range(32)]
    y = [float(n % 16) for n in range(32)]
    gains = [10 * (a > 15) + 3 * (a > 15 and b > 7) for a, b in zip(x, y, strict=True)]
    made = pd.DataFrame({"x": x, "y": y, "network": x, "gain": gains})
    search = Search(["x", "y"], [])
    deep = search.find(made, np.random.default_rng(1))
    assert deep is not None and deep.at == 15.5 and deep.high.split is not None
    flat = search.find(made, np.random.default_rng(1), depth=1)
    assert flat is not None and flat.at == 15.5 and flat.high.split is None


def test_a_value_that_no_whole_network_has_is_no_place() -> None:
    rows = [
        {"network": network, "size": size, "gain": float(size == 2)}
        for network in range(12)
        for size in (1, 2)
    ]
    rows.append({"network": 12, "size": 3, "gain": 9.0})
    search = Search([], ["size"])
    [stratum] = search._strata(pd.DataFrame(rows))
    assert [place.at for place in stratum.places] == [1]


@pytest.mark.parametrize(("count", "at"), [(12, 18.0), (13, 20.0)])
def test_few_values_are_split_at_a_value(count: int, at: float) -> None:
    values = [3.0 * n for n in range(count)] * 2
    gains = [float(value > 18) for value in values]
    made = pd.DataFrame({"x": values, "network": range(len(values)), "gain": gains})
    found = Search(["x"], []).find(made, np.random.default_rng(1))
    assert found is not None and found.at == at


def test_the_range_of_a_split_is_that_of_95_percent_of_redraws() -> None:
    random = np.random.default_rng(2)
    x = np.arange(40.0)
    gain = (x > 19) + random.normal(0, 1.0, 40)
    made = pd.DataFrame({"x": x, "network": range(40), "gain": gain})
    search = Search(["x"], [])
    found = search._redrawn(
        made, turning._Place("x", 19.5, x > 19), np.random.default_rng(5)
    )
    places = turning._places(made, "x")
    ranks = gain.argsort().argsort() + 1.0
    counts = np.random.default_rng(5).multinomial(40, np.full(40, 1 / 40), size=200)
    chosen = [max(places, key=lambda one: clear(ranks, one, n)).at for n in counts]
    ordered = sorted(float(at) for at in chosen)
    assert found == ((ordered[5], ordered[194]), 1.0)


def clear(ranks: np.ndarray, place: turning._Place, counts: np.ndarray) -> float:
    """Variance of the ranks between the sides, each network as often as drawn."""
    drawn, high = np.repeat(ranks, counts), np.repeat(place.high, counts)
    if not 0 < high.sum() < len(high):
        return 0.0
    sides = (drawn[high], drawn[~high])
    return float(sum(len(s) * (s.mean() - drawn.mean()) ** 2 for s in sides))


def test_the_part_of_shufflings_that_are_as_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of them, if they leave every value where it is."""
    monkeypatch.setattr(
        turning._Stratum,
        "shuffled",
        lambda stratum, times, _: np.tile(stratum.values, (times, 1)),
    )
    made = pd.DataFrame({"x": range(12), "network": range(12), "gain": range(12)})
    best, p = Search(["x"], [])._tested(made, np.random.default_rng(1))
    assert best is not None and p == 1.0


def test_a_factor_without_effect_hides_no_other() -> None:
    """Both sizes of a network have the same gain, so the size explains nothing."""
    rows = [
        {"network": network, "x": network, "size": size, "gain": float(network > 9)}
        for network in range(20)
        for size in (1, 2)
    ]
    found = Search(["x"], ["size"]).find(pd.DataFrame(rows), np.random.default_rng(1))
    assert found is not None and found.factor == "x"


def test_crossed_factors_are_compared_within_networks() -> None:
    rows = [
        {"network": network, "size": size, "gain": 100.0 * network + size}
        for network in range(12)
        for size in (1, 2, 3)
    ]
    [stratum] = Search([], ["size"])._strata(pd.DataFrame(rows))
    assert stratum.values.tolist() == [-1, 0, 1] * 12
    score = stratum.scores(stratum.values[None])
    assert score.max() == pytest.approx(35 * 3 / 4)


def test_a_side_without_networks_explains_nothing() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    sides = np.array([[True] * 4, [False] * 4, [False, False, True, True]])
    stratum = turning._Stratum(values, sides, [], np.arange(4), np.zeros(4, int))
    assert stratum.scores(values[None])[0].tolist() == [0, 0, pytest.approx(2.4)]


def test_of_two_words_one_names_the_split() -> None:
    words = ["codel"] * 6 + ["red"] * 6
    made = pd.DataFrame({"x": words, "network": range(12)})
    assert [place.at for place in turning._places(made, "x")] == ["red"]
    made = pd.DataFrame({"x": [*words, *["pie"] * 6], "network": range(18)})
    assert [place.at for place in turning._places(made, "x")] == ["codel", "red", "pie"]


@pytest.mark.parametrize("count", [13, 64, 65, 66, 100, 500])
def test_many_values_are_tried_at_64_places(count: int) -> None:
    """Evenly over the values; with few values, between any two."""
    found = turning._values(np.arange(float(count)))
    every = [turning.cut(float(n), n + 1.0) for n in range(count - 1)]
    if count <= 65:
        assert found == every
    else:
        assert found == [every[(count - 1) * n // 65] for n in range(1, 65)]


@pytest.mark.parametrize(
    ("low", "high", "at"), [(1.0, 1.04, 1.0), (0.96, 1.0, 0.98), (2.0, 2.0000001, 2.0)]
)
def test_a_cut_may_be_the_lower_value_and_not_the_higher(
    low: float, high: float, at: float
) -> None:
    assert turning.cut(low, high) == at


def test_the_same_results_give_the_same_page() -> None:
    """Resamples and shufflings decide the digits that a page prints."""
    assert answer.SEED == 1
    assert (turning.SHUFFLES, turning.REDRAWS) == (1999, 200)
    assert (turning.DEPTH, turning.MOST_PLACES) == (2, 64)

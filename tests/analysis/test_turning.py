"""The search for a factor that decides: its bounds, and shuffling against a count."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import turning
from analysis.campaign.turning import Search, cut

RNG = 1


def cells(gains: Sequence[float], **factors: Sequence[object]) -> pd.DataFrame:
    made = pd.DataFrame(factors) if factors else pd.DataFrame({"x": range(len(gains))})
    return made.assign(network=range(len(gains)), gain=gains)


def find(made: pd.DataFrame, comparisons: int = 1) -> turning.Split | None:
    names = [name for name in made if name not in ("network", "gain")]
    search = Search([str(name) for name in names], [], comparisons)
    return search.find(made, np.random.default_rng(RNG))


def test_six_networks_on_each_side_are_the_least() -> None:
    twelve = cells([0.0] * 6 + [5.0] * 6)
    found = find(twelve)
    assert found is not None and found.at == 5
    assert len(found.low.gains) == len(found.high.gains) == 6
    assert (found.low.gain.estimate, found.high.gain.estimate) == (0, 5)
    assert Search(["x"], []).possible(twelve)
    eleven = cells([0.0] * 5 + [5.0] * 6)
    assert find(eleven) is None and not Search(["x"], []).possible(eleven)


def test_the_low_side_has_the_value_itself() -> None:
    values = [10.0] * 6 + [20.0] * 6
    found = find(cells([0.0] * 6 + [5.0] * 6, x=values))
    assert found is not None and found.at == 10 and found.between == (10, 10)


def test_a_word_splits_from_all_others() -> None:
    words = ["codel"] * 6 + ["red"] * 6 + ["pie"] * 6
    found = find(cells([0.0] * 6 + [9.0] * 6 + [0.0] * 6, x=words))
    assert found is not None and (found.factor, found.at) == ("x", "red")
    assert found.between is None and len(found.high.gains) == 6


def test_equal_gains_have_no_split() -> None:
    assert find(cells([1.0] * 20)) is None


def test_the_limit_is_shared_by_all_comparisons() -> None:
    random = np.random.default_rng(4)
    x = np.arange(24.0).tolist()
    gains = [1.2 * (value > 11) + random.normal() for value in x]
    found = find(cells(gains))
    assert found is not None and 0.0005 < found.p <= 0.05
    assert find(cells(gains), comparisons=int(0.05 / found.p) + 1) is None


def test_the_score_is_the_explained_variance() -> None:
    values = np.array([1.0, 2.0, 3.0, 10.0])
    high = np.array([[False, False, True, True]])
    stratum = turning._Stratum(values, high, [], np.arange(4), np.zeros(4, int))
    low_mean, high_mean, mean = 1.5, 6.5, 4.0
    between = 2 * (low_mean - mean) ** 2 + 2 * (high_mean - mean) ** 2
    whole = ((values - mean) ** 2).sum()
    [[score]] = stratum.scores(values[None])
    assert score == pytest.approx(3 * between / whole)
    # A weight of two is the value twice.
    [[double]] = stratum.scores(values[None], np.array([[2.0, 1.0, 1.0, 1.0]]))
    twice = np.array([1.0, 1.0, 2.0, 3.0, 10.0])
    sides = np.array([[False, False, False, True, True]])
    other = turning._Stratum(twice, sides, [], np.arange(5), np.zeros(5, int))
    assert double == pytest.approx(other.scores(twice[None])[0, 0])


def test_shuffling_gives_every_order_and_stays_in_its_block() -> None:
    block = np.array([0, 1, 0, 1, 0])
    values = np.array([1.0, 10.0, 2.0, 20.0, 3.0])
    high = np.zeros((1, 5), bool)
    stratum = turning._Stratum(values, high, [], np.arange(5), block)
    seen = {tuple(row) for row in stratum.shuffled(500, np.random.default_rng(RNG))}
    wanted = {
        (a, d, b, e, c)
        for a, b, c in permutations([1.0, 2.0, 3.0])
        for d, e in permutations([10.0, 20.0])
    }
    assert seen == wanted


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [(19.1, 20.6, 20), (1.0, 2.0, 1.5), (19.85, 19.95, 19.9), (0.001, 0.002, 0.0015)],
)
def test_a_value_between_two_has_few_digits(
    low: float, high: float, middle: float
) -> None:
    assert cut(low, high) == pytest.approx(middle, abs=1e-9)
    assert low <= cut(low, high) < high


def test_the_least_p_counts_the_networks_own_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 3 shufflings, none as clear: 1 of 4 orders, and not 0 of 3."""
    monkeypatch.setattr(turning, "SHUFFLES", 3)
    monkeypatch.setattr(turning, "shuffles", lambda comparisons: 3)
    search = Search(["x"], [])
    _, p = search._tested(cells([0.0] * 12 + [5.0] * 12), np.random.default_rng(RNG))
    assert p == 1 / 4

"""Max-min fair shares, where they can be seen without a computer."""

import random
from collections.abc import Callable

import pytest

from analysis.models import max_min as programs
from analysis.models.networks import Network, User
from studies import drawn_paths
from studies.drawn_paths import max_min


def test_who_shares_a_full_link_keeps_its_rate_and_others_rise() -> None:
    assert max_min([("a",), ("a", "b"), ("b",), ("c",)]) == [50, 50, 50, 100]
    assert max_min([("a",), ("a",), ("a", "b"), ("b",)], 90) == [30, 30, 30, 60]


@pytest.mark.parametrize("seed", range(5))
def test_linear_programs_find_the_same_rates(seed: int) -> None:
    draw = random.Random(seed)
    flows = [tuple(draw.sample("abcdef", draw.randint(1, 3))) for _ in range(12)]
    network = Network(
        links=dict.fromkeys({link for flow in flows for link in flow}, 100.0),
        users={str(number): User((flow,)) for number, flow in enumerate(flows)},
    )
    rates = programs.rates(network)
    expected = [rates[str(number)] for number in range(len(flows))]
    assert max_min(flows) == pytest.approx(expected, rel=1e-5)


def test_a_flow_without_links_is_refused() -> None:
    with pytest.raises(ValueError, match="crosses no link"):
        max_min([("a",), ()])


def test_a_host_alone_fills_its_link() -> None:
    path = drawn_paths.tree_path(0, 127, random.Random(1))
    assert len(set(path)) == 6 and max_min([path]) == [100]
    assert len(drawn_paths.tree_path(0, 3, random.Random(1))) == 2
    assert len(drawn_paths.tree_path(0, 15, random.Random(1))) == 4


def test_paths_of_the_cube_correct_one_digit_a_switch() -> None:
    highest = drawn_paths.cube_highest(0, 124, random.Random(1))
    assert highest == (
        (0, 2, "up"), (100, 2, "down"), (100, 1, "up"), (120, 1, "down"),
        (120, 0, "up"), (124, 0, "down"),
    )  # fmt: skip
    assert len(drawn_paths.cube_drawn(7, 12, random.Random(1))) == 2


@pytest.mark.parametrize(
    ("pattern", "senders"),
    [
        (drawn_paths.permutation, 128),
        (drawn_paths.some, 38),
        (drawn_paths.side_by_side, 38),
    ],
)
def test_receivers_are_all_different(
    pattern: Callable[[int, random.Random], drawn_paths.Pairs], senders: int
) -> None:
    pairs = pattern(128, random.Random(3))
    assert len({source for source, _ in pairs}) == senders == len(pairs)
    assert len({target for _, target in pairs}) == senders
    assert all(source != target for source, target in pairs)

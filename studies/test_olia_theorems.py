"""Numbers about the theorems of the OLIA paper, against a network solved on paper."""

import numpy as np
import pytest

from analysis.models.networks import Network, User
from studies import olia_scenario_b, olia_theorems

PACKETS = 1500 * 8
NETWORK = Network(
    {"a": 90.0 * PACKETS, "b": 10.0 * PACKETS},
    {
        "multi": User((("a",), ("b",)), 1, (0.1, 0.1)),
        "single": User((("b",),), 1, (0.1,), "tcp"),
    },
)
"""One user of both links and one of the small link; rates in packets/s."""


def test_the_page_is_what_the_command_writes() -> None:
    assert olia_theorems.main(["--check"]) == 0


def test_an_unused_link_is_improvable_by_what_it_would_carry() -> None:
    """The first user has 45 of 90 and can have twice that; nobody else can gain."""
    found = olia_theorems.improvable(NETWORK, np.array([45.0, 0.0, 10.0]))
    assert found == pytest.approx(1.0)


def test_full_links_without_a_better_split_are_not_improvable() -> None:
    found = olia_theorems.improvable(NETWORK, np.array([90.0, 5.0, 5.0]))
    assert found == pytest.approx(0.0, abs=1e-9)


def test_the_maximum_leaves_the_small_link_to_its_own_user() -> None:
    """-1 / (90 + x) - 1 / (10 - x) falls with x, so x is 0; 0.1 s squared is 0.01."""
    found = olia_theorems.most(NETWORK, np.array([80.0, 5.0, 5.0]))
    assert found == pytest.approx(-(1 / 90 + 1 / 10) / 0.01, rel=1e-4)


def test_the_fairest_rates_of_scenario_b() -> None:
    """A segment per round trip of 150 ms is 0.08 Mbit/s. With 27 and 36 Mbit/s for 15
    users of each kind, all get 2.1, or 0.04 less if Red probes X."""
    assert olia_scenario_b.fairest(27, False, 0.15) == pytest.approx((2.1, 2.1))
    assert olia_scenario_b.fairest(27, True, 0.15) == pytest.approx((2.06, 2.06))
    # Over 45 Mbit/s Blue has 3 and probes T.
    assert olia_scenario_b.fairest(45, False, 0.15) == pytest.approx((3.08, 2.32))


def test_the_paths_cannot_carry_a_segment_each() -> None:
    with pytest.raises(ValueError, match="the linear program failed"):
        olia_scenario_b.fairest(1, True, 0.15)


def test_the_second_path_costs_everybody_under_lia() -> None:
    before, after = (
        olia_scenario_b.searched(0.75, more, probing=False) for more in (False, True)
    )
    assert sum(before) * 15 == pytest.approx(63, rel=1e-6)  # both links are full
    assert after[0] < before[0]
    assert after[1] < before[1]

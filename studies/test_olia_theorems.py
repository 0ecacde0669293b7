"""Numbers about the theorems of the OLIA paper, against a network solved on paper."""

import numpy as np
import pytest

from analysis.models.networks import Network, User
from studies import olia_theorems

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

"""Numbers about the theorems of the Balia paper, against values on paper."""

import numpy as np
import pytest

from analysis.models import conditions
from analysis.models.controllers import controller
from analysis.models.networks import Network, User
from studies import balia_theorems


def test_the_page_is_what_the_command_writes() -> None:
    assert balia_theorems.main(["--check"]) == 0


def test_semicoupled_is_not_before_max_at_lopsided_rates() -> None:
    """With a round-trip time of 1 s and rates 1 and e, the symmetric part of the
    difference of the Jacobians tends to [[-6 e, -1], [-1, -4]]."""
    rates, rtts, e = np.array([1.0, 1e-4]), np.ones(2), 1e-4
    one, other = (
        conditions.jacobian(controller(name), rates, rtts)
        for name in ("semicoupled_balia", "max")
    )
    difference = (one - other + (one - other).T) / 2
    assert difference[0, 0] == pytest.approx(-6 * e, abs=2e-6)
    assert difference[0, 1] == pytest.approx(-1, abs=1e-2)
    assert np.linalg.eigvalsh(difference)[-1] > 0


def test_equal_paths_over_one_link_make_max_balia_and_coupled_one_tcp() -> None:
    rates, rtts = np.array([3.0, 3.0]), np.ones(2)
    for name in ("max", "balia", "coupled_balia"):
        assert controller(name).phi(rates, rtts) == pytest.approx(2 / 6**2)


def test_the_jacobian_of_one_tcp_on_one_link_is_that_on_paper() -> None:
    """phi = 2 / (x T)^2, so phi' = -4 / (x^3 T^2); k = x^2 / 2, and x = c.

    The loss is phi at the equilibrium, and gamma the loss over the capacity and 10 s.
    """
    capacity, rtt = 100.0, 0.1
    network = Network(
        {"a": capacity * 1500 * 8}, {"one": User((("a",),), 1, (rtt,), "tcp")}
    )
    found = balia_theorems.jacobian(network, "tcp")
    loss = 2 / (capacity * rtt) ** 2
    assert found == pytest.approx(
        np.array(
            [
                [-2 / (capacity * rtt**2), -(capacity**2) / 2],
                [loss / capacity / 10, 0.0],
            ]
        ),
        rel=1e-3,
    )

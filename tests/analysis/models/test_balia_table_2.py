"""[balia] Table II: how beta and eta of eq. 12 affect performance, with n infinite.

The table prints directions and no numbers. A smaller phi is friendlier to TCP (Theorem
3.4). A larger gain or a more negative definite Jacobian of phi responds faster (3.6). A
larger gain oscillates more (section IV-A).
"""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.models.conditions import jacobian
from analysis.models.controllers import Controller, balia_class

BETAS = (0.05, 0.2, 0.5, 1.0)
ETAS = (0.0, 0.5, 1.0, 4.0)
RTTS_S = np.array([0.05, 0.05, 0.05])
RATES = 10 ** np.random.default_rng(2).uniform(0, 3, (50, 3))


def of(beta: float = 0.2, eta: float = 0.5) -> Controller:
    return balia_class("one of the class", beta, eta)


def slowest(law: Controller, rates: NDArray[np.float64]) -> float:
    """Decay of the slowest motion around an equilibrium, per second."""
    modes = law.gain(rates)[:, np.newaxis] * jacobian(law, rates, RTTS_S)
    return float(-np.linalg.eigvals(modes).real.max())


@pytest.mark.parametrize("rates", RATES[:20], ids=str)
def test_beta_trades_friendliness_for_responsiveness(
    rates: NDArray[np.float64],
) -> None:
    below_best = rates < rates.max()
    for less, more in pairwise(map(of, BETAS)):
        phis = less.phi(rates, RTTS_S), more.phi(rates, RTTS_S)
        assert (phis[0] < phis[1])[below_best].all()
        assert phis[0][~below_best] == pytest.approx(phis[1][~below_best])
        assert slowest(less, rates) < slowest(more, rates)


def test_beta_leaves_the_oscillation_alone() -> None:
    for rates in RATES:
        gains = [of(beta=beta).gain(rates) for beta in BETAS]
        assert all((gain == gains[0]).all() for gain in gains)


@pytest.mark.parametrize("rates", RATES[:20], ids=str)
def test_eta_trades_oscillation_for_responsiveness(
    rates: NDArray[np.float64],
) -> None:
    below_best = rates < rates.max()
    for less, more in pairwise(of(eta=eta) for eta in ETAS):
        assert (less.gain(rates) < more.gain(rates))[below_best].all()
        assert slowest(less, rates) < slowest(more, rates)
        assert (less.phi(rates, RTTS_S) == more.phi(rates, RTTS_S)).all()

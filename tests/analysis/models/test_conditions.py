"""Conditions C0 to C5: Table I of the Balia paper, and counterexamples on paper."""

import numpy as np
import pytest

from analysis.models import conditions, nsdi11
from analysis.models.controllers import CONTROLLERS, Controller, half_square
from analysis.models.networks import Network, User

TABLE_1 = {
    # C0, C1, C2 and C3, C4, C5
    "ewtcp": (True, True, True, True, True),
    "coupled_balia": (True, True, False, True, True),
    "semicoupled_balia": (False, True, True, True, True),
    "max": (False, True, True, True, True),
    "balia": (False, True, True, True, True),
}


def verdicts(
    law: Controller, rtts_s: tuple[float, ...], samples: int = 40
) -> dict[str, bool]:
    rng = np.random.default_rng(1)
    found = conditions.check(law, np.array(rtts_s), rng, samples)
    return {name: verdict.holds for name, verdict in found.items()}


@pytest.mark.parametrize("paths", [2, 3, 5])
@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_of_balia(name: str, paths: int) -> None:
    found = verdicts(CONTROLLERS[name], (0.1,) * paths)
    both = found["C2"] and found["C3"]
    row = (found["C0"], found["C1"], both, found["C4"], found["C5"])
    assert row == TABLE_1[name]


def test_theorem_4_1_needs_equal_round_trip_times() -> None:
    """[balia] proves C2 for equal ones and says that it holds if they differ little.
    It fails for 10 and 100 ms, and holds for 80 and 100."""
    for name in ("max", "balia"):
        assert not verdicts(CONTROLLERS[name], (0.01, 0.1))["C2"]
        assert verdicts(CONTROLLERS[name], (0.08, 0.1))["C2"]


def test_the_jacobian_of_balia() -> None:
    """[balia] App. G.B has it for equal round-trip times; here for beta = 1, where
    phi_r = 2 M / (rtt^2 x_r X^2) with M the largest rate and X the sum."""
    x, rtt_s = np.array([3.0, 5.0]), 0.1
    rates, total, top = x, x.sum(), x.max()
    expected = np.empty((2, 2))
    for j in range(2):
        for r in range(2):
            slope = (1 / top if r == 1 else 0) - (1 / x[j] if r == j else 0)
            slope -= 2 / total
            expected[j, r] = 2 * top / (rtt_s**2 * x[j] * total**2) * slope
    found = conditions.jacobian(CONTROLLERS["max"], rates, np.full(2, rtt_s))
    assert found == pytest.approx(expected, rel=1e-6)


def test_counterexamples_are_named() -> None:
    found = conditions.check(
        CONTROLLERS["max"], np.array([0.1, 0.1]), np.random.default_rng(1), 5
    )
    assert not found["C0"].holds
    assert len(found["C0"].rates) == 2
    assert found["C1"] == conditions.Verdict(True)


def test_laws_that_fail() -> None:
    """C1, C4 and C5 hold for every published controller, so laws that break them are
    made up: one that sends more the more is lost, and one that never gives way."""

    def rising(_losses: np.ndarray, rtts_s: np.ndarray) -> np.ndarray:
        return np.asarray(_losses / rtts_s)

    broken = Controller("rising", lambda x, r: x * r, half_square, rising)
    found = verdicts(broken, (0.1, 0.1))
    assert not (found["C1"] or found["C2"] or found["C4"] or found["C5"])


def test_rank_of_routing_matrices() -> None:
    assert conditions.full_row_rank(nsdi11.network_fig3())
    row = Network({"a": 1e6, "b": 2e6}, {"u": User((("a", "b"),))})
    assert not conditions.full_row_rank(row)


@pytest.mark.parametrize(
    ("rtts_s", "samples", "words"),
    [
        ((), 10, "0 paths; give 1 to 12"),
        ((0.1,) * 13, 10, "13 paths"),
        ((0.1, 0.0), 10, "must be finite and above 0"),
        ((0.1,), 0, "0 samples"),
    ],
)
def test_refusals(rtts_s: tuple[float, ...], samples: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        verdicts(CONTROLLERS["max"], rtts_s, samples)

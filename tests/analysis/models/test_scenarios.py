"""Scenarios A, B and C of the OLIA paper: printed numbers, and the fluid model."""

from math import sqrt

import numpy as np
import pytest

from analysis.models import fluid, scenarios

RTT_S = 0.15
"""[olia] sec. III.A: "around 150 ms over all paths"."""
CHECKED = [(5, 1.0), (10, 0.75), (10, 1.0), (20, 1.5), (30, 2.0)]


@pytest.mark.parametrize(("n1", "c1"), CHECKED)
def test_equation_2_holds_in_scenario_a(n1: int, c1: float) -> None:
    """The system (a), (b), (c) of sec. III.A, in packets/s."""
    rates = scenarios.lia_a(n1, 10, c1, 1)
    p1 = scenarios.loss(rates.first, RTT_S)
    p2 = scenarios.loss(rates.second, RTT_S)
    assert rates.first == pytest.approx(c1)
    assert rates.first_paths[1] == pytest.approx(c1 / (2 + p2 / p1))
    assert n1 * rates.first_paths[1] + 10 * rates.second == pytest.approx(10)


def test_losses_of_type2_in_scenario_a() -> None:
    """[olia] sec. III.A: "a decrease of about 30%" for N1 = N2, "between 50% to 60%"
    for N1 = 3 N2, from measurements and curves. The fixed points are 25 to 26 % and 46
    to 51 %, a little less."""
    equal = [1 - scenarios.lia_a(10, 10, c1, 1).second for c1 in (0.75, 1, 1.5)]
    assert equal == pytest.approx([0.250, 0.261, 0.250], abs=5e-4)
    triple = [1 - scenarios.lia_a(30, 10, c1, 1).second for c1 in (0.75, 1, 1.5)]
    assert triple == pytest.approx([0.514, 0.500, 0.461], abs=5e-4)


def test_losses_of_the_server_in_scenario_a() -> None:
    """[olia] sec. III.A measured 0.02, 0.009 and 0.004 for C1 = 0.75, 1 and 1.5; TCP's
    formula has them within a factor of 1.5."""
    for c1, measured in ((0.75, 0.02), (1, 0.009), (1.5, 0.004)):
        assert 1 < scenarios.loss(c1, RTT_S) / measured < 1.5


def test_optimum_with_probing_of_scenario_a() -> None:
    """App. A.2 with an MSS of 1500 bytes and 150 ms: 0.08 Mbit/s per path."""
    assert scenarios.probing_mbps(RTT_S) == pytest.approx(0.08)
    for n1, expected in ((10, 0.92), (20, 0.84), (30, 0.76)):
        rates = scenarios.probing_a(n1, 10, 1, 1, RTT_S)
        assert rates.second == pytest.approx(expected)
        assert rates.first == pytest.approx(1)


def test_equations_hold_in_scenario_b() -> None:
    """App. B.1, in units of (1 / rtt) sqrt(2 / p_T), on both sides of C_X = 5/9 C_T."""
    for cx in (10.0, 19.9, 20.1, 27.0, 45.0):
        rates = scenarios.lia_b(15, cx, 36)
        red = rates.second
        both = rates.second_paths[1]
        ratio = red / both - 2  # p_X / p_T of y_1
        assert (ratio > 1) == (cx / 36 < 5 / 9)
        best = max(1, 1 / ratio) ** 0.5 * red
        assert rates.first_paths[0] == pytest.approx(best / (1 + ratio))
        assert rates.first_paths[1] == pytest.approx(best * ratio / (1 + ratio))
        assert rates.second_paths[0] == pytest.approx((1 + ratio) * both)
        assert 15 * (rates.first_paths[0] + both) == pytest.approx(cx)
        assert 15 * (rates.first_paths[1] + red) == pytest.approx(36)


def test_table_1() -> None:
    """[olia] Table I measured 2.5, 1.5 and 59.8 Mbit/s with single-path Red users, 2.0,
    1.4 and 52.0 with multipath ones, and sec. III.B says that the cut-set bound is 63.
    """
    single = scenarios.lia_b_single(15, 27, 36)
    assert 15 * (single.first + single.second) == pytest.approx(63)
    assert (single.first, single.second) == pytest.approx((2.5, 1.5), abs=0.15)
    multi = scenarios.lia_b(15, 27, 36)
    assert multi.first == pytest.approx(2.0, abs=0.05)
    assert multi.second == pytest.approx(1.4, abs=0.22)
    total = 15 * (multi.first + multi.second)
    assert total == pytest.approx(52.0, abs=2)
    assert 1 - total / 63 == pytest.approx(0.13, abs=0.02)


def test_everybody_loses_in_scenario_b() -> None:
    """[olia] Fig. 4(a): "For all values of C_X/C_T, the throughput of all users
    decreases". At 0.75 its text has "up to 21%" for Blue; the formulas give 22.3 %."""
    for cx in np.linspace(0.2, 1.5, 27) * 36:
        multi = scenarios.lia_b(15, cx, 36)
        single = scenarios.lia_b_single(15, cx, 36)
        assert multi.first < single.first
        assert multi.second < single.second
    at_27 = scenarios.lia_b(15, 27, 36).first / scenarios.lia_b_single(15, 27, 36).first
    assert 1 - at_27 == pytest.approx(0.223, abs=5e-4)


def test_optimum_with_probing_of_scenario_b() -> None:
    """[olia] eqs 11 to 14 by hand for 27 and 36 Mbit/s and 150 ms: 63/30 = 2.1, less
    0.04 with the second path. The text's "about 3%" for Blue is 2.9 % at 100 ms and
    1.9 % at 150 ms. App. B: the sum of all users falls by N MSS / rtt."""
    single = scenarios.probing_b(15, 27, 36, RTT_S, multipath=False)
    multi = scenarios.probing_b(15, 27, 36, RTT_S)
    assert (single.first, single.second) == pytest.approx((2.1, 2.1))
    assert (multi.first, multi.second) == pytest.approx((2.06, 2.06))
    for cx in (27, 36, 50):
        single = scenarios.probing_b(15, cx, 36, RTT_S, multipath=False)
        multi = scenarios.probing_b(15, cx, 36, RTT_S)
        fall = single.first + single.second - multi.first - multi.second
        assert fall == pytest.approx(0.08)
        assert min(multi.first_paths + multi.second_paths) >= 0.08 - 1e-12
    fast = [scenarios.probing_b(15, 27, 36, 0.1, m).first for m in (False, True)]
    assert 1 - fast[1] / fast[0] == pytest.approx(0.029, abs=5e-4)


def test_scenario_c() -> None:
    """[olia] sec. III.C: fair "as long as C1 < C2/3" for N1 = N2; above, a user gets
    more the larger c1 is; the cubic holds."""
    assert scenarios.lia_c(10, 10, 0.333, 1).first == pytest.approx(0.6665)
    for n1, c1 in CHECKED:
        rates = scenarios.lia_c(n1, 10, c1, 1)
        z = sqrt(rates.first_paths[1] / c1)
        assert z**3 + n1 / 10 * z**2 + z == pytest.approx(1 / c1)
        assert rates.second == pytest.approx(1 - n1 * c1 / 10 * z**2)
        fair = (n1 * c1 + 10) / (n1 + 10)
        assert rates.first > max(fair, c1)
    edge = scenarios.lia_c(20, 10, 0.25, 1)
    assert edge.first == pytest.approx(edge.second) == pytest.approx(0.5)


def test_optimum_with_probing_of_scenario_c() -> None:
    assert scenarios.probing_c(20, 10, 1, 1, RTT_S).second == pytest.approx(0.84)
    fair = scenarios.probing_c(10, 10, 0.5, 1, RTT_S)
    assert (fair.first, fair.second) == pytest.approx((0.75, 0.75))


@pytest.mark.parametrize(("n1", "c1"), CHECKED)
def test_fluid_model_agrees(n1: int, c1: float) -> None:
    """A second method: the equilibrium of the whole network, found without formulas."""
    for network, closed, names in (
        (
            scenarios.network_a(n1, 10, c1, 1, RTT_S),
            scenarios.lia_a(n1, 10, c1, 1),
            ("type1", "type2"),
        ),
        (
            scenarios.network_c(n1, 10, c1, 1, RTT_S),
            scenarios.lia_c(n1, 10, c1, 1),
            ("multi", "single"),
        ),
    ):
        found = fluid.equilibrium(network)
        rates = [found.bps(name) / 1e6 for name in names]
        assert rates == pytest.approx([closed.first, closed.second], rel=1e-5)


@pytest.mark.parametrize("cx", [10.0, 19.0, 27.0, 45.0])
@pytest.mark.parametrize("multipath", [False, True])
def test_fluid_model_agrees_in_scenario_b(cx: float, multipath: bool) -> None:
    network = scenarios.network_b(15, cx, 36, RTT_S, multipath)
    solve = scenarios.lia_b if multipath else scenarios.lia_b_single
    closed = solve(15, cx, 36)
    found = fluid.equilibrium(network)
    rates = [found.bps(name) / 1e6 for name in ("blue", "red")]
    assert rates == pytest.approx([closed.first, closed.second], rel=1e-5)


def test_olia_solves_the_problems() -> None:
    """[olia] Theorems 1 and 4: in A and C with c1 >= c2 nothing crosses the shared
    access point; in B the rates are even and the sum is the cut-set bound."""
    a = fluid.equilibrium(scenarios.network_a(20, 10, 1, 1, RTT_S, "olia"))
    assert a.bps("type2") == pytest.approx(1e6, rel=1e-3)
    c = fluid.equilibrium(scenarios.network_c(20, 10, 1.2, 1, RTT_S, "olia"))
    assert c.bps("single") == pytest.approx(1e6, rel=1e-3)
    b = fluid.equilibrium(scenarios.network_b(15, 27, 36, RTT_S, True, "olia"))
    assert b.bps("blue") == pytest.approx(2.1e6, rel=1e-3)
    assert b.bps("red") == pytest.approx(2.1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: scenarios.lia_a(0, 1, 1, 1), "0 users"),
        (lambda: scenarios.lia_c(1, 1.5, 1, 1), "1.5 users"),  # type: ignore[arg-type]
        (lambda: scenarios.lia_b(1, -1, 1), "capacity -1"),
        (lambda: scenarios.probing_a(10, 10, 1, 1, 0), "round-trip time 0"),
        (lambda: scenarios.probing_a(130, 10, 1, 1, 0.15), "probing needs 0.08"),
        (lambda: scenarios.probing_b(500, 27, 36, 0.15), "probing needs"),
        (lambda: scenarios.loss(0, 0.1), "rate 0"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        call()  # type: ignore[operator]
    assert "\n" not in str(caught.value)

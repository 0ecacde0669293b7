"""The fluid model: numbers of the NSDI'11 and Balia papers, and two methods."""

from itertools import pairwise

import numpy as np
import pytest

from analysis.models import controllers, fluid, nsdi11, scenarios
from analysis.models.controllers import CONTROLLERS, controller
from analysis.models.networks import Network, User

pytestmark = pytest.mark.slow

LAWS = ("tcp", "ewtcp", "semicoupled", "max", "lia", "balia")
"""Controllers whose equilibrium is unique for equal round-trip times."""
WIFI_3G = (np.array([0.04, 0.01]), np.array([0.010, 0.100]))
"""Loss and round-trip time of WiFi and 3G in [nsdi11] Fig. 4."""


def test_figure_4_of_nsdi11() -> None:
    """Sec. 2.3: 707 and 141 pkt/s by single-path flows, 424 with EWTCP, 141 with
    COUPLED."""
    tcp = controllers.tcp_rate(*WIFI_3G)
    assert tcp == pytest.approx([707, 141], abs=0.5)
    assert CONTROLLERS["ewtcp_fair"].demand(*WIFI_3G).sum() == pytest.approx(424, abs=1)
    assert CONTROLLERS["coupled"].demand(*WIFI_3G) == pytest.approx([0, 141], abs=0.5)
    for name in ("max", "lia", "balia"):  # the goal of sec. 2.5
        assert CONTROLLERS[name].demand(*WIFI_3G).sum() == pytest.approx(707, abs=0.5)


def test_weights_of_nsdi11() -> None:
    """Sec. 2.4: 45 % on each less congested path and 10 %; EWTCP 33 %; COUPLED 0 %."""
    losses, rtts_s = np.array([0.01, 0.01, 0.05]), np.full(3, 0.1)

    def shares(name: str) -> np.ndarray:
        rates = CONTROLLERS[name].demand(losses, rtts_s)
        return np.asarray(rates / rates.sum())

    assert shares("semicoupled") == pytest.approx([0.45, 0.45, 0.10], abs=0.01)
    assert shares("coupled") == pytest.approx([0.5, 0.5, 0])
    # EWTCP's 33 % neglects that its windows go by 1 / sqrt(p), as its Fig. 2 does not.
    assert shares("ewtcp") == pytest.approx([0.41, 0.41, 0.18], abs=0.01)


@pytest.mark.parametrize(
    ("name", "one_hop", "two_hops"),
    [("ewtcp", 5, 3.5), ("coupled", 12, 0), ("olia", 12, 0), ("lia", 6, 3)],
)
def test_figure_2_of_nsdi11(name: str, one_hop: float, two_hops: float) -> None:
    """Sec. 2.2: EWTCP "approximately 3.5Mb/s on the two-hop path and 5Mb/s on the
    single-hop path, a total of 8.5Mb/s"; 12 Mb/s by one hop. LIA is not printed: its
    windows go by 1 / p, hence as 2 to 1."""
    found = fluid.equilibrium(nsdi11.network_fig2(transport=name))
    for rates in found.rates.values():
        assert np.array(rates) * 0.012 == pytest.approx([one_hop, two_hops], abs=0.05)
    assert nsdi11.even_split(12) == 8
    if name == "ewtcp":
        assert found.bps("A") / 1e6 == pytest.approx(8.5, abs=0.05)


def test_figure_3_of_nsdi11() -> None:
    """Sec. 2.2: EWTCP 5 and 6, 6 and 5, 5 and 3 Mb/s, most loss at 3 Mb/s and least at
    12; COUPLED 10 Mb/s for every flow and the same loss everywhere."""
    found = fluid.equilibrium(nsdi11.network_fig3("ewtcp"))
    expected = {"A": [5, 6], "B": [6, 5], "C": [5, 3]}
    for name, rates in expected.items():
        assert np.array(found.rates[name]) * 0.012 == pytest.approx(rates, rel=1e-5)
    assert max(found.loss, key=found.loss.__getitem__) == "3"
    assert min(found.loss, key=found.loss.__getitem__) == "12"
    found = fluid.equilibrium(nsdi11.network_fig3("coupled"))
    assert [found.bps(n) / 1e6 for n in "ABC"] == pytest.approx([10] * 3, rel=1e-4)
    losses = list(found.loss.values())
    assert losses == pytest.approx([losses[0]] * 4, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "printed"), [("coupled", 0.99), ("lia", 0.986), ("ewtcp", 0.92)]
)
def test_torus_of_nsdi11(name: str, printed: float) -> None:
    """Sec. 3: Jain's index of the flows with 100 pkt/s at link C, from a simulation."""
    found = fluid.equilibrium(nsdi11.network_torus(100, transport=name))
    rates = np.array([found.total(user) for user in found.rates])
    jain = rates.sum() ** 2 / (5 * (rates**2).sum())
    assert jain == pytest.approx(printed, abs=0.0135)


def test_losses_of_the_torus_are_balanced_in_the_printed_order() -> None:
    """[nsdi11] Fig. 8: COUPLED balances congestion, EWTCP does not, MPTCP is between;
    with equal links, all do."""
    ratios = []
    for name in ("coupled", "max", "ewtcp"):
        loss = fluid.equilibrium(nsdi11.network_torus(100, transport=name)).loss
        ratios.append(loss["C"] / loss["A"])
        even = fluid.equilibrium(nsdi11.network_torus(1000, transport=name)).loss
        assert even["C"] == pytest.approx(even["A"], rel=1e-4)
    assert ratios[0] == pytest.approx(1, rel=1e-4)
    assert ratios == sorted(ratios)
    assert ratios[2] == pytest.approx(100, rel=1e-4)  # (600 / 60)^2: links are even


def test_rtt_compensation_of_nsdi11() -> None:
    """Sec. 5: a simulation gave S1 130, S2 315 and M 305 pkt/s. The printed losses
    (0.22 and 0.28 %) need the queues' part of the round-trip times, which the fluid
    model does not have."""
    found = fluid.equilibrium(nsdi11.network_fig14((250, 500), (0.5, 0.05), "lia"))
    rates = {name: found.total(name) for name in ("S1", "S2", "M")}
    assert rates == pytest.approx({"S1": 130, "S2": 315, "M": 305}, rel=0.04)


@pytest.mark.parametrize("c2", [100, 400, 1600])
@pytest.mark.parametrize("rtt2_s", [0.012, 0.1, 0.8])
def test_figure_16_of_nsdi11(c2: float, rtt2_s: float) -> None:
    """M does as well as the better of S1 and S2, "within a few percent", and better
    than alone on either link, as sec. 5 says."""
    found = fluid.equilibrium(nsdi11.network_fig14((400, c2), (0.1, rtt2_s), "lia"))
    best = max(found.total("S1"), found.total("S2"))
    assert found.total("M") == pytest.approx(best, rel=1e-4)
    assert found.total("M") > max(400, c2) / 2


def test_friendliness_of_balia() -> None:
    """[balia] sec. IV.A: rates on one shared bottleneck fall from EWTCP (a >= 1) to
    semicoupled, max and coupled; Balia lies between the last two."""
    names = ("tcp", "semicoupled_balia", "max", "balia", "coupled_balia")
    for count in (2, 3):
        links = {"bottleneck": 12e6, "free": float("inf")}
        rates = []
        for name in names:
            paths = (("bottleneck",), *[("free", "bottleneck")] * (count - 1))
            users = {
                "multi": User(paths, 1, (0.1,) * count, name),
                "single": User((("bottleneck",),), 1, (0.1,), "tcp"),
            }
            rates.append(fluid.equilibrium(Network(links, users)).bps("multi") / 1e6)
        assert rates[0] == pytest.approx(12 * count / (count + 1), rel=1e-4)
        assert rates[1] == pytest.approx(12 / (1 + count**-0.5), rel=1e-4)
        assert rates[2:] == pytest.approx([6, 6, 6], rel=1e-4)
        # phi itself is strictly ordered, which decides where paths differ.
        rtts_s = np.full(count, 0.1)
        drawn = np.random.default_rng(1).uniform(1, 100, (50, count))
        for x in drawn:
            phis = [CONTROLLERS[name].phi(x, rtts_s) for name in names]
            for larger, smaller in pairwise(phis):
                assert (larger >= smaller * (1 - 1e-12)).all()


def test_order_of_table_3_of_balia() -> None:
    """[balia] Table III measured 2.75, 2.65, 2.60, 2.52 and 2.44 Mbit/s for a multipath
    user of EWTCP, semicoupled, max, Balia and coupled; 30 and 30 users, two links of
    60 Mbit/s."""
    printed = (2.75, 2.65, 2.60, 2.52, 2.44)
    names = ("ewtcp", "semicoupled", "max", "balia", "coupled")
    found = []
    for name in names:
        network = scenarios.network_c(30, 30, 2, 2, 0.01, name)
        found.append(fluid.equilibrium(network).bps("multi") / 1e6)
    assert found == sorted(found, reverse=True)
    assert found[2] == pytest.approx(printed[2], abs=0.02)  # max: 2.59
    # Coupled was measured at 2.44, where the model has 2: a real window is not below
    # one segment, and sums of the measured rates are 3.7 of 4 Mbit/s.
    assert found[-1] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(
    "network",
    [
        nsdi11.network_fig3(),
        nsdi11.network_torus(300),
        nsdi11.network_fig14((250, 500), (0.2, 0.2)),
    ],
    ids=["row", "torus", "two links"],
)
def test_root_finding_and_integration_agree(name: str, network: Network) -> None:
    """[balia] Theorem 3.3: the motion ends at the equilibrium, from any start."""
    found = fluid.equilibrium(network, name)
    moved = fluid.integrate(network, name)
    rng = np.random.default_rng(1)
    start = {
        user: tuple(rng.uniform(1, 200, len(rates)).tolist())
        for user, rates in found.rates.items()
    }
    elsewhere = fluid.integrate(network, name, start=start)
    for user in found.rates:
        for path, rate in enumerate(found.rates[user]):
            assert moved.rates[user][path] == pytest.approx(rate, rel=1e-3)
            assert elsewhere.rates[user][path] == pytest.approx(rate, rel=1e-3)
    for link, loss in found.loss.items():
        assert moved.loss[link] == pytest.approx(loss, rel=1e-3)


@pytest.mark.parametrize("name", ["coupled", "coupled_balia", "olia"])
def test_totals_of_coupled_controllers_agree(name: str) -> None:
    """Only totals are unique; where all paths stay in use the motion is fast."""
    found = fluid.equilibrium(nsdi11.network_fig3(name))
    moved = fluid.integrate(nsdi11.network_fig3(name))
    for user in "ABC":
        assert moved.total(user) == pytest.approx(found.total(user), rel=1e-3)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_closed_forms_solve_phi(name: str) -> None:
    """Paths in use have phi = q, the others phi <= q ([balia] eq. 6)."""
    law, rng = CONTROLLERS[name], np.random.default_rng(1)
    for count in (1, 2, 3, 5):
        for _ in range(20):
            losses = 10 ** rng.uniform(-4, -1, count)
            rtts_s = rng.uniform(0.01, 0.3, count)
            rates = law.demand(losses, rtts_s)
            phi = law.phi(rates, rtts_s)
            used = rates > 0
            assert phi[used] == pytest.approx(losses[used], rel=1e-6)
            assert (phi[~used] <= losses[~used] * (1 + 1e-6)).all()


@pytest.mark.parametrize("name", CONTROLLERS)
def test_one_path_is_tcp(name: str) -> None:
    """[balia] sec. II.B: all controllers are TCP with one path."""
    rate = CONTROLLERS[name].demand(np.array([0.01]), np.array([0.1]))
    assert rate == pytest.approx([np.sqrt(200) / 0.1])


def test_equilibrium_has_the_rates_that_users_want() -> None:
    """The solver never uses the closed forms; both must agree, idle links included."""
    network = Network(
        {"a": 5e6, "b": 9e6, "idle": 90e6},
        {
            "x": User((("a", "idle"), ("b",)), 3, (0.02, 0.09), "lia"),
            "y": User((("b", "idle"), ("a",)), 2, (0.05, 0.05), "balia"),
            "z": User((("a",),), 4, (0.03,), "reno"),
        },
    )
    found = fluid.equilibrium(network)
    assert found.loss["idle"] == 0
    assert found.loads_bps["idle"] < 90e6
    assert found.loads_bps["a"] == pytest.approx(5e6)
    for name, user in network.users.items():
        losses = [sum(found.loss[link] for link in path) for path in user.paths]
        wanted = controller(user.transport).demand(
            np.array(losses), np.array(user.rtts_s)
        )
        assert found.rates[name] == pytest.approx(wanted.tolist(), rel=1e-4)


def test_the_size_of_a_packet_changes_losses_and_not_shares() -> None:
    small = fluid.equilibrium(nsdi11.network_fig3("lia"), segment_bytes=500)
    large = fluid.equilibrium(nsdi11.network_fig3("lia"), segment_bytes=1500)
    assert small.bps("A") == pytest.approx(large.bps("A"), rel=1e-5)
    assert large.loss["3"] / small.loss["3"] == pytest.approx(9, rel=1e-4)


def test_refusals() -> None:
    users = {"u": User((("a",),), 1, (0.1,))}
    network = Network({"a": 1e6}, users)
    with pytest.raises(ValueError, match="no controller cubicc; the models have tcp,"):
        fluid.equilibrium(network, "cubicc")
    with pytest.raises(ValueError, match="segment 0 is not"):
        fluid.equilibrium(network, segment_bytes=0)
    with pytest.raises(ValueError, match="duration -1 is not"):
        fluid.integrate(network, duration_s=-1)
    with pytest.raises(ValueError, match="start has 0 rates for 1 paths"):
        fluid.integrate(network, start={})
    with pytest.raises(ValueError, match="above 0 packets/s"):
        fluid.integrate(network, start={"u": (0.0,)})
    with pytest.raises(ValueError, match="user u: no round-trip time"):
        fluid.equilibrium(Network({"a": 1e6}, {"u": User((("a",),))}))
    free = {"a": 1e6, "b": float("inf")}
    users["v"] = User((("b",),), 1, (0.1,))
    with pytest.raises(ValueError, match="user v: a path without a finite capacity"):
        fluid.equilibrium(Network(free, users))

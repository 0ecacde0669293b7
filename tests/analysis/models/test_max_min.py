"""Lexicographic max-min rates: printed ones, the definition, and a second method."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from analysis.models import max_min, nsdi11, scenarios
from analysis.models.networks import Network, User, parse_link, parse_user


def drawn(rng: np.random.Generator) -> Network:
    """A network of up to four links and five groups of users."""
    links = {f"l{i}": float(rng.integers(1, 40)) for i in range(rng.integers(2, 5))}
    users = {}
    for number in range(rng.integers(2, 6)):
        paths = {
            tuple(sorted(rng.choice(list(links), rng.integers(1, 3), replace=False)))
            for _ in range(rng.integers(1, 4))
        }
        users[f"u{number}"] = User(tuple(sorted(paths)), int(rng.integers(1, 4)))
    used = {link for user in users.values() for path in user.paths for link in path}
    return Network({n: c for n, c in links.items() if n in used}, users)


def test_figure_1_of_mpcc() -> None:
    """[mpcc] sec. 4.2: "200Mbps, as opposed to 100 Mbps", beside 100 for one path."""
    links = dict.fromkeys(("1", "2", "3"), 100e6)
    network = Network(
        links,
        {"one": User((("1",),)), "three": User((("1",), ("2",), ("3",)))},
    )
    assert max_min.rates(network) == pytest.approx({"one": 100e6, "three": 200e6})


def test_parallel_links_of_mpcc() -> None:
    """[mpcc] sec. 5.2: each connection fills a link of its own."""
    users = {"two": User((("1",), ("2",))), "one": User((("2",),))}
    network = Network({"1": 100e6, "2": 100e6}, users)
    assert max_min.rates(network) == pytest.approx({"one": 100e6, "two": 100e6})


def test_figures_2_and_3_of_nsdi11() -> None:
    """[nsdi11] sec. 2.2: 12 Mb/s by one hop; 10 Mb/s for all three flows."""
    ring = max_min.rates(nsdi11.network_fig2())
    assert list(ring.values()) == pytest.approx([12e6] * 3)
    row = max_min.rates(nsdi11.network_fig3())
    assert list(row.values()) == pytest.approx([10e6] * 3)


def test_scenarios_of_olia() -> None:
    """[olia] sec. III: 1 for both types (A), 63 Mbit/s in all (B), and equal rates of
    (n1 c1 + n2 c2) / (n1 + n2) while c1 < c2 (C)."""
    a = max_min.rates(scenarios.network_a(10, 20, 1, 2, 0.1))
    assert a == pytest.approx({"type1": 1e6, "type2": 2e6})
    b = max_min.rates(scenarios.network_b(15, 27, 36, 0.1))
    assert 15 * sum(b.values()) == pytest.approx(63e6)
    c = max_min.rates(scenarios.network_c(10, 30, 0.5, 1, 0.1))
    assert list(c.values()) == pytest.approx([35e6 / 40] * 2)
    c = max_min.rates(scenarios.network_c(10, 30, 2, 1, 0.1))
    assert c == pytest.approx({"multi": 2e6, "single": 1e6})


@pytest.mark.parametrize("seed", range(12))
def test_nobody_can_gain_without_a_poorer_user_losing(seed: int) -> None:
    """The definition, by a program of its own for each user."""
    network = drawn(np.random.default_rng(seed))
    fair = max_min.rates(network)
    load = network.crossing * network.counts
    for name, rate in fair.items():
        objective = np.zeros(len(network.routes))
        objective[network.slices[name]] = -1
        poorer = [other for other in fair if fair[other] <= rate * (1 + 1e-7)]
        least = np.zeros((len(poorer), len(network.routes)))
        for row, other in enumerate(poorer):
            least[row, network.slices[other]] = -1
        bounds = [-fair[other] * (1 - 1e-9) for other in poorer]
        found = linprog(
            objective,
            A_ub=np.vstack([load, least]),
            b_ub=np.concatenate([network.capacities_bps, bounds]),
        )
        assert -found.fun == pytest.approx(rate, rel=1e-5)


def by_cuts(links: dict[str, float], users: dict[str, User]) -> dict[str, float]:
    """Rates over parallel links by minimum cuts, without a linear program.

    The users who get least are the set with the least capacity per user on all links
    that any of them reaches. They fill these links; the others share what is left.
    """
    left, rates = dict(links), dict[str, float]()
    while len(rates) < len(users):
        rising = [name for name in users if name not in rates]
        sets = [s for k in range(len(rising)) for s in combinations(rising, k + 1)]

        def level(chosen: tuple[str, ...]) -> float:
            reached = {path[0] for name in chosen for path in users[name].paths}
            count = sum(users[name].count for name in chosen)
            return sum(left.get(link, 0.0) for link in reached) / count

        poorest = min(sets, key=lambda s: (level(s), len(s)))
        rates.update(dict.fromkeys(poorest, level(poorest)))
        for name in poorest:
            for path in users[name].paths:
                left.pop(path[0], None)
    return rates


@pytest.mark.parametrize("seed", range(12))
def test_same_as_by_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = {f"l{i}": float(rng.integers(1, 40)) for i in range(4)}
    users = {
        f"u{number}": User(
            tuple((f"l{i}",) for i in rng.choice(4, rng.integers(1, 4), replace=False)),
            int(rng.integers(1, 4)),
        )
        for number in range(5)
    }
    used = {path[0] for user in users.values() for path in user.paths}
    links = {name: capacity for name, capacity in links.items() if name in used}
    found = max_min.rates(Network(links, users))
    assert found == pytest.approx(by_cuts(links, users), rel=1e-6)


def test_ranges_of_many_decades() -> None:
    network = Network(
        {"a": 1e9, "b": 1e3, "c": 10.0},
        {
            "A": User((("a",),)),
            "B": User((("b",),), 128),
            "C": User((("a", "b", "c"),)),
            "D": User((("a", "c"), ("b",))),
        },
    )
    # b carries 128 B, C and what of D does not fit beside C on c.
    rate = (1e3 + 10) / 131
    expected = {"A": 1e9 - 10, "B": rate, "C": rate, "D": rate}
    assert max_min.rates(network) == pytest.approx(expected, rel=1e-6)


def test_distance() -> None:
    network = scenarios.network_b(15, 27, 36, 0.1)
    assert max_min.distance(network, {"blue": 2.1e6, "red": 2.2e6}) == pytest.approx(
        0, abs=1e-6
    )
    far = max_min.distance(network, {"blue": 2.5e6, "red": 1.5e6})
    assert far == pytest.approx(0.6 / 2.1)
    with pytest.raises(ValueError, match="no rate of user red"):
        max_min.distance(network, {"blue": 1.0})


def test_a_link_without_a_limit() -> None:
    links = {"private": float("inf"), "shared": 9.0}
    users = {"a": User((("private", "shared"),), 2), "b": User((("shared",),))}
    assert max_min.rates(Network(links, users)) == pytest.approx({"a": 3, "b": 3})
    users = {"a": User((("private",),)), "b": User((("shared",),))}
    with pytest.raises(ValueError, match="user a: a path without a finite capacity"):
        max_min.rates(Network(links, users))


@pytest.mark.parametrize(
    ("links", "users", "words"),
    [
        ({"a": 0.0}, {"u": User((("a",),))}, "link a: capacity 0"),
        ({"a": -1.0}, {"u": User((("a",),))}, "link a: capacity -1"),
        ({"a": float("nan")}, {"u": User((("a",),))}, "link a: capacity nan"),
        ({"a": 1.0}, {}, "no user"),
        ({"a": 1.0}, {"u": User(())}, "user u: no path"),
        ({"a": 1.0}, {"u": User(((),))}, "a path of no links"),
        ({"a": 1.0}, {"u": User((("b",),))}, "no link b; the links are a"),
        ({"a": 1.0}, {"u": User((("a", "a"),))}, "crosses a twice"),
        ({"a": 1.0}, {"u": User((("a",),), 0)}, "0 users"),
        ({"a": 1.0}, {"u": User((("a",),), 1, (0.1, 0.2))}, "2 round-trip times for 1"),
        ({"a": 1.0}, {"u": User((("a",),), 1, (0.0,))}, "round-trip time 0 s"),
        ({"a": 1.0, "b": 2.0}, {"u": User((("a",),))}, "link b: no path uses it"),
    ],
)
def test_networks_that_are_none(
    links: dict[str, float], users: dict[str, User], words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        Network(links, users)
    assert "\n" not in str(caught.value)


def test_the_first_user_without_a_rate_is_named() -> None:
    users = {name: User((("a",),)) for name in ("one", "two", "three")}
    with pytest.raises(ValueError, match="no rate of user two; give one per user"):
        max_min.distance(Network({"a": 1.0}, users), {"one": 0.5})


def test_text() -> None:
    assert parse_link(" X = 27 ") == ("X", 27e6)
    assert parse_user("blue*15=X, T") == ("blue", User((("X",), ("T",)), 15))
    phone = parse_user("phone:lia=wifi, lte core @ 20, 60")
    expected = User((("wifi",), ("lte", "core")), 1, (0.02, 0.06), "lia")
    assert phone == ("phone", expected)
    assert parse_user("u=a, b@50")[1].rtts_s == (0.05, 0.05)


@pytest.mark.parametrize(
    "text", ["X", "X=", "X=a", "X=0", "X=-1", "=3", "a b=3", "X=nan"]
)
def test_no_link(text: str) -> None:
    with pytest.raises(ValueError, match="is no link; write"):
        parse_link(text)


@pytest.mark.parametrize("text", ["red", "red=", "red*a=X", "=X", "r=X@a", "r=X=Y"])
def test_no_user(text: str) -> None:
    with pytest.raises(ValueError, match="; write"):
        parse_user(text)


def test_a_rate_on_top_of_a_least_one_is_the_whole_rate() -> None:
    """Both send 5 Mbit/s at least, on links of their own of 10 and 12 Mbit/s."""
    users = {"slow": User((("1",),)), "fast": User((("2",),))}
    network = Network({"1": 10e6, "2": 12e6}, users)
    found = max_min.rates(network, np.array([5e6, 5e6]))
    assert found == pytest.approx({"slow": 10e6, "fast": 12e6})

"""Look for counterexamples to the theorems of the OLIA paper, and compute its figures.

    python -m studies.olia_theorems [--check]

writes results/reference/olia-theorems.md. The design and the criteria, by their
numbers, are in studies/notes/olia-theorems.md and stood there first. With --check the
command writes nothing, and its exit status is 1 if the page differs.

[olia] Khalili, Gast, Popovic, Le Boudec, "MPTCP is not Pareto-Optimal", IEEE/ACM ToN
2013.
"""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, linprog, minimize

from analysis.models import fluid
from analysis.models.networks import SEGMENT_BYTES, Network, User
from analysis.report.markdown import markdown
from studies import olia_scenario_b
from studies.theorem_pages import holds, page_command, percent

Vector = NDArray[np.float64]
TARGET = Path(__file__).parents[1] / "results/reference/olia-theorems.md"
SEED, NETWORKS, RTT_S = 1, 24, 0.1
LINKS = ("a", "b", "c")
NAMES = {"olia": "OLIA", "balia": "Balia", "lia": "LIA"}
NEAR = 0.01
"""The part above which a network is improvable, or below the maximum."""


def drawn(rng: np.random.Generator) -> Network:
    """Three links, two groups of users with two paths, and TCP on each link."""
    links = {name: float(10 ** rng.uniform(np.log10(2e6), 8)) for name in LINKS}
    users = {}
    for group in ("first", "second"):
        paths: set[tuple[str, ...]] = set()
        while len(paths) < 2:
            size = int(rng.integers(1, 3))
            chosen = rng.choice(len(LINKS), size, replace=False)
            paths.add(tuple(LINKS[i] for i in sorted(chosen)))
        count = int(rng.integers(1, 11))
        users[group] = User(tuple(sorted(paths)), count, (RTT_S, RTT_S))
    for name in LINKS:
        users[name] = User(((name,),), int(rng.integers(1, 11)), (RTT_S,), "tcp")
    return Network(links, users)


def totals(network: Network) -> Vector:
    """The matrix that adds up each group's paths, shape (groups, routes)."""
    matrix = np.zeros((len(network.users), len(network.routes)))
    for row, part in enumerate(network.slices.values()):
        matrix[row, part] = 1
    return matrix


def loads(network: Network) -> tuple[Vector, Vector]:
    """Each link's load by routes, and what it carries, packets/s."""
    capacity = network.capacities_bps / (SEGMENT_BYTES * 8)
    return network.crossing * network.counts, capacity


def rates(rest: fluid.Equilibrium) -> Vector:
    """Rates of an equilibrium per route, scaled so that no link is over its limit."""
    found = np.concatenate([rest.rates[name] for name in rest.network.users])
    load, capacity = loads(rest.network)
    return np.asarray(found / max(1.0, float((load @ found / capacity).max())))


def improvable(network: Network, at: Vector) -> float:
    """The largest sum of relative gains of groups of which none loses."""
    add, (load, capacity) = totals(network), loads(network)
    have = add @ at
    found = linprog(
        -(add / have[:, np.newaxis]).sum(axis=0),
        A_ub=np.vstack([load, -add]),
        b_ub=np.concatenate([capacity, -have]),
    )
    if not found.success:
        raise ValueError(f"the linear program failed: {found.message}")
    return float(-found.fun - len(have))


def utility(network: Network, at: Vector) -> float:
    """The sum over users of -1 / (rate rtt^2) (Theorem 4 with sharp losses)."""
    counts = np.array([user.count for user in network.users.values()])
    return float(-(counts / (totals(network) @ at)).sum() / RTT_S**2)


def most(network: Network, begin: Vector) -> float:
    """The maximum of `utility` over all rates that the links carry.

    Rates and loads are relative to even shares, which keeps the search well scaled.
    """
    load, capacity = loads(network)
    unit = float(begin.mean())
    limit = LinearConstraint(load * unit / capacity[:, np.newaxis], -np.inf, 1.0)
    scale = abs(utility(network, begin))
    inner = np.full(len(begin), 1e-3) + 0.9 * begin / unit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about a step of no change
        found = minimize(
            lambda x: -utility(network, x * unit) / scale,
            inner,
            method="trust-constr",
            bounds=[(1e-9, None)] * len(begin),
            constraints=[limit],
            options={"gtol": 1e-9, "xtol": 1e-12, "maxiter": 3000},
        )
    return float(-found.fun * scale)


def at_rest(network: Network) -> dict[str, Vector]:
    """The equilibrium rates under each controller; none if one was not found."""
    try:
        return {name: rates(fluid.equilibrium(network, name)) for name in NAMES}
    except ValueError:
        return {}


def outcomes() -> list[list[str]]:
    """The rows of the page's table, one per criterion."""
    rng = np.random.default_rng(SEED)
    tried = [(one, at_rest(one)) for one in (drawn(rng) for _ in range(NETWORKS))]
    solved = [(one, found) for one, found in tried if found]
    networks = [one for one, _ in solved]
    rests = {name: [found[name] for _, found in solved] for name in NAMES}
    gains = {
        name: np.array(
            [improvable(n, at) for n, at in zip(networks, found, strict=True)]
        )
        for name, found in rests.items()
    }
    below = np.array(
        [
            utility(n, at) / most(n, at) - 1
            for n, at in zip(networks, rests["olia"], strict=True)
        ]
    )
    over = {name: int((found > NEAR).sum()) for name, found in gains.items()}
    medians = {name: float(np.median(found)) for name, found in gains.items()}
    ordered = medians["lia"] > medians["balia"] > medians["olia"]
    told = ", ".join(f"{NAMES[n]} {percent(m)}" for n, m in medians.items())
    return [
        row(1, "Theorem 3: OLIA is not improvable", over["olia"], gains["olia"]),
        [
            "2", "P1 and P2: LIA is", str(len(networks)), f"{over['lia']} improvable",
            f"largest {percent(float(gains['lia'].max()))}",
            holds(bool(over["lia"])),
        ],
        row(3, "Theorem 4: OLIA is at the maximum", int((below > NEAR).sum()), below),
        [
            "4", "Balia is between both", str(len(networks)),
            f"{over['balia']} of Balia improvable", f"medians: {told}",
            holds(ordered),
        ],
    ]  # fmt: skip


def row(number: int, what: str, failures: int, seen: Vector) -> list[str]:
    """A criterion that no network may fail."""
    return [
        str(number), what, str(len(seen)), f"{failures} failures",
        f"largest {percent(float(seen.max()))}", holds(not failures),
    ]  # fmt: skip


HEAD = """\
# The theorems of the OLIA paper, by numbers

Khalili et al. (2013) prove that OLIA is Pareto-optimal and maximises TCP's utility in a
fluid model. This page looks for counterexamples in [our models](../../docs/models.md),
at drawn networks. [Design and criteria](../../studies/notes/olia-theorems.md) were
registered first. A network whose equilibrium was not found under one of the three
controllers is left out. A criterion that holds has found no counterexample, and proves
nothing. Rows 5 to 9 are Figs 4 and 17, the paper's own arithmetic, computed twice.
`python -m studies.olia_theorems` writes this page.

"""


def page() -> str:
    """The page with one row per criterion."""
    head = ["criterion", "theorem or figure", "networks", "of these", "seen", "outcome"]
    return (
        HEAD
        + "\n".join(markdown(head, outcomes() + olia_scenario_b.outcomes())).rstrip()
        + "\n"
    )


def main(words: Sequence[str] | None = None) -> int:
    return page_command(__doc__ or "", TARGET, page, words)


if __name__ == "__main__":
    sys.exit(main())

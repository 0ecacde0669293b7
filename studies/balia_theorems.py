"""Look for counterexamples to the theorems of the Balia paper, by numbers.

    python -m studies.balia_theorems [--check]

writes results/reference/balia-theorems.md. The design and the criteria, by their
numbers, are in studies/notes/balia-theorems.md and stood there first. With --check the
command writes nothing, and its exit status is 1 if the page differs.

[balia] Peng, Walid, Hwang, Low, "Multipath TCP: Analysis, Design and Implementation",
IEEE/ACM ToN 2016.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.models import conditions, fluid
from analysis.models.controllers import controller
from analysis.models.networks import SEGMENT_BYTES, Network, User
from analysis.report.markdown import markdown
from studies.theorem_pages import page_command

Vector = NDArray[np.float64]
TARGET = Path(__file__).parents[1] / "results/reference/balia-theorems.md"
SEED = 1
NETWORKS, STARTS, RATES, SETS = 12, 3, 200, 20
NAMES = {
    "tcp": "EWTCP",
    "semicoupled_balia": "Semicoupled",
    "max": "Max",
    "balia": "Balia",
    "coupled_balia": "Coupled",
}
"""The paper's names of the controllers, friendliest last."""
UNIQUE = tuple(NAMES)[:4]
"""Those with one equilibrium."""
ENDS, APART, AHEAD, FIRST_ORDER = 0.01, 0.1, 0.001, 0.01
ROUNDING = 1e-6
"""A relative error of numerical derivatives that is not told from 0."""


@dataclass(frozen=True)
class Found:
    """The outcome of one criterion.

    cases : how many were looked at
    failures : how many failed
    told : an extreme value, in words
    holds : whether the criterion holds
    """

    number: int
    what: str
    cases: int
    failures: int
    told: str
    holds: bool


def two_links(rng: np.random.Generator) -> Network:
    """A network of [balia] Fig. 2, with one round-trip time on all paths."""
    rtt = float(rng.uniform(0.01, 0.2))
    first, second = (float(10 ** rng.uniform(np.log10(2e6), 8)) for _ in "ab")
    multi, one, two = (int(n) for n in rng.integers(1, 6, 3))
    return Network(
        {"a": first, "b": second},
        {
            "multi": User((("a",), ("b",)), multi, (rtt, rtt)),
            "one": User((("a",),), one, (rtt,), "tcp"),
            "two": User((("b",),), two, (rtt,), "tcp"),
        },
    )


def one_link(rng: np.random.Generator) -> Network:
    """A network of [balia] Fig. 1: two paths and one TCP over one bottleneck link."""
    rtt = float(rng.uniform(0.01, 0.2))
    capacity = float(10 ** rng.uniform(np.log10(2e6), 8))
    return Network(
        {"a": capacity},
        {
            "multi": User((("a",), ("a",)), 1, (rtt, rtt)),
            "one": User((("a",),), 1, (rtt,), "tcp"),
        },
    )


def starts(
    network: Network, rng: np.random.Generator
) -> list[dict[str, tuple[float, ...]]]:
    """Drawn rates to begin a motion from, packets/s."""
    most = max(network.links.values()) / (SEGMENT_BYTES * 8)
    return [
        {
            name: tuple((most * 10 ** rng.uniform(-3, 0, len(user.paths))).tolist())
            for name, user in network.users.items()
        }
        for _ in range(STARTS)
    ]


def percent(part: float) -> str:
    """A part in per cent; what depends on a machine's rounding is not told."""
    return "below 0.01 %" if part < 1e-4 else f"{100 * part:.2g} %"


def symmetric() -> Found:
    """Criterion 1: condition C0 holds for EWTCP and Coupled alone."""
    wanted = {"tcp": True, "coupled_balia": True}
    cases, failures = 0, []
    for name, paths in product(NAMES, (2, 3)):
        rng = np.random.default_rng(SEED)
        rtts = np.full(paths, 0.05)
        holds = conditions.check(controller(name), rtts, rng)["C0"].holds
        cases += 1
        if holds is not wanted.get(name, False):
            failures.append(f"{NAMES[name]}, {paths} paths")
    told = "; ".join(failures) or "-"
    return Found(1, "Theorem 3.1: C0", cases, len(failures), told, not failures)


def motions(networks: Sequence[Network], rng: np.random.Generator) -> Iterator[Found]:
    """Criteria 2 and 3: where motions from drawn starts end."""
    cases, failures, worst, apart = 0, 0, 0.0, 0.0
    for network in networks:
        begins = starts(network, rng)
        for name in NAMES:
            ends = [fluid.integrate(network, name, start=begin) for begin in begins]
            if name not in UNIQUE:
                paths = np.array([end.rates["multi"] for end in ends])
                spread = np.ptp(paths, axis=0).max() / paths.sum(axis=1).max()
                apart = max(apart, float(spread))
                continue
            root = fluid.equilibrium(network, name)
            for end in ends:
                error = max(
                    abs(end.total(user) / root.total(user) - 1)
                    for user in network.users
                )
                cases, failures = cases + 1, failures + (error > ENDS)
                worst = max(worst, error)
    yield Found(
        2, "Theorems 3.2, 3.3, 4.1: one equilibrium, reached from every start", cases,
        failures, f"largest distance {percent(worst)}", not failures,
    )  # fmt: skip
    yield Found(
        3, "Coupled: motions end on several splits", len(networks),
        0 if apart > APART else len(networks),
        f"largest distance {100 * apart:.0f} %", apart > APART,
    )  # fmt: skip


def friendliness(networks: Sequence[Network]) -> Found:
    """Criterion 4: MPTCP's rate at one bottleneck falls in the paper's order."""
    leads = np.array(
        [
            [
                one / other - 1
                for one, other in pairwise(
                    fluid.equilibrium(network, name).total("multi") for name in NAMES
                )
            ]
            for network in networks
        ]
    )
    failures = int((leads.min(axis=1) <= AHEAD).sum())
    told = ", ".join(
        f"{name} by {100 * least:.1f} %" if least > AHEAD else f"{name} by nothing"
        for name, least in zip(NAMES.values(), leads.min(axis=0), strict=False)
    )
    return Found(
        4, "Theorem 3.4: order of friendliness, strict as in sec. IV-A", len(networks),
        failures, f"ahead of the next: {told}", not failures,
    )  # fmt: skip


def jacobian(network: Network, name: str) -> Vector:
    """J* of [balia] eq. 10 at the equilibrium, per user of each group.

    gamma of a link is its loss over its capacity and 10 s, as in fluid.integrate.
    Links that lose nothing are left out.
    """
    rest = fluid.equilibrium(network, name)
    loss = np.array([rest.loss[link] for link in network.limiting])
    used = loss > 0
    slopes, gains = [], []
    for user, given in network.users.items():
        law = controller(given.transport or name)
        rates = np.array(rest.rates[user])
        slopes.append(conditions.jacobian(law, rates, np.array(given.rtts_s)))
        gains.append(law.gain(rates))
    gain = np.concatenate(gains)
    routes = len(gain)
    whole = np.zeros((routes, routes))
    place = 0
    for block in slopes:
        size = len(block)
        whole[place : place + size, place : place + size] = block
        place += size
    crossing = network.crossing[used]
    capacity = network.capacities_bps[used] / (SEGMENT_BYTES * 8)
    gamma = loss[used] / capacity / 10.0
    above = np.hstack([gain[:, None] * whole, -gain[:, None] * crossing.T])
    load = gamma[:, None] * crossing * network.counts
    below = np.hstack([load, np.zeros((len(gamma), len(gamma)))])
    return np.vstack([above, below])


def responsiveness(networks: Sequence[Network]) -> Iterator[Found]:
    """Criteria 5 and 6: the real parts of the eigenvalues."""
    unstable, unordered, highest = 0, 0, -np.inf
    for network in networks:
        parts = []
        for name in UNIQUE:
            largest = float(np.linalg.eigvals(jacobian(network, name)).real.max())
            parts.append(largest)
            unstable += largest >= 0
            highest = max(highest, largest)
        unordered += not parts[0] <= parts[1] <= parts[2]
    cases = len(networks) * len(UNIQUE)
    told = f"largest real part {highest:.2g} per s"
    yield Found(
        5, "Theorem 3.5: every equilibrium is stable", cases, unstable, told,
        not unstable,
    )  # fmt: skip
    yield Found(
        6, "Theorem 3.5: order of the largest real parts", len(networks), unordered,
        "-", not unordered,
    )  # fmt: skip


def tradeoff(rng: np.random.Generator) -> Iterator[Found]:
    """Criterion 7: a more negative Jacobian comes with a larger phi.

    And criterion 10: the order of Jacobians that sec. IV-A prints.
    """
    rtts = np.full(2, 0.05)
    rates = 10 ** rng.uniform(-2, 2, (RATES, 2))
    laws = {name: controller(name) for name in NAMES}
    parts = {
        name: np.array([_symmetric(conditions.jacobian(law, x, rtts)) for x in rates])
        for name, law in laws.items()
    }
    values = {n: np.array([law.phi(x, rtts) for x in rates]) for n, law in laws.items()}
    pairs, failures = [], 0
    for one, other in permutations(NAMES, 2):
        difference = parts[one] - parts[other]
        scale = np.abs(parts[one]).max(axis=(1, 2))
        top = np.linalg.eigvalsh(difference)[:, -1]
        if (top <= ROUNDING * scale).all():
            pairs.append(f"{NAMES[one]} before {NAMES[other]}")
            below = values[one] < values[other] * (1 - ROUNDING)
            failures += bool(below.any())
    told = f"pairs whose Jacobians are ordered: {', '.join(pairs) or 'none'}"
    yield Found(
        7, "Theorem 3.6: responsive or friendly", len(pairs), failures, told,
        not failures,
    )  # fmt: skip
    shares = []
    for one, other in pairwise(name for name in NAMES if name != "balia"):
        top = np.linalg.eigvalsh(parts[one] - parts[other])[:, -1]
        scale = np.abs(parts[one]).max(axis=(1, 2))
        shares.append((one, other, float((top <= ROUNDING * scale).mean())))
    told = ", ".join(
        f"{NAMES[one]} before {NAMES[other]} at {100 * share:.0f} % of rates"
        for one, other, share in shares
    )
    failed = sum(share < 1 for *_, share in shares)
    yield Found(
        10, "sec. IV-A: order of Jacobians at all rates", len(shares), failed, told,
        not failed,
    )  # fmt: skip


def one_bottleneck(networks: Sequence[Network], rng: np.random.Generator) -> Found:
    """Criterion 9: Coupled has several equilibria where its paths share a link."""
    apart = 0.0
    for network in networks:
        ends = [
            fluid.integrate(network, "coupled_balia", start=begin)
            for begin in starts(network, rng)
        ]
        paths = np.array([end.rates["multi"] for end in ends])
        spread = np.ptp(paths, axis=0).max() / paths.sum(axis=1).max()
        apart = max(apart, float(spread))
    told = f"largest distance {100 * apart:.0f} %"
    holds = apart > APART
    return Found(
        9, "Coupled: several splits over one bottleneck link", len(networks),
        0 if holds else len(networks), told, holds,
    )  # fmt: skip


def _symmetric(matrix: Vector) -> Vector:
    return np.asarray((matrix + matrix.T) / 2)


def first_order(rng: np.random.Generator) -> Found:
    """Criterion 8: Lemma 3.1 against sums over all outcomes."""
    worst = 0.0
    for _ in range(SETS):
        routes = int(rng.integers(2, 4))
        sizes = rng.integers(1, 5, routes)
        chances = rng.uniform(1e-5, 1e-3, routes)
        drops = rng.uniform(0.1, 1.0, routes)
        hit = 1 - (1 - chances) ** sizes
        exact = float(drops @ hit) / (1 - float(np.prod(1 - hit)))
        formula = float(drops @ (chances * sizes)) / float(chances @ sizes)
        worst = max(worst, abs(formula / exact - 1))
    told = f"largest error {percent(worst)}"
    failed = worst > FIRST_ORDER
    return Found(8, "Lemma 3.1", SETS, int(failed), told, not failed)


def everything() -> list[Found]:
    """The outcome of every criterion, in their order."""
    rng = np.random.default_rng(SEED)
    pairs = [two_links(rng) for _ in range(NETWORKS)]
    single = [one_link(rng) for _ in range(NETWORKS)]
    found = [
        symmetric(),
        *motions(pairs, rng),
        friendliness(single),
        *responsiveness(pairs),
        *tradeoff(rng),
        first_order(rng),
        one_bottleneck(single, rng),
    ]
    return sorted(found, key=lambda one: one.number)


HEAD = """\
# The theorems of the Balia paper, by numbers

Peng et al. (2016) prove these theorems for a fluid model. This page looks for
counterexamples in [our models](../../docs/models.md), at drawn networks and rates.
[Design and criteria](../../studies/notes/balia-theorems.md) 1 to 8 were registered
first, and 9 and 10 after their numbers. A criterion that holds has found no
counterexample, and proves nothing. `python -m studies.balia_theorems` writes
this page.

"""


def page(found: Sequence[Found]) -> str:
    """The page with one row per criterion."""
    rows = [
        [
            str(one.number),
            one.what,
            str(one.cases),
            str(one.failures),
            one.told,
            "holds" if one.holds else "**fails**",
        ]
        for one in found
    ]
    head = ["criterion", "theorem", "cases", "failures", "seen", "outcome"]
    return HEAD + "\n".join(markdown(head, rows)).rstrip() + "\n"


def main(words: Sequence[str] | None = None) -> int:
    return page_command(__doc__ or "", TARGET, lambda: page(everything()), words)


if __name__ == "__main__":
    sys.exit(main())

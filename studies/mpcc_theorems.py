"""Look for counterexamples to the theorems of the MPCC paper, by numbers.

    python -m studies.mpcc_theorems [--check]

writes results/reference/mpcc-theorems.md. The design and the criteria, by their
numbers, are in studies/notes/mpcc-theorems.md and stood there first. With --check the
command writes nothing, and its exit status is 1 if the page differs.

[mpcc] Gilad et al., "MPCC: Online Learning Multipath Transport", CoNEXT 2020.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from analysis.models import max_min
from analysis.models.networks import Network, User
from analysis.report.markdown import markdown
from studies.theorem_pages import holds, page_command, percent

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
TARGET = Path(__file__).parents[1] / "results/reference/mpcc-theorems.md"
SEED, NETWORKS, SPLITS, STARTS, COPIES = 1, 24, 100, 4, 60
ALPHA, BETA = 0.9, 11.35
MEGA = 1e6
GAIN = 1e-6
"""The part of its utility that somebody gains who is not at an equilibrium."""
GRID, CHANGES = 3000, 3000
STEPS, LONGEST, SHORTEST = 6000, 0.5, 0.01
NEAR, NEAR_WITH_LOSS = 0.01, 0.02
OWN_MBPS, MOST_MBPS, POINTS, DOT_MBPS = 100.0, 150, 100, 2.0
"""Of Fig. 2: each link's capacity, the largest rates, random starts, and the distance
from the dot that counts as being there."""


@dataclass(frozen=True)
class Parallel:
    """Connections over parallel links.

    capacity : Mbit/s, shape (links,)
    owner : the connection of each subflow, shape (subflows,)
    link : its link, shape (subflows,)
    copies : how many equal ones each connection stands for
    """

    capacity: Vector
    owner: NDArray[np.intp]
    link: NDArray[np.intp]
    copies: int = 1

    def sent(self, rates: Vector) -> Vector:
        """Rate at which each link is sent data, Mbit/s, shape (..., links)."""
        return self.copies * (rates @ one_hot(self.link, len(self.capacity)))

    def lost(self, rates: Vector) -> Vector:
        """The part that each link loses, shape (..., links)."""
        return loss(self.sent(rates), self.capacity)

    def totals(self, rates: Vector) -> Vector:
        """The rate of each connection, Mbit/s, shape (..., connections)."""
        return rates @ one_hot(self.owner, int(self.owner.max()) + 1)

    @cached_property
    def fair(self) -> Vector:
        """The max-min fair rate of each connection, Mbit/s."""
        links = {str(i): c * MEGA for i, c in enumerate(self.capacity)}
        users = {
            str(one): User(
                tuple((str(i),) for i in self.link[self.owner == one]), self.copies
            )
            for one in range(self.owner.max() + 1)
        }
        found = max_min.rates(Network(links, users))
        return np.array(list(found.values())) / MEGA

    def shortfall(self, rates: Vector) -> float:
        """The largest part of its fair rate that a connection lacks of goodput."""
        goodput = self.totals(rates * (1 - self.lost(rates)[..., self.link]))
        return float((1 - goodput / self.fair).max())


def one_hot(index: NDArray[np.intp], count: int) -> Vector:
    return np.asarray(np.eye(count)[index])


def drawn(rng: np.random.Generator) -> Parallel:
    """A network of the design."""
    links = int(rng.integers(2, 5))
    capacity = 10 ** rng.uniform(np.log10(20), np.log10(200), links)
    owner, link = [], []
    for one in range(int(rng.integers(2, 7))):
        size = int(rng.integers(1, min(3, links) + 1))
        link += sorted(rng.choice(links, size, replace=False))
        owner += [one] * size
    used, dense = np.unique(link, return_inverse=True)
    return Parallel(capacity[used], np.array(owner), dense)


def loss(sent: Vector, capacity: Vector | float) -> Vector:
    """The part that a link loses of what it is sent, both in Mbit/s."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(0, 1 - capacity / sent))


def utility(total: Vector, lost: Vector) -> Vector:
    """The utility of a connection's or subflow's rate, (1) and (2) of [mpcc].

    total : the rate of the connection, Mbit/s
    lost : under (1) the largest loss of its subflows, under (2) the subflow's own
    """
    return np.asarray(total**ALPHA - BETA * total * lost)


def gains(have: Vector, tried: Vector) -> bool:
    return bool(tried.max() > have + GAIN * abs(have))


def subflows_rest(network: Parallel, rates: Vector) -> bool:
    """Whether no subflow gains by another rate, while all others stay."""
    for link, owner, own in zip(network.link, network.owner, rates, strict=True):
        capacity = float(network.capacity[link])
        changed = np.append(np.linspace(0, 3 * capacity, GRID), own)
        total = network.totals(rates)[owner] - own + changed
        sent = network.sent(rates)[link] - own + changed
        found = utility(total, loss(sent, capacity))
        if gains(found[-1], found):
            return False
    return True


def connections_rest(network: Parallel, rates: Vector) -> bool:
    """Whether no connection gains by any of the changes that are tried.

    A subflow without a rate sees no loss.
    """
    rng = np.random.default_rng(SEED)
    for one in range(network.owner.max() + 1):
        mine = network.owner == one
        own, links = rates[mine], network.link[mine]
        capacity = network.capacity[links]
        size = 10 ** rng.uniform(-4, 0, (CHANGES, 1)) * capacity
        changed = np.maximum(0, own + size * rng.standard_normal((CHANGES, len(own))))
        changed = np.vstack([changed, own])
        sent = network.sent(rates)[links] - own + changed
        worst = (loss(sent, capacity) * (changed > 0)).max(axis=1)
        found = utility(changed.sum(axis=1), worst)
        if gains(found[-1], found):
            return False
    return True


def fair_split(network: Parallel) -> Vector:
    """Rates of subflows that fill every link, and are max-min fair."""
    hot = one_hot(network.owner, int(network.owner.max()) + 1).T
    at = one_hot(network.link, len(network.capacity)).T
    found = linprog(
        np.zeros(len(network.owner)),
        A_ub=-hot,
        b_ub=-network.fair * (1 - 1e-7),
        A_eq=at,
        b_eq=network.capacity,
    )
    if not found.success:
        raise ValueError(f"the linear program failed: {found.message}")
    return np.asarray(found.x)


def random_split(network: Parallel, rng: np.random.Generator) -> Vector:
    """Rates of subflows that fill every link, in shares from a flat distribution."""
    weight = rng.standard_exponential(len(network.owner))
    at = one_hot(network.link, len(network.capacity))
    return np.asarray(weight * (network.capacity / (weight @ at))[network.link])


def ascended(network: Parallel, rates: Vector) -> Vector:
    """Rates after STEPS along the gradients of the subflows' own utilities."""
    capacity = network.capacity[network.link]
    on_link = network.copies * (network.link[:, np.newaxis] == network.link)
    of_owner = (network.owner[:, np.newaxis] == network.owner).astype(float)
    for step in np.geomspace(LONGEST, SHORTEST, STEPS):
        total = np.maximum(rates @ of_owner, 1e-3)
        kept = capacity / np.maximum(rates @ on_link, 1e-9)
        penalty = BETA * (1 - kept + total * kept**2 / capacity)
        gradient = ALPHA * total ** (ALPHA - 1) - penalty * (kept < 1)
        rates = np.maximum(0, rates + step * gradient)
    return rates


def started(network: Parallel, rng: np.random.Generator) -> Vector:
    """Rates of STARTS random starts, up to the links' capacities, per copy."""
    most = network.capacity[network.link] / network.copies
    return np.asarray(rng.uniform(0, 1, (STARTS, len(most))) * most)


def ends(
    networks: Sequence[Parallel], rng: np.random.Generator
) -> Iterator[tuple[Parallel, Vector]]:
    """Each network with where each of its starts ends."""
    for one in networks:
        for rates in ascended(one, started(one, rng)):
            yield one, rates


def unfair(
    networks: Sequence[Parallel],
    rng: np.random.Generator,
    rests: Callable[[Parallel, Vector], bool],
) -> tuple[int, int, float]:
    """Networks with an equilibrium that is not fair, such equilibria, and the largest
    shortfall."""
    shortfalls = [
        [
            short
            for split in (random_split(one, rng) for _ in range(SPLITS))
            if (short := one.shortfall(split)) > NEAR and rests(one, split)
        ]
        for one in networks
    ]
    found = [short for of_one in shortfalls for short in of_one]
    return sum(map(bool, shortfalls)), len(found), max(found, default=0.0)


def outcomes() -> list[list[str]]:
    """The rows of the page's table, one per criterion."""
    rng = np.random.default_rng(SEED)
    networks = [drawn(rng) for _ in range(NETWORKS)]
    rest = sum(subflows_rest(one, fair_split(one)) for one in networks)
    with_loss = list(ends([replace(n, copies=COPIES) for n in networks], rng))
    losing = sum(bool((n.lost(rates) > 0).all()) for n, rates in with_loss)
    under_loss = max(n.shortfall(rates) for n, rates in with_loss)
    ascent = max(n.shortfall(rates) for n, rates in ends(networks, rng))
    splits = str(NETWORKS * SPLITS)
    starts = str(NETWORKS * STARTS)
    return [
        ["1", "a fair equilibrium exists", str(NETWORKS), f"{rest} have one",
         holds(rest == NETWORKS)],
        row("2", "Theorem 5.1", splits, unfair(networks, rng, subflows_rest)),
        ["3", "Theorem 5.1 where links lose", starts,
         f"{losing} end with loss on each link; shortfall up to {percent(under_loss)}",
         holds(losing == len(with_loss) and under_loss <= NEAR_WITH_LOSS)],
        ["4", "Theorem 5.2", starts, f"shortfall up to {percent(ascent)}",
         holds(ascent <= NEAR)],
        row("5", "Theorem 4.1", splits, unfair(networks, rng, connections_rest)),
    ]  # fmt: skip


def derivative(total: Vector, sent: Vector) -> Vector:
    """The derivative of utility (2) by the subflow's own rate, on a link of OWN_MBPS.

    total : the rate of its connection, Mbit/s, above 0
    sent : what the link is sent, Mbit/s
    """
    lost = loss(sent, OWN_MBPS)
    slope = np.where(sent > OWN_MBPS, OWN_MBPS / sent**2, 0)
    return np.asarray(ALPHA * total ** (ALPHA - 1) - BETA * (lost + total * slope))


def figure_2() -> list[list[str]]:
    """The rows about Fig. 2."""
    rate = np.arange(1.0, MOST_MBPS + 1)
    x, y = np.meshgrid(rate, rate)
    mpcc, pcc = derivative(OWN_MBPS + x, x + y), derivative(y, x + y)
    below, above = x + y < OWN_MBPS, x + y > OWN_MBPS
    rng = np.random.default_rng(SEED)
    network = Parallel(np.full(2, OWN_MBPS), np.array([0, 0, 1]), np.array([0, 1, 1]))
    starts = rng.uniform(1, MOST_MBPS, (POINTS, 2))
    own = np.full((POINTS, 1), OWN_MBPS)
    ends_at = ascended(network, np.hstack([own, starts]))[:, 1:]
    there = np.all(np.abs(ends_at - [0, OWN_MBPS]) <= DOT_MBPS, axis=1)
    return [
        share("6", "below capacity both grow, PCC faster", below, mpcc > 0, mpcc < pcc),
        share("7", "above it both shrink", above, mpcc < 0, pcc < 0),
        share("8", "above it MPCC shrinks faster", above, mpcc < pcc),
        share("9", "all end at the dot", np.full(POINTS, True), np.asarray(there)),
    ]


def share(number: str, what: str, where: Flags, *true: Flags) -> list[str]:
    """A criterion that each point of a part of Fig. 2 has to meet."""
    met = np.logical_and.reduce(true)[where]
    seen = f"{int(met.sum())} of {len(met)} points"
    return [number, f"Fig. 2: {what}", str(len(met)), seen, holds(bool(met.all()))]


def row(number: str, what: str, tried: str, found: tuple[int, int, float]) -> list[str]:
    """A criterion that no equilibrium may fail."""
    networks, equilibria, worst = found
    seen = f"{equilibria} unfair equilibria in {networks} of {NETWORKS} networks"
    seen += f"; shortfall up to {percent(worst)}" if equilibria else ""
    return [number, what, tried, seen, holds(not equilibria)]


HEAD = """\
# The theorems of the MPCC paper, by numbers

Gilad et al. (2020) prove that every equilibrium of MPCC over parallel links is max-min
fair, and that MPCC converges to it. This page looks for counterexamples in the model of
their proofs, at drawn networks and rates. [Design and
criteria](../../studies/notes/mpcc-theorems.md) were registered first, and the notes say
what the outcomes mean. A criterion that holds has found no counterexample, and proves
nothing. `python -m studies.mpcc_theorems` writes this page.

"""


def page() -> str:
    """The page with one row per criterion."""
    head = ["criterion", "theorem or figure", "cases", "seen", "outcome"]
    return HEAD + "\n".join(markdown(head, outcomes() + figure_2())).rstrip() + "\n"


def main(words: Sequence[str] | None = None) -> int:
    return page_command(__doc__ or "", TARGET, page, words)


if __name__ == "__main__":
    sys.exit(main())

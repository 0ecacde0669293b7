"""Max-min fair shares of a network, for connections that split over paths.

Sources: [mpcc] Gilad et al., "MPCC: Online Learning Multipath Transport", CoNEXT 2020,
sec. 4.1; [rb] Radunovic, Le Boudec, "A Unified Framework for Max-Min and Min-Max
Fairness With Applications", IEEE/ACM ToN 15(5), 2007 (max-min programming).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linprog

Paths = Sequence[Sequence[str]]
"""The paths of one connection, each the links that it takes."""
TOLERANCE = 1e-7


def max_min(capacities: Mapping[str, float], connections: Sequence[Paths]) -> float:
    """The most that the worst-off connection can have, in the capacities' unit.

    capacities : of each link, > 0
    connections : the paths of each, n >= 1; each has at least one path
    An allocation is max-min fair in the sense of [mpcc] if its least rate is this.
    """
    return float(lexicographic_max_min(capacities, connections).min())


def lexicographic_max_min(
    capacities: Mapping[str, float], connections: Sequence[Paths]
) -> np.ndarray:
    """The rate of each connection in the lexicographic max-min fair allocation.

    The least rate is as large as can be, then the second least, and so on; found by
    filling all connections alike, and fixing those that cannot have more [rb].
    Returns shape (n,), in the capacities' unit. The rates are unique; how they are
    spread over paths is not.
    """
    system = _System(capacities, connections)
    fixed = np.full(len(connections), np.nan)
    while np.isnan(fixed).any():
        level = system.level(fixed)
        for index in np.flatnonzero(np.isnan(fixed)):
            if system.most(int(index), fixed, level) <= level * (1 + TOLERANCE):
                fixed[index] = level
                break
        else:
            raise ValueError("max-min: the linear programs contradict one another")
        for index in np.flatnonzero(np.isnan(fixed)):
            if system.most(int(index), fixed, level) <= level * (1 + TOLERANCE):
                fixed[index] = level
    return fixed


def is_max_min(
    rates: Sequence[float],
    capacities: Mapping[str, float],
    connections: Sequence[Paths],
    tolerance: float = 1e-3,
) -> bool:
    """Whether the worst-off of `rates` has what max-min fairness gives, less a part
    `tolerance` at most."""
    return min(rates) >= max_min(capacities, connections) * (1 - tolerance)


class _System:
    """Rates of all paths, bounded by links; sums of them are connections' rates."""

    def __init__(
        self, capacities: Mapping[str, float], connections: Sequence[Paths]
    ) -> None:
        if not connections or not all(connections):
            raise ValueError("max-min: needs connections, each with a path")
        if any(not value > 0 for value in capacities.values()):
            raise ValueError("max-min: a capacity is not above 0")
        self.owner = np.array([i for i, paths in enumerate(connections) for _ in paths])
        links = list(capacities)
        use = np.zeros((len(links), len(self.owner)))
        every = [path for paths in connections for path in paths]
        for column, path in enumerate(every):
            for link in path:
                if link not in capacities:
                    raise ValueError(f"max-min: no capacity is given for link {link}")
                use[links.index(link), column] = 1
        self.use = use
        self.bounds = np.array([capacities[link] for link in links], float)
        self.count = len(connections)

    def level(self, fixed: np.ndarray) -> float:
        """The largest rate that all that are not fixed can have at once."""
        cost = np.zeros(len(self.owner) + 1)
        cost[-1] = -1
        return self._solve(cost, fixed, None)

    def most(self, index: int, fixed: np.ndarray, level: float) -> float:
        """The largest rate of one, while all others have at least `level`."""
        cost = np.append(-(self.owner == index).astype(float), 0)
        return self._solve(cost, fixed, level)

    def _solve(self, cost: np.ndarray, fixed: np.ndarray, level: float | None) -> float:
        """Variables: the path rates, and the level, which may be given."""
        rows, limits = [np.append(row, 0) for row in self.use], list(self.bounds)
        for index in range(self.count):
            row = np.append(-(self.owner == index).astype(float), 0)
            if np.isnan(fixed[index]):
                row[-1] = 1
                limits.append(0.0)
            else:
                limits.append(-float(fixed[index]) * (1 - TOLERANCE / 10))
            rows.append(row)
        last = (0, None) if level is None else (level * (1 - TOLERANCE / 10),) * 2
        found = linprog(
            cost,
            A_ub=np.array(rows),
            b_ub=np.array(limits),
            bounds=[(0, None)] * len(self.owner) + [last],
        )
        if not found.success:
            raise ValueError(f"max-min: {found.message}")
        return -float(found.fun)

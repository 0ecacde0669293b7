"""Lexicographic max-min fair rates of any network.

The worst-off user gets as much as possible; given that, the second worst-off does; and
so on ([mpcc] sec. 4.2, after Radunovic and Le Boudec, "A Unified Framework for Max-Min
and Min-Max Fairness With Applications", ToN 2007). A user's rate is the sum over all
its paths, so a user with several paths may use them in any proportion.

[mpcc] Gilad et al., "MPCC: Online Learning Multipath Transport", CoNEXT 2020.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from analysis.models import check_positive, linear_programs
from analysis.models.networks import SEGMENT_BYTES, Network

TOLERANCE = 1e-6
"""A user that could gain less than this share of its rate cannot rise."""
SLACK = 1e-9
"""Amount by which another user may fall below its rate meanwhile, so that rounding
makes no program infeasible; a share of the rate at hand."""


def rates(
    network: Network, least_bps: NDArray[np.float64] | None = None
) -> dict[str, float]:
    """The rate of one user of each group, bit/s, under lexicographic max-min fairness.

    least_bps : what one user sends at least on each of its paths, bit/s, shape
        (routes,); None for nothing

    Raises ValueError if a user has a path without a finite capacity, and if the links
    cannot carry the least rates.

    Rates rise together until some users cannot rise further. Those users keep their
    rate, and the others go on. Each level solves a linear program for the common rate,
    and one per user that is still rising, to see who cannot: O(u^2) programs for u
    groups of users.
    """
    network.check_bounded()
    floor = np.zeros(len(network.routes)) if least_bps is None else least_bps
    fixed: dict[str, float] = {}
    while len(fixed) < len(network.users):
        rising = [name for name in network.users if name not in fixed]
        # The solver's tolerances are absolute: the second time, the level is about 1.
        most = float(network.capacities_bps.max())
        rough = _common_rate(network, fixed, floor, most)
        level = _common_rate(network, fixed, floor, rough)
        highest = {n: _highest(network, fixed, floor, level, n) for n in rising}
        held = [n for n in rising if highest[n] < level * (1 + TOLERANCE)]
        # Somebody is held at every level, whatever the solver's rounding says.
        held = held or [min(rising, key=lambda name: highest[name])]
        fixed.update(dict.fromkeys(held, level))
    return {name: fixed[name] for name in network.users}


def probing(network: Network, segment_bytes: float = SEGMENT_BYTES) -> dict[str, float]:
    """The max-min fair rates if users with several paths keep all of them probed.

    network : users with several paths have round-trip times
    segment_bytes : MSS, bytes, above 0

    A user sends at least one segment per round-trip time on each path. This is the
    "theoretical optimum with probing cost" of [olia] sec. III in any network. Returns
    the rate of one user of each group, bit/s. Raises ValueError as `rates`, and for
    users without round-trip times.

    [olia] Khalili et al., "MPTCP Is Not Pareto-Optimal", IEEE/ACM ToN 2013.
    """
    check_positive("segment", segment_bytes)
    least = np.zeros(len(network.routes))
    for name, user in network.users.items():
        if len(user.paths) > 1:
            if not user.rtts_s:
                raise ValueError(f"user {name}: no round-trip time; give one per path")
            least[network.slices[name]] = segment_bytes * 8 / np.array(user.rtts_s)
    return rates(network, least)


def distance(network: Network, measured: Mapping[str, float]) -> float:
    """Distance of measured rates from the fair ones: the largest relative shortfall.

    measured : mean rate of one user of each group, bit/s (or any unit in which the
        capacities of `network` are given)

    0 if every user has at least its fair rate, 1 if somebody has nothing. Raises
    ValueError for a user that is missing.
    """
    fair = rates(network)
    missing = [name for name in fair if name not in measured]
    if missing:
        raise ValueError(f"no rate of user {missing[0]}; give one per user")
    return max(0.0, *(1 - measured[name] / rate for name, rate in fair.items()))


def _common_rate(
    network: Network,
    fixed: Mapping[str, float],
    floor: NDArray[np.float64],
    unit: float,
) -> float:
    """The highest rate, bit/s, that all users can have at once that are not fixed.

    floor : the least rate of each route, bit/s
    unit : what the program counts as 1, bit/s
    """
    level = len(network.routes)  # the variables are the routes' rates, then the level
    objective = np.zeros(level + 1)
    objective[level] = -1.0
    least = np.zeros((len(network.users), level + 1))
    bounds = np.zeros(len(network.users))
    for row, name in enumerate(network.users):
        least[row, network.slices[name]] = -1.0
        if name in fixed:
            bounds[row] = SLACK - fixed[name] / unit
        else:
            least[row, level] = 1.0
    return -unit * _least(network, objective, least, bounds, floor, unit)


def _highest(
    network: Network,
    fixed: Mapping[str, float],
    floor: NDArray[np.float64],
    level: float,
    name: str,
) -> float:
    """The highest rate of one user while no other falls below its rate or `level`."""
    routes = len(network.routes)
    objective = np.zeros(routes)
    objective[network.slices[name]] = -1.0
    least = np.zeros((len(network.users), routes))
    bounds = np.zeros(len(network.users))
    for row, other in enumerate(network.users):
        least[row, network.slices[other]] = -1.0
        bounds[row] = SLACK - fixed.get(other, level) / level
    return -level * _least(network, objective, least, bounds, floor, level)


def _least(
    network: Network,
    objective: NDArray[np.float64],
    least: NDArray[np.float64],
    bounds: NDArray[np.float64],
    floor: NDArray[np.float64],
    unit: float,
) -> float:
    """The least value of the objective under the capacities and users' least rates."""
    extra = least.shape[1] - len(network.routes)
    load = network.crossing * network.counts
    capacity = np.hstack([load, np.zeros((len(load), extra))])
    # The program's variables are what the rates have above the least ones.
    below = np.concatenate([floor / unit, np.zeros(extra)])
    rows = np.vstack([capacity, least])
    limits = np.concatenate([network.capacities_bps / unit, bounds]) - rows @ below
    try:
        found = linear_programs.least(objective, rows, limits)
    except linear_programs.InfeasibleError as error:
        raise ValueError(
            "no fair rates: the links cannot carry one segment per round-trip time on"
            " every path; give more capacity or longer round-trip times"
        ) from error
    except ValueError as error:
        raise ValueError(f"no fair rates: {error}") from error
    return found + float(objective @ below)

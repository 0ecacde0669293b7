"""Figures 4 and 17 of the OLIA paper: scenario B by formulas, and by a search.

The criteria, by their numbers, are in studies/notes/olia-theorems.md, and
`studies.olia_theorems` puts them on its page.
"""

from collections.abc import Mapping

import numpy as np
from scipy.optimize import linprog

from analysis.models import fluid, scenarios
from studies.theorem_pages import holds, percent

USERS, CT_MBPS, SEGMENT_BYTES = 15, 36.0, 1500
RTT_S, SHORT_RTT_S = 0.15, 0.025
RATIOS = tuple(round(0.1 + 0.05 * i, 2) for i in range(29))
"""Capacities of X over that of T."""
PRINTED = 0.75
"""The ratio for which the paper gives numbers."""
SAME = 0.01

Pair = tuple[float, float]
"""Rates of a Blue and a Red user, Mbit/s."""


def formulas(
    ratio: float, multipath: bool, probing: bool, rtt_s: float = RTT_S
) -> Pair:
    """Rates by the paper's formulas.

    ratio : capacity of X over that of T, above 0
    multipath : whether Red users have their second path
    probing : at the optimum with probing; otherwise under LIA
    """
    cx = ratio * CT_MBPS
    if probing:
        found = scenarios.probing_b(USERS, cx, CT_MBPS, rtt_s, multipath, SEGMENT_BYTES)
    elif multipath:
        found = scenarios.lia_b(USERS, cx, CT_MBPS)
    else:
        found = scenarios.lia_b_single(USERS, cx, CT_MBPS)
    return found.first, found.second


def searched(
    ratio: float, multipath: bool, probing: bool, rtt_s: float = RTT_S
) -> Pair:
    """The same rates without the formulas."""
    if probing:
        return fairest(ratio * CT_MBPS, multipath, rtt_s)
    network = scenarios.network_b(USERS, ratio * CT_MBPS, CT_MBPS, rtt_s, multipath)
    rates = fluid.equilibrium(network, "max", SEGMENT_BYTES).rates
    blue, red = (
        sum(rates[user]) * SEGMENT_BYTES * 8 / scenarios.MBPS
        for user in ("blue", "red")
    )
    return blue, red


def fairest(cx_mbps: float, multipath: bool, rtt_s: float) -> Pair:
    """The largest smallest rate, then the largest sum, with a segment per round trip on
    each path.

    Raises ValueError if the paths cannot carry that.
    """
    least = scenarios.probing_mbps(rtt_s, SEGMENT_BYTES)
    # Blue over X and T, Red over T and over both; the last column is the smallest rate.
    loads = np.array([[1, 0, 0, 1, 0], [0, 1, 1, 1, 0]]) * USERS
    smallest = np.array([[-1, -1, 0, 0, 1], [0, 0, -1, -1, 1]])
    limits = np.vstack([loads, smallest])
    bounds = [(least, None)] * 3 + [(least, None) if multipath else (0, 0)]
    room = [cx_mbps, CT_MBPS, 0, 0]
    first = linprog([0, 0, 0, 0, -1], limits, room, bounds=[*bounds, (0, None)])
    if not first.success:
        raise ValueError(f"the linear program failed: {first.message}")
    floor = -first.fun * (1 - 1e-9)
    found = linprog([-1, -1, -1, -1, 0], limits, room, bounds=[*bounds, (floor, None)])
    if not found.success:
        raise ValueError(f"the linear program failed: {found.message}")
    return float(found.x[0] + found.x[1]), float(found.x[2] + found.x[3])


def lost(pairs: Mapping[bool, Pair]) -> Pair:
    """The parts that Blue and Red lose once Red has its second path."""
    blue, red = (
        1 - after / before
        for before, after in zip(pairs[False], pairs[True], strict=True)
    )
    return blue, red


def outcomes() -> list[list[str]]:
    """The rows of the page's table, one per criterion."""
    ways = {"formulas": formulas, "search": searched}
    found = {
        (name, probing, ratio): {
            more: way(ratio, more, probing) for more in (False, True)
        }
        for name, way in ways.items()
        for probing in (False, True)
        for ratio in RATIOS
    }
    losses = {key: lost(pairs) for key, pairs in found.items()}
    gains = sum(
        min(loss) <= 0 for (_, probing, _), loss in losses.items() if not probing
    )
    least = min(min(loss) for (_, probing, _), loss in losses.items() if not probing)
    lia = [losses[name, False, PRINTED][0] for name in ways]
    best = [losses[name, True, PRINTED][0] for name in ways]
    apart = max(
        abs(mine / theirs - 1)
        for (name, probing, ratio), pairs in found.items()
        if name == "search"
        for more in (False, True)
        for mine, theirs in zip(
            pairs[more], found["formulas", probing, ratio][more], strict=True
        )
    )
    carried, missed, dearer = probing_cost()
    tried = str(len(RATIOS))
    return [
        ["5", "Fig. 4(a): everybody loses under LIA", tried,
         f"{gains} failures", f"least loss {percent(least)}", holds(not gains)],
        ["6", "Fig. 4(a): Blue loses 21 % at 0.75", "1", "", seen(lia),
         holds(all(0.20 <= loss <= 0.22 for loss in lia))],
        ["7", "Fig. 4(b): 3 % at the optimum", "1", "", seen(best),
         holds(all(0.02 <= loss <= 0.04 for loss in best))],
        ["8", "both computations agree", str(4 * len(RATIOS)), "",
         f"largest difference {percent(apart)}", holds(apart <= SAME)],
        ["9", "Fig. 17: the cost of probing", str(carried), "",
         f"at most {percent(missed)} from a segment per round trip and Red user;"
         f" {dearer:.3g} times as much at 25 ms", holds(missed <= SAME and dearer > 1)],
    ]  # fmt: skip


def probing_cost() -> tuple[int, float, float]:
    """The cost of probing, by the search, where each path can carry a segment per round
    trip.

    Returns the number of such networks; how far the cost is from a segment per round
    trip and Red user, as a part of it; how many times as much the shorter trip costs.
    """
    cost, missed = {}, 0.0
    for rtt_s in (RTT_S, SHORT_RTT_S):
        least = scenarios.probing_mbps(rtt_s, SEGMENT_BYTES)
        # Two paths over X and three over T have to carry one.
        able = [r for r in RATIOS if 2 * least * USERS <= r * CT_MBPS]
        found = [
            sum(searched(ratio, False, True, rtt_s))
            - sum(searched(ratio, True, True, rtt_s))
            for ratio in able
        ]
        missed = max(missed, *(abs(one / least - 1) for one in found))
        cost[rtt_s] = len(found), float(np.mean(found))
    tried = sum(count for count, _ in cost.values())
    return tried, missed, cost[SHORT_RTT_S][1] / cost[RTT_S][1]


def seen(parts: list[float]) -> str:
    one, other = (percent(part) for part in parts)
    return one if one == other else f"{one} by formulas, {other} by search"

"""The arithmetic of [nsdi11]: its Figs 1 to 5, its goals, and RTT compensation.

Rates under fixed losses (Fig. 4, sec. 2.4) are `controllers.CONTROLLERS[...].demand`,
and rates in a network (Figs 2, 3, 7 and 14) are `fluid.equilibrium` of the networks
below. Capacities are in Mbit/s where the paper has Mb/s, and in packets/s where it has
pkt/s.

[nsdi11] Wischik, Raiciu, Greenhalgh, Handley, "Design, implementation and evaluation of
congestion control for multipath TCP", NSDI 2011.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

from analysis.models import check_paths, check_positive
from analysis.models.lia import tcp_window
from analysis.models.networks import SEGMENT_BYTES, Network, User

MBPS = 1e6
PACKETS_PER_S = SEGMENT_BYTES * 8
"""The capacity of one packet/s, bit/s."""
RTT_S = 0.1
"""The round-trip time of all paths in Figs 1 to 3, whose value does not matter."""


def shared_bottleneck(subflows: int, weight: float) -> float:
    """A multipath user's rate over a TCP's at one shared bottleneck (Fig. 1).

    subflows : n, at least 1
    weight : a of each subflow's increase a / w; 1 is uncoupled TCP

    The window of a subflow is sqrt(2 a / p), so the ratio is n sqrt(a).
    """
    check_positive("number of subflows", subflows)
    return subflows * sqrt(check_positive("weight", weight))


def even_split(capacity: float) -> float:
    """A flow's rate if it splits evenly over its two paths (Fig. 2; 12 gives 8).

    Each link carries the one-hop path of one flow and the two-hop paths of the other
    two.
    """
    return 2 * check_positive("capacity", capacity) / 3


def network_fig2(capacity_mbps: float = 12, transport: str = "") -> Network:
    """Three links in a ring; each flow has a path over one, and one over the other two
    (Fig. 2)."""
    names = ("1", "2", "3")
    paths = [((names[i],), (names[(i + 1) % 3], names[(i + 2) % 3])) for i in range(3)]
    users = [User(two, 1, (RTT_S, RTT_S), transport) for two in paths]
    return Network(
        dict.fromkeys(names, capacity_mbps * MBPS), dict(zip("ABC", users, strict=True))
    )


def network_fig3(transport: str = "") -> Network:
    """Links of 5, 12, 10 and 3 Mb/s in a row; each flow has two that are neighbours
    (Fig. 3)."""
    links = {"5": 5 * MBPS, "12": 12 * MBPS, "10": 10 * MBPS, "3": 3 * MBPS}
    names = tuple(links)
    users = {
        name: User(((names[i],), (names[i + 1],)), 1, (RTT_S, RTT_S), transport)
        for i, name in enumerate("ABC")
    }
    return Network(links, users)


def network_torus(
    capacity_c: float, capacity: float = 1000, rtt_s: float = 0.1, transport: str = ""
) -> Network:
    """Five links in a ring, five flows with two neighbouring links each (Fig. 7).

    capacity_c, capacity : of link C and of the others, packets/s
    """
    names = "ABCDE"
    links = {
        name: (capacity_c if name == "C" else capacity) * PACKETS_PER_S
        for name in names
    }
    users = {
        f"{name}{after}": User(((name,), (after,)), 1, (rtt_s, rtt_s), transport)
        for name, after in zip(names, names[1:] + names[0], strict=True)
    }
    return Network(links, users)


def network_fig14(
    capacities: Sequence[float], rtts_s: Sequence[float], transport: str = ""
) -> Network:
    """A multipath flow M beside a TCP on either of its two links (Fig. 14).

    capacities : of both links, packets/s
    rtts_s : round-trip time over both links, seconds; the simulations of sec. 5 give
        propagation delays, to which their queues add
    """
    if len(capacities) != 2 or len(rtts_s) != 2:
        raise ValueError("Fig. 14 has two links; give two capacities and two RTTs")
    links = {
        f"link{i}": capacity * PACKETS_PER_S for i, capacity in enumerate(capacities, 1)
    }
    return Network(
        links,
        {
            "M": User((("link1",), ("link2",)), 1, tuple(rtts_s), transport),
            "S1": User((("link1",),), 1, (rtts_s[0],), "tcp"),
            "S2": User((("link2",),), 1, (rtts_s[1],), "tcp"),
        },
    )


def aggressiveness(windows: Sequence[float], rtts_s: Sequence[float]) -> float:
    """a of the increase a / sum w that compensates for round-trip times (eq. 5).

    windows : at equilibrium, packets, shape (n,), above 0
    rtts_s : seconds, shape (n,)

    a = (sum w) max(w / rtt^2) / (sum w / rtt)^2
    """
    if not windows or len(windows) != len(rtts_s):
        raise ValueError(
            f"{len(windows)} windows and {len(rtts_s)} round-trip times; give one of"
            " each per path"
        )
    pairs = list(zip(windows, rtts_s, strict=True))
    rate = sum(w / rtt for w, rtt in pairs)
    return sum(windows) * max(w / rtt**2 for w, rtt in pairs) / rate**2


def shortfall(
    windows: Sequence[float], losses: Sequence[float], rtts_s: Sequence[float]
) -> float:
    """Shortfall of a user against TCP's rate on its best path (eq. 3), as a share of
    it.

    0 or less: the user has an incentive for multipath.
    """
    best, rates = _rates(windows, losses, rtts_s)
    return 1 - sum(rates) / max(best)


def excess(
    windows: Sequence[float], losses: Sequence[float], rtts_s: Sequence[float]
) -> float:
    """Excess of a user over one TCP on the worst set of paths (eq. 4).

    The largest (sum over S of its rates) / (TCP's rate on the best of S) - 1 of all
    sets S of paths. 0 or less: no bottleneck is harmed, whichever paths cross it.
    """
    best, rates = _rates(windows, losses, rtts_s)
    paths = range(len(rates))
    return max(
        sum(rates[i] for i in s) / max(best[i] for i in s) - 1
        for k in paths
        for s in combinations(paths, k + 1)
    )


def _rates(
    windows: Sequence[float], losses: Sequence[float], rtts_s: Sequence[float]
) -> tuple[list[float], list[float]]:
    """TCP's rate on each path, and the user's."""
    check_paths(losses, rtts_s, 1)
    if len(windows) != len(losses):
        raise ValueError(f"{len(windows)} windows for {len(losses)} paths")
    best = [tcp_window(p) / rtt for p, rtt in zip(losses, rtts_s, strict=True)]
    return best, [w / rtt for w, rtt in zip(windows, rtts_s, strict=True)]

"""Scenarios A, B and C of [olia]: fixed points of LIA, and the optimum with probing.

Arguments that mean the same in every function:

n1, n2 : numbers of users, at least 1
c1, c2, cx, ct : capacities in Mbit/s, above 0; c1 and c2 are per user, cx and ct are
    those of the whole links
rtt_s : round-trip time of all paths, seconds, above 0
segment_bytes : MSS, bytes, above 0

Rates are in Mbit/s per user. The fixed points of LIA depend on ratios only; loss
probabilities need the round-trip time and the size of a packet too.
"Optimum with probing cost" is the fairest use of the network in which every path
carries at least one segment per round-trip time ([olia] sec. III.A).

Errata: [olia] App. A prints type2's normalised rate as z C1; it is z C1 / C2, which
agrees for its C2 of 1 Mbit/s. The z of the fifth-order polynomial of App. B is the root
of p_X / p_T, while that of its quadratic is p_X / p_T itself. Sec. III.C prints that
all users of scenario C get (C1 + C2) / 2 where LIA is fair; that holds for n1 = n2.

[olia] Khalili et al., "MPTCP Is Not Pareto-Optimal", IEEE/ACM ToN 2013.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.models import check_positive, roots
from analysis.models.networks import SEGMENT_BYTES, Network, User

MBPS = 1e6


@dataclass(frozen=True)
class Rates:
    """Rates of the two kinds of users, Mbit/s per user.

    first : the users with several paths: type1 (A), Blue (B), multipath (C)
    second : the others: type2 (A), Red (B), single-path (C)
    first_paths, second_paths : the rate of each path, in the order of `network`
    """

    first_paths: tuple[float, ...]
    second_paths: tuple[float, ...]

    @property
    def first(self) -> float:
        return sum(self.first_paths)

    @property
    def second(self) -> float:
        return sum(self.second_paths)


def probing_mbps(rtt_s: float, segment_bytes: float = SEGMENT_BYTES) -> float:
    """The least rate of a path, one segment per round-trip time, Mbit/s."""
    check_positive("round-trip time", rtt_s)
    return check_positive("segment", segment_bytes) * 8 / rtt_s / MBPS


def loss(rate_mbps: float, rtt_s: float, segment_bytes: float = SEGMENT_BYTES) -> float:
    """The loss probability at which TCP has this rate: 2 / (rate rtt)^2."""
    check_positive("rate", rate_mbps)
    check_positive("round-trip time", rtt_s)
    packets_per_s = rate_mbps * MBPS / (8 * check_positive("segment", segment_bytes))
    return 2 / (packets_per_s * rtt_s) ** 2


def network_a(
    n1: int, n2: int, c1: float, c2: float, rtt_s: float, transport: str = "max"
) -> Network:
    """Scenario A ([olia] Fig. 1(a)): a server's link, and a shared access point."""
    _check(n1, n2, c1, c2)
    multi = (("server",), ("server", "shared"))
    return Network(
        {"server": n1 * c1 * MBPS, "shared": n2 * c2 * MBPS},
        {
            "type1": User(multi, n1, (rtt_s, rtt_s), transport),
            "type2": User((("shared",),), n2, (rtt_s,), "tcp"),
        },
    )


def network_b(
    n: int,
    cx: float,
    ct: float,
    rtt_s: float,
    multipath: bool = True,
    transport: str = "max",
) -> Network:
    """Scenario B ([olia] Fig. 16): n Blue and n Red users on the links X and T.

    multipath : whether Red users have their second path, which crosses both links.
        [olia] numbers Red's path over T alone y2, and the one over both y1
    """
    _check(n, n, cx, ct)
    red = (("T",), ("X", "T")) if multipath else (("T",),)
    kind = transport if multipath else "tcp"
    return Network(
        {"X": cx * MBPS, "T": ct * MBPS},
        {
            "blue": User((("X",), ("T",)), n, (rtt_s, rtt_s), transport),
            "red": User(red, n, (rtt_s,) * len(red), kind),
        },
    )


def network_c(
    n1: int, n2: int, c1: float, c2: float, rtt_s: float, transport: str = "max"
) -> Network:
    """Scenario C ([olia] Fig. 5(a)): two access points, one of them shared."""
    _check(n1, n2, c1, c2)
    return Network(
        {"AP1": n1 * c1 * MBPS, "AP2": n2 * c2 * MBPS},
        {
            "multi": User((("AP1",), ("AP2",)), n1, (rtt_s, rtt_s), transport),
            "single": User((("AP2",),), n2, (rtt_s,), "tcp"),
        },
    )


def lia_a(n1: int, n2: int, c1: float, c2: float) -> Rates:
    """Scenario A under LIA: z + z^2 / (1 + 2 z^2) n1 / n2 = c2 / c1 ([olia] eq. 10).

    z^2 is p1 / p2. Type1 gets c1 whatever happens, and type2 z c1.
    """
    _check(n1, n2, c1, c2)
    z = _root(lambda z: z + z * z / (1 + 2 * z * z) * n1 / n2 - c2 / c1)
    shared = c1 * z * z / (1 + 2 * z * z)
    return Rates((c1 - shared, shared), (z * c1,))


def probing_a(
    n1: int,
    n2: int,
    c1: float,
    c2: float,
    rtt_s: float,
    segment_bytes: float = SEGMENT_BYTES,
) -> Rates:
    """Scenario A at the optimum with probing cost ([olia] App. A.2).

    Raises ValueError if a path cannot carry one segment per round-trip time.
    """
    _check(n1, n2, c1, c2)
    least = probing_mbps(rtt_s, segment_bytes)
    left = c2 - n1 / n2 * least
    _check_probing(min(left, c1 - least), least)
    return Rates((c1 - least, least), (left,))


def lia_b(n: int, cx: float, ct: float) -> Rates:
    """Scenario B under LIA with multipath Red users ([olia] App. B.1).

    With r = ct / cx, p_X / p_T is the positive root of 2 z^2 + (5 - 2 r) z + 2 - 3 r if
    r > 9 / 5. Otherwise its root is that of z^5 + z^4 + (3 - r) z^3 + (2 - r) z^2
    + (2 - r) z - 2 r. The paths are blue over X and T, red over T and both.
    """
    _check(n, n, cx, ct)
    r = ct / cx
    if r > 9 / 5:
        ratio = _root(lambda z: 2 * z * z + (5 - 2 * r) * z + 2 - 3 * r)
        best = 1.0
    else:
        coefficients = (1, 1, 3 - r, 2 - r, 2 - r, -2 * r)
        ratio = _root(lambda z: float(np.polyval(coefficients, z))) ** 2
        best = ratio**-0.5
    # In units of a TCP's rate at p_T; red's rate is 1.
    blue_x, blue_t = best / (1 + ratio), best * ratio / (1 + ratio)
    both = 1 / (2 + ratio)
    unit = ct / n / (blue_t + 1)
    return Rates((blue_x * unit, blue_t * unit), ((1 - both) * unit, both * unit))


def lia_b_single(n: int, cx: float, ct: float) -> Rates:
    """Scenario B under LIA while Red users have one path: scenario C ([olia] III.B)."""
    return lia_c(n, n, cx / n, ct / n)


def probing_b(
    n: int,
    cx: float,
    ct: float,
    rtt_s: float,
    multipath: bool = True,
    segment_bytes: float = SEGMENT_BYTES,
) -> Rates:
    """Scenario B at the optimum with probing cost ([olia] eqs 11-14).

    multipath : whether Red users have their second path (eqs 13 and 14) or not (11
        and 12)

    Raises ValueError if a path cannot carry one segment per round-trip time.
    """
    _check(n, n, cx, ct)
    least = probing_mbps(rtt_s, segment_bytes)
    crossing = least if multipath else 0.0
    blue = max(cx / n + least - crossing, (cx + ct) / (2 * n) - crossing / 2)
    red = min(ct / n - least, (cx + ct) / (2 * n) - crossing / 2)
    blue_x = cx / n - crossing
    _check_probing(min(red - crossing, blue_x), least)
    if multipath:
        return Rates((blue_x, blue - blue_x), (red - least, least))
    return Rates((blue_x, blue - blue_x), (red,))


def lia_c(n1: int, n2: int, c1: float, c2: float) -> Rates:
    """Scenario C under LIA ([olia] sec. III.C).

    If c1 / c2 < 1 / (2 + n1 / n2), all users get the same. Otherwise z, the root of
    p1 / p2, solves z^3 + n1 / n2 z^2 + z = c2 / c1, and a multipath user takes c1 z^2
    of the shared access point.
    """
    _check(n1, n2, c1, c2)
    if c1 / c2 < 1 / (2 + n1 / n2):
        fair = (n1 * c1 + n2 * c2) / (n1 + n2)
        return Rates((c1, fair - c1), (fair,))
    z = _root(lambda z: z**3 + n1 / n2 * z * z + z - c2 / c1)
    return Rates((c1, c1 * z * z), (c2 - n1 / n2 * c1 * z * z,))


def probing_c(
    n1: int,
    n2: int,
    c1: float,
    c2: float,
    rtt_s: float,
    segment_bytes: float = SEGMENT_BYTES,
) -> Rates:
    """Scenario C at the optimum with probing cost (as [olia] App. B, case 1).

    Multipath users take what makes all users equal, and at least one segment per
    round-trip time, of the shared access point.

    Raises ValueError if a path cannot carry one segment per round-trip time.
    """
    _check(n1, n2, c1, c2)
    least = probing_mbps(rtt_s, segment_bytes)
    shared = max(least, (n1 * c1 + n2 * c2) / (n1 + n2) - c1)
    left = c2 - n1 / n2 * shared
    _check_probing(min(left, c1), least)
    return Rates((c1, shared), (left,))


def _root(function: Callable[[float], float]) -> float:
    """The positive root of a function that is below 0 at 0 and rises at last."""
    high = 1.0
    while function(high) < 0:
        high *= 2
    return roots.bracketed(function, 0.0, high, 1e-14, 1e-14)


def _check(n1: int, n2: int, *capacities: float) -> None:
    for number in (n1, n2):
        if number < 1 or number != int(number):
            raise ValueError(f"{number:g} users; give 1 or more")
    for capacity in capacities:
        check_positive("capacity", capacity)


def _check_probing(left: float, least: float) -> None:
    if left < least:
        raise ValueError(
            f"probing needs {least:g} Mbit/s on every path, and one has {left:g}; give"
            " more capacity, fewer users or a longer round-trip time"
        )

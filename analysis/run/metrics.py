"""The metrics, as pure functions of plain numbers.

Sources: [thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis
and Models", UCLouvain, 2017; [jain] Jain, Chiu, Hawe, "A Quantitative Measure of
Fairness and Discrimination", DEC TR-301, 1984.

A metric that is not defined for its arguments raises ValueError; it never
returns 0 or NaN in place of missing data.
"""

import math
from collections.abc import Sequence


def goodput_mbps(received_bytes: float, seconds: float) -> float:
    """Application bytes that the receiver read, over time, in 10^6 bit/s.

    received_bytes : >= 0
    seconds : > 0, the time in which they were read
    """
    if not seconds > 0:
        raise ValueError(f"goodput: {seconds} s is no time; it must be above 0")
    if received_bytes < 0:
        raise ValueError(f"goodput: {received_bytes} bytes; must be at least 0")
    return received_bytes * 8 / seconds / 1e6


def aggregation_benefit(goodput: float, capacities: Sequence[float]) -> float:
    """How far MPTCP fills the paths' capacities: A_B of [thesis], sec. 2.1.3.

    goodput : g, of the MPTCP connection, >= 0
    capacities : C_i of all n >= 2 paths, > 0, in the unit of `goodput`

        A_B = (g - C_max) / (sum C_i - C_max)    if g >= C_max
        A_B = (g - C_max) / C_max                if g <  C_max

    1: all capacity used; 0: as much as the largest path's capacity; -1: nothing.
    With capacities in bits of the link layer, as the thesis has it, headers keep
    A_B below 1, and the more so the more the paths differ.
    """
    values = _checked("capacity", capacities, minimum=2, positive=True)
    return _benefit(_not_negative("goodput", goodput), values)


def experimental_aggregation_benefit(
    goodput: float, single_path_goodputs: Sequence[float]
) -> float:
    """MPTCP against TCP on each path by itself: E_AB of [thesis], sec. 3.2.

    goodput : B, of the MPTCP connection, >= 0
    single_path_goodputs : B_i, of TCP on path i by itself, all n >= 2 paths, in the
        same network, >= 0 and not all 0

        E_AB = B / S                     if B >= S
        E_AB = (B - B_max) / (S - B_max) if S > B >= B_max
        E_AB = (B - B_max) / B_max       if B < B_max

    with S the sum and B_max the largest of the B_i. For two paths S - B_max is the
    smaller of the two, and this is the thesis's formula; for n paths it takes the
    denominator that A_B has. Erratum: the thesis's cases leave B = B_max out; it
    is 0 from either side.
    1 : as good as TCP on all paths together (it can be more); 0 : as TCP on the
    best path; -1 : nothing.
    """
    values = _checked("single-path goodput", single_path_goodputs, minimum=2)
    goodput = _not_negative("goodput", goodput)
    total = math.fsum(values)
    if total == 0:
        raise ValueError("E_AB: TCP moved nothing on any path; needs one goodput > 0")
    if goodput >= total:
        return goodput / total
    return _benefit(goodput, values)


def jain(rates: Sequence[float]) -> float:
    """Jain's fairness index, (sum x)^2 / (n sum x^2) [jain], in [1/n, 1].

    rates : shape (n,), n >= 1, >= 0, not all 0
    """
    values = _checked("rate", rates, minimum=1)
    largest = max(values)
    if largest == 0:
        raise ValueError("Jain's index: all rates are 0; needs one above 0")
    scaled = [value / largest for value in values]
    squares = math.fsum(value * value for value in scaled)
    return math.fsum(scaled) ** 2 / (len(scaled) * squares)


def utilisation(goodput: float, capacities: Sequence[float]) -> float:
    """Goodput over the summed capacity of the paths that the transport may use.

    goodput, capacities : same unit; capacities > 0, at least one
    Below 1 even on a full link: headers are no goodput.
    """
    values = _checked("capacity", capacities, minimum=1, positive=True)
    return _not_negative("goodput", goodput) / math.fsum(values)


def retransmission_ratio(retransmitted: float, sent: float) -> float:
    """Retransmitted segments for each segment sent for the first time.

    [thesis], sec. 3.3.1, divides by the packets "successfully transmitted", which
    are the segments sent for the first time once all are through.
    """
    if not sent > 0:
        raise ValueError("retransmission ratio: nothing was sent; needs > 0 segments")
    return _not_negative("retransmitted segments", retransmitted) / sent


def request_balance(first: float, second: float) -> float:
    """Requests a second of one transport against another's: R_N of [thesis], App. C.

    (N_1 - N_2) / (N_1 + N_2), in [-1, 1]: above 0 where the first answers more.
    first, second : >= 0, not both 0
    """
    one, other = _checked("requests", [first, second], minimum=2)
    if one + other == 0:
        raise ValueError("R_N: no request of either was answered")
    return (one - other) / (one + other)


def shares(amounts: Sequence[float]) -> tuple[float, ...]:
    """Each amount over their sum: the traffic split over the paths.

    amounts : shape (n,), n >= 1, >= 0, not all 0; returns shape (n,), sum 1
    """
    values = _checked("amount", amounts, minimum=1)
    total = math.fsum(values)
    if total == 0:
        raise ValueError("traffic split: no path carried anything; needs > 0 bytes")
    return tuple(value / total for value in values)


def first_path_share(amounts: Sequence[float]) -> float:
    """Transmission ratio on the first path, in [0, 1] ([thesis], sec. 3.3.1): what the
    path of the initial subflow carried over all.

    amounts : bytes (or packets) of each path, the first path first; not all 0
    """
    return shares(amounts)[0]


def factor_difference(first: float, second: float) -> float:
    """delta_factor of [thesis], sec. 3.2: path 1 less path 2, in the factor's unit.

    Its absolute value is the factor absolute difference.
    """
    for value in (first, second):
        if not math.isfinite(value):
            raise ValueError(f"factor difference: {value} given; must be finite")
    return first - second


def first_path_quality(single_path_throughputs: Sequence[float]) -> str:
    """`best`, `worst` or `between`: the first path's rank ([thesis], sec. 3.2) by the
    throughput of TCP on each path by itself.

    single_path_throughputs : of path 1, 2, ...; n >= 2, >= 0
    Raises ValueError if all are alike: no path is best then.
    """
    values = _checked("throughput", single_path_throughputs, minimum=2)
    best, worst = max(values), min(values)
    if best == worst:
        raise ValueError("first path quality: all paths are alike; none is best")
    return {best: "best", worst: "worst"}.get(values[0], "between")


def mean_loss_probability(losses: Sequence[float], split: Sequence[float]) -> float:
    """The loss probability that a connection meets ([thesis], sec. 5.2.2).

    losses : of each path, in [0, 1]; split : what share each carried, sum 1
    Each path's loss weighted with its share: of 0 and 1 % at 70 and 30 %, 0.3 %.
    """
    chances = _checked("loss probability", losses, minimum=1)
    parts = _checked("share", split, minimum=1)
    if len(chances) != len(parts) or max(chances) > 1:
        raise ValueError("mean loss: needs a loss in [0, 1] and a share of each path")
    if not math.isclose(math.fsum(parts), 1, abs_tol=1e-6):
        raise ValueError(f"mean loss: the shares add up to {math.fsum(parts)}, not 1")
    return math.fsum(p * s for p, s in zip(chances, parts, strict=True))


def less_lossy_path(single_path_ratios: Sequence[float]) -> int:
    """The less lossy path, from 1 ([thesis], sec. 5.2.2): the one with the lowest
    retransmission ratio of TCP New Reno on each path by itself.

    single_path_ratios : of path 1, 2, ...; n >= 2, >= 0
    Raises ValueError if the lowest is not one path's alone.
    """
    values = _checked("retransmission ratio", single_path_ratios, minimum=2)
    if values.count(min(values)) > 1:
        raise ValueError("less lossy path: several paths have the lowest ratio")
    return values.index(min(values)) + 1


def _benefit(rate: float, parts: Sequence[float]) -> float:
    best = max(parts)
    if rate < best:
        return (rate - best) / best
    if rate == best:
        return 0.0
    return (rate - best) / (math.fsum(parts) - best)


def _checked(
    what: str, values: Sequence[float], minimum: int, positive: bool = False
) -> list[float]:
    numbers = [float(value) for value in values]
    if len(numbers) < minimum:
        raise ValueError(f"{what}: {len(numbers)} given; needs at least {minimum}")
    bound = "above 0" if positive else "at least 0"
    for number in numbers:
        if not math.isfinite(number) or number < 0 or (positive and number == 0):
            raise ValueError(f"{what}: {number} given; must be finite and {bound}")
    return numbers


def _not_negative(what: str, value: float) -> float:
    return _checked(what, [value], minimum=1)[0]

"""The metrics, as pure functions of plain numbers.

Sources: [thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis
and Models", UCLouvain, 2017; [jain] Jain, Chiu, Hawe, "A Quantitative Measure of
Fairness and Discrimination", DEC TR-301, 1984.

A function raises ValueError if the metric is not defined for its arguments, or if an
argument is negative or not finite. It never returns 0 or NaN for missing data.
"""

import math
from collections.abc import Sequence


def goodput_mbps(received_bytes: float, seconds: float) -> float:
    """Goodput: the bytes that the receiving program read, over time, in 10^6 bit/s.

    received_bytes : >= 0
    seconds : the time in which they were read, > 0
    """
    if not seconds > 0:
        raise ValueError(f"goodput: a duration of {seconds} s; must be above 0")
    if received_bytes < 0:
        raise ValueError(f"goodput: {received_bytes} bytes; must be at least 0")
    return received_bytes * 8 / seconds / 1e6


def aggregation_benefit(goodput: float, capacities: Sequence[float]) -> float:
    """A_B: how far MPTCP uses the capacity of its paths ([thesis], sec. 2.1.3).

    goodput : g of the MPTCP connection, >= 0
    capacities : C_i of all n >= 2 paths, > 0, in the unit of `goodput`

        A_B = (g - C_max) / (sum C_i - C_max)    if g >= C_max
        A_B = (g - C_max) / C_max                if g <  C_max

    A_B is 1 if the goodput is the sum of the capacities, 0 if it is the largest
    capacity, and -1 if it is 0. [thesis] counts capacity in bits of the link layer, so
    headers keep A_B below 1. The more the capacities differ, the lower is the limit.
    """
    values = _checked("capacity", capacities, minimum=2, positive=True)
    return _benefit(_not_negative("goodput", goodput), values)


def experimental_aggregation_benefit(
    goodput: float, single_path_goodputs: Sequence[float]
) -> float:
    """E_AB: MPTCP against TCP on each path ([thesis], sec. 3.2).

    goodput : B of the MPTCP connection, >= 0
    single_path_goodputs : B_i of TCP on path i of the same network, without other
        traffic, for all n >= 2 paths; >= 0 and not all 0; in the unit of `goodput`

        E_AB = B / S                     if B >= S
        E_AB = (B - B_max) / (S - B_max) if S > B >= B_max
        E_AB = (B - B_max) / B_max       if B < B_max

    where S is the sum and B_max the maximum of the B_i. E_AB is 1 if MPTCP is as fast
    as TCP on all paths together, and can exceed 1. It is 0 if MPTCP is as fast as TCP
    on the best path, and -1 if the goodput is 0.

    [thesis] defines E_AB for two paths, for which S - B_max is the smaller of the B_i.
    For n paths this function takes the denominator of A_B. Erratum: the cases in
    [thesis] leave out B = B_max, where both neighbouring cases give 0.
    """
    values = _checked("single-path goodput", single_path_goodputs, minimum=2)
    goodput = _not_negative("goodput", goodput)
    total = math.fsum(values)
    if total == 0:
        raise ValueError("E_AB: all goodputs of TCP are 0; needs one above 0")
    if goodput >= total:
        return goodput / total
    return _benefit(goodput, values)


def jain(rates: Sequence[float]) -> float:
    """Jain's fairness index, (sum x)^2 / (n sum x^2) [jain].

    rates : shape (n,), n >= 1, in any unit, >= 0 and not all 0

    Returns a value in [1/n, 1]: 1 if all rates are equal, 1/n if one has everything.
    """
    values = _checked("rate", rates, minimum=1)
    largest = max(values)
    if largest == 0:
        raise ValueError("Jain's index: all rates are 0; needs one above 0")
    scaled = [value / largest for value in values]
    squares = math.fsum(value * value for value in scaled)
    return math.fsum(scaled) ** 2 / (len(scaled) * squares)


def utilisation(goodput: float, capacities: Sequence[float]) -> float:
    """Goodput over the summed capacity of the links that the transport can use.

    goodput : >= 0
    capacities : of at least one link, > 0, in the unit of `goodput`

    Utilisation is below 1 even on a full link, because headers are not goodput.
    """
    values = _checked("capacity", capacities, minimum=1, positive=True)
    return _not_negative("goodput", goodput) / math.fsum(values)


def retransmission_ratio(retransmitted: float, sent: float) -> float:
    """Retransmitted segments over segments sent for the first time.

    retransmitted : >= 0
    sent : > 0

    [thesis], sec. 3.3.1, divides by the packets "successfully transmitted". When all
    data have arrived, these are the segments sent for the first time.
    """
    if not sent > 0:
        raise ValueError("retransmission ratio: nothing was sent; needs > 0 segments")
    return _not_negative("retransmitted segments", retransmitted) / sent


def request_balance(first: float, second: float) -> float:
    """R_N: requests over one transport against another ([thesis], App. C).

    first, second : N_1 and N_2, requests per second, >= 0 and not both 0

        R_N = (N_1 - N_2) / (N_1 + N_2)

    It is in [-1, 1], and above 0 if the first transport is faster.
    """
    n_1, n_2 = _checked("requests", [first, second], minimum=2)
    if n_1 + n_2 == 0:
        raise ValueError("R_N: both rates of requests are 0; needs one above 0")
    return (n_1 - n_2) / (n_1 + n_2)


def shares(amounts: Sequence[float]) -> tuple[float, ...]:
    """The share of each amount in their sum, such as the traffic split over paths.

    amounts : shape (n,), n >= 1, in any unit, >= 0 and not all 0

    Returns n values whose sum is 1.
    """
    values = _checked("amount", amounts, minimum=1)
    total = math.fsum(values)
    if total == 0:
        raise ValueError("traffic split: all amounts are 0; needs one above 0")
    return tuple(value / total for value in values)


def first_path_quality(single_path_throughputs: Sequence[float]) -> str:
    """The rank of the first path: `best`, `worst` or `between` ([thesis], sec. 3.2).

    single_path_throughputs : throughput of TCP on each path without other traffic,
        beginning with path 1; n >= 2 values, >= 0, in any unit

    Raises ValueError if all are equal, because no path is the best one then.
    """
    values = _checked("throughput", single_path_throughputs, minimum=2)
    best, worst = max(values), min(values)
    if best == worst:
        raise ValueError("first path quality: all values are alike; none is the best")
    return {best: "best", worst: "worst"}.get(values[0], "between")


def mean_loss_probability(losses: Sequence[float], split: Sequence[float]) -> float:
    """The mean loss probability of a connection's packets ([thesis], sec. 5.2.2).

    losses : loss probability of each path, in [0, 1]
    split : share of the traffic that each path carried; their sum is 1

    Each path has the weight of its share. For example, losses of 0 and 1 % and shares
    of 70 and 30 % give 0.3 %.
    """
    probabilities = _checked("loss probability", losses, minimum=1)
    weights = _checked("share", split, minimum=1)
    if len(probabilities) != len(weights) or max(probabilities) > 1:
        raise ValueError("mean loss: needs a loss in [0, 1] and a share of each path")
    total = math.fsum(weights)
    if not math.isclose(total, 1, abs_tol=1e-6):
        raise ValueError(f"mean loss: the shares add up to {total}, not 1")
    return math.fsum(p * w for p, w in zip(probabilities, weights, strict=True))


def less_lossy_path(single_path_ratios: Sequence[float]) -> int:
    """The number, from 1, of the less lossy path ([thesis], sec. 5.2.2).

    single_path_ratios : retransmission ratio of TCP New Reno on each path without
        other traffic, beginning with path 1; n >= 2 values, >= 0

    Returns the path with the lowest ratio. Raises ValueError if several have it.
    """
    values = _checked("retransmission ratio", single_path_ratios, minimum=2)
    if values.count(min(values)) > 1:
        raise ValueError("less lossy path: several paths have the lowest ratio")
    return values.index(min(values)) + 1


def _benefit(rate: float, parts: Sequence[float]) -> float:
    """The formula of A_B, which E_AB shares for rates below the sum of the parts."""
    best = max(parts)
    if rate < best:
        return (rate - best) / best
    if rate == best:
        return 0.0
    return (rate - best) / (math.fsum(parts) - best)


def _checked(
    name: str, values: Sequence[float], minimum: int, positive: bool = False
) -> list[float]:
    """The values as a list of floats, if there are enough and all are in range.

    name : what a value is, for error messages
    minimum : the least number of values
    positive : True if 0 is out of range too

    Raises ValueError otherwise.
    """
    numbers = [float(value) for value in values]
    if len(numbers) < minimum:
        raise ValueError(f"{name}: {len(numbers)} given; needs at least {minimum}")
    bound = "above 0" if positive else "at least 0"
    for number in numbers:
        if not math.isfinite(number) or number < 0 or (positive and number == 0):
            raise ValueError(f"{name}: {number} given; must be finite and {bound}")
    return numbers


def _not_negative(name: str, value: float) -> float:
    return _checked(name, [value], minimum=1)[0]

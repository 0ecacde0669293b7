"""The papers' equations, straight, in double precision.

Written from the papers' text alone, with their own names and in their own order, so
that it shares nothing with the kernel's fixed-point arithmetic that it checks.

w : shape (n,), windows, segments, positive; the asking subflow is number r
rtt : shape (n,), any one unit of time, positive
ell : shape (n,), bytes between losses, whole numbers

Increases are segments for one segment acknowledged.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Windows = Sequence[int]
Times = Sequence[int]


def rate_sum(w: Windows, rtt: Times) -> float:
    return sum(w_p / rtt_p for w_p, rtt_p in zip(w, rtt, strict=True))


def rfc6356_alpha(w: Windows, rtt: Times) -> float:
    """RFC 6356, section 3, equation (2)."""
    best = max(w_p / rtt_p**2 for w_p, rtt_p in zip(w, rtt, strict=True))
    return sum(w) * best / rate_sum(w, rtt) ** 2


def rfc6356(w: Windows, rtt: Times, r: int = 0) -> float:
    """RFC 6356, equation (1); Peng et al. (ToN 2016), II-B, Max."""
    return min(rfc6356_alpha(w, rtt) / sum(w), 1 / w[r])


def nsdi11(w: Windows, rtt: Times, r: int = 0) -> float:
    """nsdi11, section 2, equation (1): the minimum over every subset with r."""
    others = [p for p in range(len(w)) if p != r]
    return min(
        max(w[p] / rtt[p] ** 2 for p in (r, *some))
        / sum(w[p] / rtt[p] for p in (r, *some)) ** 2
        for size in range(len(w))
        for some in combinations(others, size)
    )


def olia_alpha(w: Windows, rtt: Times, ell: Sequence[int], r: int = 0) -> float:
    """Khalili et al. (ToN 2013), equations (3), (4) and (6)."""
    paths = range(len(w))
    quality = [Fraction(ell[p], rtt[p] ** 2) for p in paths]
    best = {p for p in paths if quality[p] == max(quality)}
    largest = {p for p in paths if w[p] == max(w)}
    if r in best - largest:
        return 1 / len(w) / len(best - largest)
    if r in largest and best - largest:
        return -1 / len(w) / len(largest)
    return 0.0


def kelly(w: Windows, rtt: Times, r: int = 0) -> float:
    """The first term of OLIA's (5); Peng et al. II-B, Coupled."""
    return w[r] / rtt[r] ** 2 / rate_sum(w, rtt) ** 2


def olia(w: Windows, rtt: Times, ell: Sequence[int], r: int = 0) -> float:
    """Khalili et al., equation (5)."""
    return kelly(w, rtt, r) + olia_alpha(w, rtt, ell, r) / w[r]


def balia_alpha(w: Windows, rtt: Times, r: int = 0) -> float:
    x = [w_p / rtt_p for w_p, rtt_p in zip(w, rtt, strict=True)]
    return max(x) / x[r]


def balia(w: Windows, rtt: Times, r: int = 0) -> float:
    """Peng et al., section I; as thesis, Table 2.1, prints it."""
    alpha = balia_alpha(w, rtt, r)
    return kelly(w, rtt, r) * (1 + alpha) / 2 * (4 + alpha) / 5


def balia_keep(w: Windows, rtt: Times, r: int = 0) -> float:
    """Share of the window that is left after a loss."""
    return w[r] - w[r] / 2 * min(balia_alpha(w, rtt, r), 1.5)


def lia_of_v091(w: Windows, rtt: Times, joined: Sequence[int], r: int = 0) -> Fraction:
    """LIA's growth in MPTCP v0.91, where quotients are cut to whole numbers.

    rtt : eighths of a microsecond, whole numbers
    joined : the order in which the subflows joined; of two paths that look equally
        good the one that joined first counts as the best
    """
    quotients = [w_p * 2**32 // rtt_p**2 for w_p, rtt_p in zip(w, rtt, strict=True)]
    paths = range(len(w))
    best = max(paths, key=lambda p: (quotients[p], -joined[p]))
    total = sum(w[p] * 2**10 * rtt[best] // rtt[p] for p in paths)
    alpha = max(w[best] * 2**32 // total**2, 1)
    return Fraction(1, max(2**12 // alpha, w[r]) + 1)


def balia_keep_of_v091(w: Windows, rtt: Times, r: int = 0) -> int:
    """Share of the window that is left after a loss in MPTCP v0.91."""
    rates = [Fraction(w_p, rtt_p) for w_p, rtt_p in zip(w, rtt, strict=True)]
    whole = int(max(rates) / rates[r])
    decrease = int(Fraction(w[r] // 2) * min(Fraction(whole), Fraction(3, 2)))
    return w[r] - decrease


def dlia_losses(windows: Windows, gain: Fraction) -> list[tuple[Fraction, int]]:
    """Beta and the window that remains after each loss event, at least 2 segments; the
    authors' released code, in fractions.
    """
    beta, remained = Fraction(1, 2), 2
    events = []
    for w in windows:
        gamma = min(Fraction(remained, w), Fraction(1))
        beta = gain * gamma + (1 - gain) * beta
        beta = min(max(beta, Fraction(1, 2)), Fraction(9, 10))
        remained = max(int(beta * w), 2)
        events.append((beta, remained))
    return events


def ewtcp(w: Windows, a: float | None = None, r: int = 0) -> float:
    """nsdi11, 2.1; a = 1 / sqrt(n) if not given."""
    return (1 / math.sqrt(len(w)) if a is None else a) / w[r]


def semicoupled(w: Windows, a: float = 1.0) -> float:
    """nsdi11, 2.4."""
    return a / sum(w)


def semicoupled_balia(w: Windows, rtt: Times, r: int = 0) -> float:
    """Peng et al., II-B."""
    return 1 / (rtt[r] * rate_sum(w, rtt))


def coupled(w: Windows) -> float:
    """nsdi11, 2.2."""
    return 1 / sum(w)


def coupled_keep(w: Windows, r: int = 0) -> float:
    """nsdi11, 2.2: the window less half the total; bounded at 0 here."""
    return max(w[r] - sum(w) / 2, 0.0)


def wvegas_diff(w: int, base_rtt: float, rtt: float) -> float:
    """Expected less actual rate, times the least round-trip time; segments."""
    return (w / base_rtt - w / rtt) * base_rtt


def wvegas_alpha(w: Windows, rtt: Times, total_alpha: float, r: int = 0) -> float:
    return total_alpha * (w[r] / rtt[r]) / rate_sum(w, rtt)


def wvegas_slow_start_of_v091(w: int, ssthresh: int, acked: int) -> int:
    """The window after slow start in Linux 4.1, one segment at a time."""
    for _ in range(acked):
        if w <= ssthresh:
            w += 1
    return w


def wvegas_drained(w: int, base_rtt: float, rtt: float) -> float:
    """Thesis 2.1.2: the window after a drain."""
    return 0.5 * w * base_rtt / rtt


def cmpbbr_alike(bandwidths: Sequence[int], similarity: Fraction) -> int:
    """The number of subflows whose bandwidth is near the first one's, as the authors'
    released code bounds it: within both limits, and not 0.
    """
    own = bandwidths[0]
    low, high = own - own * similarity, own + own * similarity
    return sum(1 for bw in bandwidths if bw and low <= bw <= high)


def cmpbbr_divisor(alike: int, before: int) -> int:
    """Their number that counts in this cycle."""
    if alike > 1 and before > 1:
        return alike
    if alike == 1 and before > 1:
        return before
    return 1


def cmpbbr_fruitless(
    bandwidths: Sequence[int], delivery: int, benefit: Fraction
) -> tuple[bool, bool]:
    """Whether a check finds no benefit, and whether the first one is the slowest."""
    there = [bw for bw in bandwidths if bw]
    fruitless = delivery < max(there) * benefit and min(there) < max(there)
    slowest = len(there) > 1 and sorted(there)[1] > bandwidths[0]
    return fruitless, slowest

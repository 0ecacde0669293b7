"""Windows of LIA at its fixed point: rate of increase equals rate of decrease.

[thesis] Chauvenne and Libioulle, 2017, secs 2.2.2 and 6.1; [olia] Khalili et al.,
"MPTCP is not Pareto-Optimal", 2013, eq. 2; [nsdi11] Wischik et al., 2011, sec. 2.5.

All take 1 - p for 1, as the sources do.
"""

from collections.abc import Sequence
from math import exp, log, sqrt

from scipy.optimize import brentq

from analysis.models import check_paths


def tcp_window(loss: float, packets_per_ack: float = 1) -> float:
    """sqrt(2 / (b p)) packets, that TCP has by the same balance ([nsdi11] 2.3)."""
    return sqrt(2 / (packets_per_ack * loss))


def best_path(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> int:
    """Index of the path on which TCP would be fastest; of equals, the first."""
    check_paths(losses, rtts_s, packets_per_ack)
    rates = [
        tcp_window(loss, packets_per_ack) / rtt_s
        for loss, rtt_s in zip(losses, rtts_s, strict=True)
    ]
    return rates.index(max(rates))


def windows(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> tuple[float, ...]:
    """E[W_i] of n paths: [thesis] eq. 6.6, which with b = 1 is [olia] eq. 2.

    W_i = (1 / p_i) max_k(sqrt(2 / (b p_k)) / RTT_k) / sum_k(1 / (p_k RTT_k))

    Without the bound of 1 / W_i on LIA's increase ([thesis] hypothesis 1, similar
    round-trip times): p_i W_i is the same on all paths (eq. 6.4), and the rates add
    up to what TCP has on the best one (eq. 6.3). The thesis proves two paths, and
    supposes n.
    """
    best = best_path(losses, rtts_s, packets_per_ack)
    rate = tcp_window(losses[best], packets_per_ack) / rtts_s[best]
    weights = sum(1 / (p * rtt) for p, rtt in zip(losses, rtts_s, strict=True))
    return tuple(rate / weights / p for p in losses)


def bounded_windows(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> tuple[float, ...]:
    """The fixed point with the bound, for round-trip times that differ.

    An acknowledgement adds min(A, 1 / W_i), A = max_k(W_k / RTT_k^2) /
    (sum_k W_k / RTT_k)^2, and a loss takes W_i / 2, so

        W_i = min(2 A / (b p_i), sqrt(2 / (b p_i)))

    No window is above TCP's. Where the bound is nowhere met, this is `windows`. In
    A, the right side of its definition grows slower than A, so that there is one
    solution; it is found to 12 digits.
    """
    check_paths(losses, rtts_s, packets_per_ack)
    alone = [tcp_window(p, packets_per_ack) for p in losses]

    def at(logarithm: float) -> list[float]:
        # In the logarithm, as round-trip times span orders of magnitude.
        return [min(w * w * exp(logarithm), w) for w in alone]

    def excess(logarithm: float) -> float:
        here = at(logarithm)
        top = max(w / rtt**2 for w, rtt in zip(here, rtts_s, strict=True))
        rate = sum(w / rtt for w, rtt in zip(here, rtts_s, strict=True))
        return log(top / rate**2) - logarithm

    low = high = -log(max(alone))
    while excess(low) < 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    return tuple(at(brentq(excess, low, high, xtol=1e-13)))

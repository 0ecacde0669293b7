"""Windows of LIA at its fixed point, where increase and decrease balance.

[thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and Models",
UCLouvain, 2017, secs 2.2.2 and 6.1; [olia] Khalili et al., "MPTCP Is Not
Pareto-Optimal", IEEE/ACM ToN 2013, eq. 2; [nsdi11] Wischik et al., "Design,
Implementation and Evaluation of Congestion Control for Multipath TCP", NSDI 2011,
sec. 2.5.

Arguments are those of `analysis.models`, with one loss and one round-trip time per
path. Like the sources, all functions approximate 1 - p by 1.
"""

from collections.abc import Sequence
from math import exp, log, sqrt

from analysis.models import check_paths, roots


def tcp_window(loss: float, packets_per_ack: float = 1) -> float:
    """TCP's window by the same balance: sqrt(2 / (b p)) packets ([nsdi11] sec. 2.3)."""
    return sqrt(2 / (packets_per_ack * loss))


def best_path(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> int:
    """Index, from 0, of the path on which TCP is fastest; among equals, the first.

    losses, rtts_s : shape (n,), n >= 1
    """
    check_paths(losses, rtts_s, packets_per_ack)
    rates = [
        tcp_window(loss, packets_per_ack) / rtt_s
        for loss, rtt_s in zip(losses, rtts_s, strict=True)
    ]
    return rates.index(max(rates))


def windows(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> tuple[float, ...]:
    """E[W_i], the mean window of each path in packets ([thesis] eq. 6.6).

        W_i = (1 / p_i) max_k(sqrt(2 / (b p_k)) / RTT_k) / sum_k(1 / (p_k RTT_k))

    losses, rtts_s : shape (n,), n >= 1

    Returns n windows. With b = 1 this is [olia] eq. 2. It leaves out the bound of
    1 / W_i on LIA's increase, which does not matter for similar round-trip times
    ([thesis] hypothesis 1). Then p_i W_i is the same on all paths (eq. 6.4), and the
    sum of the rates is TCP's rate on the best path (eq. 6.3). [thesis] proves this
    for two paths and assumes it for n.
    """
    best = best_path(losses, rtts_s, packets_per_ack)
    total_rate = tcp_window(losses[best], packets_per_ack) / rtts_s[best]
    weight = sum(1 / (p * rtt) for p, rtt in zip(losses, rtts_s, strict=True))
    return tuple(total_rate / weight / p for p in losses)


def bounded_windows(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float = 1
) -> tuple[float, ...]:
    """The window of each path in packets, with the bound on LIA's increase.

    losses, rtts_s : shape (n,), n >= 1

    Returns n windows. An acknowledgement adds min(A, 1 / W_i) to the window, where
    A = max_k(W_k / RTT_k^2) / (sum_k W_k / RTT_k)^2, and a loss subtracts W_i / 2.
    At the fixed point both balance:

        W_i = min(2 A / (b p_i), sqrt(2 / (b p_i)))

    So no window is above TCP's, and where no window reaches TCP's, this is `windows`.
    With these windows the definition of A grows slower than A itself, so there is
    exactly one solution. The function finds it to 12 digits.
    """
    check_paths(losses, rtts_s, packets_per_ack)
    return bounded([tcp_window(p, packets_per_ack) for p in losses], rtts_s)


def bounded(tcp_windows: Sequence[float], rtts_s: Sequence[float]) -> tuple[float, ...]:
    """As `bounded_windows`, from TCP's window on each path.

    tcp_windows : packets, shape (n,), n >= 1, above 0
    rtts_s : seconds, shape (n,), above 0
    """

    # The search is over log A, because round-trip times span orders of magnitude.
    def windows_at(log_a: float) -> list[float]:
        return [min(w * w * exp(log_a), w) for w in tcp_windows]

    def excess(log_a: float) -> float:
        pairs = list(zip(windows_at(log_a), rtts_s, strict=True))
        largest = max(w / rtt**2 for w, rtt in pairs)
        rate = sum(w / rtt for w, rtt in pairs)
        return log(largest / rate**2) - log_a

    low = high = -log(max(tcp_windows))
    while excess(low) < 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    return tuple(windows_at(roots.bracketed(excess, low, high, 1e-13)))

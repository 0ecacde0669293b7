"""Throughput of TCP Reno under random loss.

[padhye] Padhye, Firoiu, Towsley, Kurose, "Modeling TCP Throughput: A Simple Model
and its Empirical Validation", SIGCOMM 1998; [thesis] Chauvenne and Libioulle, 2017,
sec. 2.2.1.
"""

from math import inf, sqrt

from analysis.models import check_loss, check_positive

TRIPLE = 3
"""Duplicate acknowledgements that make a loss known without a timeout."""


def square_root(loss: float, rtt_s: float, packets_per_ack: float = 1) -> float:
    """Without timeouts, for small loss: [padhye] eq. 20, [thesis] end of 2.2.1.

    sqrt(3 / (2 b p)) / RTT, in packets a second.
    """
    _check(loss, rtt_s, packets_per_ack)
    return sqrt(3 / (2 * packets_per_ack * loss)) / rtt_s


def window(loss: float, packets_per_ack: float = 1) -> float:
    """E[W], mean window when a loss is noticed, in packets: [padhye] eq. 13.

    Its leading term is the [thesis]'s sqrt(8 / (3 b p)).
    """
    p, b = check_loss(loss), packets_per_ack
    shift = (2 + b) / (3 * b)
    return shift + sqrt(8 * (1 - p) / (3 * b * p) + shift * shift)


def without_timeouts(loss: float, rtt_s: float, packets_per_ack: float = 1) -> float:
    """All losses told by triple duplicates: [padhye] eqs 14, 17-19.

    ((1 - p)/p + E[W]) / (RTT (E[X] + 1)) packets a second, with b E[W] / 2 rounds
    E[X] (eq. 11; eq. 14 is the same number).
    """
    _check(loss, rtt_s, packets_per_ack)
    mean = window(loss, packets_per_ack)
    rounds = packets_per_ack * mean / 2
    return ((1 - loss) / loss + mean) / (rtt_s * (rounds + 1))


def with_timeouts(
    loss: float,
    rtt_s: float,
    timeout_s: float,
    packets_per_ack: float = 1,
    window_limit: float = inf,
) -> float:
    """The full model: [padhye] eq. 32, packets a second.

    timeout_s : T0, the first retransmission timeout; it doubles six times at most
    window_limit : W_m, the receiver's window in packets
    """
    _check(loss, rtt_s, packets_per_ack)
    check_positive("timeout", timeout_s)
    if window_limit < 1:
        raise ValueError(f"a window of {window_limit:g} packets; at least 1")
    p, b = loss, packets_per_ack
    mean = window(p, b)
    if mean < window_limit:
        rounds = b * mean / 2 + 1
    else:
        mean = window_limit
        rounds = b * mean / 8 + (1 - p) / (p * mean) + 2
    timeouts = timeout_probability(p, mean)
    sent = (1 - p) / p + mean + timeouts / (1 - p)
    return sent / (rtt_s * rounds + timeouts * timeout_s * _backoff(p) / (1 - p))


def approximation(
    loss: float,
    rtt_s: float,
    timeout_s: float,
    packets_per_ack: float = 1,
    window_limit: float = inf,
) -> float:
    """The full model's short form, the equation of TFRC too: [padhye] eq. 33.

    RFC 5348, 3.1, leaves the minimum out.
    """
    _check(loss, rtt_s, packets_per_ack)
    check_positive("timeout", timeout_s)
    p, b = loss, packets_per_ack
    often = min(1.0, 3 * sqrt(3 * b * p / 8))
    waits = timeout_s * often * p * (1 + 32 * p * p)
    return min(window_limit / rtt_s, 1 / (rtt_s * sqrt(2 * b * p / 3) + waits))


def timeout_probability(loss: float, mean_window: float) -> float:
    """Q(w), that a loss in a window of w packets ends in a timeout: [padhye] eq. 24."""
    p, w = check_loss(loss), mean_window
    if w <= TRIPLE:
        return 1.0
    through = 1 - p
    some = (1 - through**TRIPLE) * (1 + through**TRIPLE * (1 - through ** (w - TRIPLE)))
    return min(1.0, some / (1 - through**w))


def _backoff(p: float) -> float:
    """f(p): [padhye] eq. 29."""
    return 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


def _check(loss: float, rtt_s: float, packets_per_ack: float) -> None:
    check_loss(loss)
    check_positive("round-trip time", rtt_s)
    if packets_per_ack < 1:
        raise ValueError(f"{packets_per_ack:g} packets an acknowledgement; at least 1")

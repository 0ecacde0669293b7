"""Throughput of TCP Reno under random loss, in packets per second.

The arguments are those of `analysis.models`.

[padhye] Padhye, Firoiu, Towsley, Kurose, "Modeling TCP Throughput: A Simple Model
and its Empirical Validation", SIGCOMM 1998; [thesis] Chauvenne and Libioulle,
"MultiPath TCP Connections: Analysis and Models", UCLouvain, 2017, sec. 2.2.1.
"""

from math import inf, sqrt

from analysis.models import check_loss, check_packets_per_ack, check_positive

DUPLICATE_ACKS = 3
"""The number of duplicate acknowledgements that reveal a loss without a timeout."""


def square_root(loss: float, rtt_s: float, packets_per_ack: float = 1) -> float:
    """The square-root formula: no timeouts, small loss ([padhye] eq. 20).

        B = sqrt(3 / (2 b p)) / RTT

    It is also at the end of [thesis] sec. 2.2.1.
    """
    _check(loss, rtt_s, packets_per_ack)
    return sqrt(3 / (2 * packets_per_ack * loss)) / rtt_s


def window(loss: float, packets_per_ack: float = 1) -> float:
    """E[W], the mean window in packets when TCP notices a loss ([padhye] eq. 13).

    [thesis] has its leading term only, sqrt(8 / (3 b p)).
    """
    p, b = check_loss(loss), packets_per_ack
    shift = (2 + b) / (3 * b)
    return shift + sqrt(8 * (1 - p) / (3 * b * p) + shift * shift)


def without_timeouts(loss: float, rtt_s: float, packets_per_ack: float = 1) -> float:
    """Throughput if duplicate acknowledgements reveal all losses ([padhye] eq. 19).

        B = ((1 - p) / p + E[W]) / (RTT (E[X] + 1))

    The mean number of rounds is E[X] = b E[W] / 2 (eq. 11; eq. 14 is the same).
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
    """The full model, with timeouts and the receiver's window ([padhye] eq. 32).

    timeout_s : T0, the first retransmission timeout, seconds, above 0; each further
        timeout is twice as long, up to 64 T0
    window_limit : W_m, the receiver's window in packets, at least 1
    """
    _check(loss, rtt_s, packets_per_ack)
    check_positive("timeout", timeout_s)
    if window_limit < 1:
        raise ValueError(f"a window of {window_limit:g} packets; must be at least 1")
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


def timeout_probability(loss: float, mean_window: float) -> float:
    """Q(w), the probability that a loss leads to a timeout ([padhye] eq. 24).

    mean_window : w, the window in which the loss occurs, in packets
    """
    p, w = check_loss(loss), mean_window
    if w <= DUPLICATE_ACKS:
        return 1.0
    arrives, k = 1 - p, DUPLICATE_ACKS
    numerator = (1 - arrives**k) * (1 + arrives**k * (1 - arrives ** (w - k)))
    return float(min(1.0, numerator / (1 - arrives**w)))


def _backoff(p: float) -> float:
    """f(p) of [padhye] eq. 29, from the doubling of successive timeouts."""
    return 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


def _check(loss: float, rtt_s: float, packets_per_ack: float) -> None:
    check_loss(loss)
    check_positive("round-trip time", rtt_s)
    check_packets_per_ack(packets_per_ack)

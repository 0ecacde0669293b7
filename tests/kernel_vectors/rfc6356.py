"""LIA's increase straight from RFC 6356, in double precision.

Written from the RFC's text alone, with its own names and in its own order, so that
it shares nothing with the kernel's fixed-point arithmetic that it checks.
"""

from collections.abc import Sequence


def alpha(cwnd: Sequence[float], rtt: Sequence[float]) -> float:
    """RFC 6356, section 3, equation (2).

    cwnd : shape (n,), segments, positive
    rtt : shape (n,), any one unit of time, positive
    """
    best = max(w / r**2 for w, r in zip(cwnd, rtt, strict=True))
    total_rate = sum(w / r for w, r in zip(cwnd, rtt, strict=True))
    return sum(cwnd) * best / total_rate**2


def increase(cwnd: Sequence[float], rtt: Sequence[float], subflow: int) -> float:
    """Growth in segments for one segment acknowledged; RFC 6356, equation (1)."""
    return min(alpha(cwnd, rtt) / sum(cwnd), 1 / cwnd[subflow])

"""Closed forms of steady-state throughput, as pure functions of plain numbers.

These arguments mean the same in every function:

loss : probability that a packet is lost, above 0 and below 1
rtt_s : round-trip time, seconds, above 0
packets_per_ack : b, the number of packets that one acknowledgement covers, at least
    1: 1 without delayed acknowledgements, 2 with them

Windows are in packets and rates in packets per second; `mbps` converts rates.
Arguments out of range raise ValueError with a message of one line.
"""

from collections.abc import Sequence

__all__ = [
    "check_loss",
    "check_packets_per_ack",
    "check_paths",
    "check_positive",
    "mbps",
]


def mbps(packets_per_s: float, segment_bytes: float) -> float:
    """A rate of packets in 10^6 bit/s.

    packets_per_s : the rate
    segment_bytes : payload of each packet, above 0
    """
    return packets_per_s * check_positive("segment", segment_bytes) * 8 / 1e6


def check_loss(loss: float) -> float:
    """Return a loss probability that the models cover, above 0 and below 1.

    Without loss a model has no steady state. Raises ValueError for other values.
    """
    if not 0 < loss < 1:
        raise ValueError(
            f"loss {loss:g} is not between 0 and 1; write e.g. 0.01 for one packet"
            " in a hundred (without loss these models have no steady state)"
        )
    return loss


def check_positive(name: str, value: float) -> float:
    """Return a finite value above 0. Raises ValueError, with `name`, for others."""
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} {value:g} is not a finite number above 0")
    return value


def check_paths(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float
) -> None:
    """Check that each path has a loss and a round-trip time, and all are in range.

    losses, rtts_s : shape (n,), n >= 1

    Raises ValueError otherwise.
    """
    if len(losses) == 0:
        raise ValueError("no path; give at least one loss and round-trip time")
    if len(losses) != len(rtts_s):
        raise ValueError(
            f"{len(losses)} losses and {len(rtts_s)} round-trip times; give one of"
            " each per path"
        )
    for loss in losses:
        check_loss(loss)
    for rtt_s in rtts_s:
        check_positive("round-trip time", rtt_s)
    check_packets_per_ack(packets_per_ack)


def check_packets_per_ack(packets_per_ack: float) -> float:
    """Return b, at least 1. Raises ValueError for other values."""
    if not packets_per_ack >= 1:
        raise ValueError(
            f"{packets_per_ack:g} packets per acknowledgement; must be at least 1"
        )
    return packets_per_ack

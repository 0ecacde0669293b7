"""Closed forms of steady-state throughput, as pure functions of plain numbers.

loss : probability that a packet is lost, in ]0, 1[
rtt_s : round-trip time, > 0
packets_per_ack : b, packets that one acknowledgement stands for, >= 1; 1 without
    delayed acknowledgements, 2 with

Windows are in packets, rates in packets a second; `mbps` converts. Arguments out of
range raise ValueError with one line.
"""

from collections.abc import Sequence

__all__ = ["check_loss", "check_paths", "check_positive", "mbps"]


def mbps(packets_per_s: float, segment_bytes: float) -> float:
    """A rate of segments of so many payload bytes, in 10^6 bit/s."""
    return packets_per_s * check_positive("segment", segment_bytes) * 8 / 1e6


def check_loss(loss: float) -> float:
    """A probability that the models are about: they have no term for 0."""
    if not 0 < loss < 1:
        raise ValueError(
            f"loss {loss:g} is not between 0 and 1; write e.g. 0.01 for one packet"
            " in a hundred (without loss these models have no steady state)"
        )
    return loss


def check_positive(what: str, value: float) -> float:
    if not 0 < value < float("inf"):
        raise ValueError(f"{what} {value:g} is not above 0")
    return value


def check_paths(
    losses: Sequence[float], rtts_s: Sequence[float], packets_per_ack: float
) -> None:
    """One loss and one round-trip time a path, all in range."""
    if len(losses) == 0:
        raise ValueError("no path; give at least one loss and round-trip time")
    if len(losses) != len(rtts_s):
        raise ValueError(
            f"{len(losses)} losses and {len(rtts_s)} round-trip times; give one of"
            " each a path"
        )
    for loss in losses:
        check_loss(loss)
    for rtt_s in rtts_s:
        check_positive("round-trip time", rtt_s)
    if packets_per_ack < 1:
        raise ValueError(f"{packets_per_ack:g} packets an acknowledgement; at least 1")

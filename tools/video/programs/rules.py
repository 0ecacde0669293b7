"""The rules by which a player chooses the bitrate of its next chunk.

A file by itself, which the guest puts beside the player.
"""

from collections.abc import Sequence

RESERVOIR, CUSHION = 90 / 240, 126 / 240
"""Shares of the buffer: of 240 s, BBA-0 keeps 90 s as the reservoir, and reaches the
highest bitrate at 90 % (Huang et al., A buffer-based approach to rate adaptation, ACM
SIGCOMM 2014, section 4). Here they are shares of what can be there when a chunk is
requested, so that a buffer of few chunks reaches the highest bitrate too."""
SHARE, LAST_CHUNKS = 0.85, 5
"""The rate rule takes 0.85 of the harmonic mean of the last five chunks (the factor p
of Jiang, Sekar and Zhang, Improving fairness, efficiency, and stability in HTTP-based
adaptive video streaming with FESTIVE, CoNEXT 2012, section 4.3)."""


def buffer_based(
    rates: Sequence[float], before: int, level_s: float, most_s: float
) -> int:
    """The number of the next bitrate by BBA-0, algorithm 1 of Huang et al.

    rates : ascending
    before : the number of the bitrate before
    level_s, most_s : what is in the buffer, and the most when a chunk is requested
    """
    reservoir_s, cushion_s = RESERVOIR * most_s, CUSHION * most_s
    last = len(rates) - 1
    if level_s <= reservoir_s:
        return 0
    if level_s >= reservoir_s + cushion_s:
        return last
    share = (level_s - reservoir_s) / cushion_s
    allowed = rates[0] + share * (rates[last] - rates[0])
    if allowed >= rates[min(before + 1, last)]:
        return max((n for n in range(last + 1) if rates[n] < allowed), default=0)
    if allowed <= rates[max(before - 1, 0)]:
        return min((n for n in range(last + 1) if rates[n] > allowed), default=last)
    return before


def rate_based(rates: Sequence[float], seen: Sequence[float]) -> int:
    """The number of the highest bitrate within a share of the harmonic mean of the
    rates at which the last chunks came; the lowest without any.

    rates : ascending; seen : in the same unit
    """
    last = seen[-LAST_CHUNKS:]
    if not last:
        return 0
    allowed = SHARE * len(last) / sum(1 / rate for rate in last)
    return max((n for n in range(len(rates)) if rates[n] <= allowed), default=0)

"""Seeds of links: the very packets that are lost are known on paper."""

from pathlib import Path

import pytest

from mpbench.guest import link_seeds
from mpbench.plan.seeds import run_seed

from .streams import stream

PACKETS = 4000
LOSS = 0.02
FIRST_HANDLE = 0x1_0000
MOST_BEFORE = 40
"""Packets of the control connection that pass before the first datagram."""
MASK = 0xFFFFFFFF


class Taus113:
    """prandom_u32_state() of Linux's lib/random32.c, after L'Ecuyer (1999)."""

    STEPS = ((6, 13, 1, 18), (2, 27, 7, 2), (13, 21, 15, 7), (3, 12, 127, 13))

    def __init__(self, seed: int) -> None:
        start = ((seed >> 32) ^ (seed << 10) ^ seed) & MASK
        self.state = [start + m if start < m else start for m in (2, 8, 16, 128)]

    def draw(self) -> int:
        for index, (a, b, c, d) in enumerate(self.STEPS):
            s = self.state[index]
            kept = ((s & ~c) << d) & MASK
            self.state[index] = kept ^ ((((s << a) & MASK) ^ s) >> b)
        one, two, three, four = self.state
        return one ^ two ^ three ^ four


def lost(seed: int, count: int) -> list[bool]:
    """Whether netem drops each packet: it draws once per packet."""
    source = Taus113(link_seeds.of_link(seed, "only", 0, FIRST_HANDLE))
    limit = int(LOSS * MASK)
    return [source.draw() <= limit for _ in range(count)]


@pytest.mark.guest
@pytest.mark.slow
def test_the_packets_that_are_lost_follow_from_the_seed(tmp_path: Path) -> None:
    link = {"capacity": "100 Mbit/s", "delay": "10 ms", "loss": "2 %"}
    arrived = stream(
        tmp_path,
        link,
        packets=PACKETS,
        rate_mbps=2.0,
        payload_bytes=58,
        link_seeds=True,
    )
    came = {number for number, _ in arrived}
    gone = [number not in came for number in range(PACKETS)]
    assert 0.5 * LOSS * PACKETS < sum(gone) < 2 * LOSS * PACKETS
    drawn = lost(run_seed(1, 0, {}), PACKETS + MOST_BEFORE)
    fits = [
        before
        for before in range(MOST_BEFORE)
        if drawn[before : before + PACKETS] == gone
    ]
    assert len(fits) == 1

"""Burst loss, reordering, duplication and corruption calibrated: known on paper."""

from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest

from topologies.shaping import packet_time_ms

from .streams import bursts, loss_share, share_error, stream

FAST = {"capacity": "100 Mbit/s", "delay": "10 ms"}
PACKETS = 30_000
SMALL = 58
"""Payload of a frame of 100 bytes, 8 us at 100 Mbit/s."""


def test_burst_loss_has_its_share_and_its_length(tmp_path: Path) -> None:
    loss = {"share": "3 %", "length": 5}
    arrived = stream(
        tmp_path,
        {**FAST, "burst_loss": loss},
        packets=PACKETS,
        rate_mbps=20.0,
        payload_bytes=SMALL,
    )
    chance = share_error(0.03, PACKETS, memory=0.8 - 0.03 / 0.97 / 5)
    assert loss_share(arrived, 0, PACKETS) == pytest.approx(0.03, abs=3 * chance)
    lengths = bursts(arrived, PACKETS)
    # Lengths are geometric: their variance is 5 * (5 - 1).
    assert fmean(lengths) == pytest.approx(5, abs=3 * (20 / len(lengths)) ** 0.5)


def test_both_states_can_lose_some(tmp_path: Path) -> None:
    """p = 1 %, r = 4 %: bad for a fifth of the packets, which loses half of them."""
    loss = {"enter": "1 %", "leave": "4 %", "bad": "50 %", "good": "1 %"}
    arrived = stream(
        tmp_path,
        {**FAST, "burst_loss": loss},
        packets=PACKETS,
        rate_mbps=20.0,
        payload_bytes=SMALL,
    )
    expected = (1 * 0.5 + 4 * 0.01) / 5
    states = (0.5 - 0.01) * share_error(0.2, PACKETS, memory=0.95)
    chance = (states**2 + share_error(expected, PACKETS) ** 2) ** 0.5
    assert loss_share(arrived, 0, PACKETS) == pytest.approx(expected, abs=3 * chance)
    assert fmean(bursts(arrived, PACKETS)) < 2.5  # a good half passes between losses


def test_reordered_packets_are_early_by_what_was_asked_for(tmp_path: Path) -> None:
    packets = 10_000
    arrived = stream(
        tmp_path,
        {**FAST, "reordering": {"share": "4 %", "by": "3 ms"}},
        packets=packets,
        rate_mbps=0.8,  # a packet per ms
        payload_bytes=SMALL,
    )
    assert len(arrived) == packets
    # The first packet may take longer.
    delays_ms = [delay for number, delay in arrived if number]
    early = [delay for delay in delays_ms if delay < 8.5]
    chance = share_error(0.04, packets)
    assert len(early) / packets == pytest.approx(0.04, abs=3 * chance)
    assert fmean(early) == pytest.approx(7, abs=0.01)
    assert max(delays_ms) == pytest.approx(10, abs=0.01)
    # Each of them overtakes the two or three packets ahead of it.
    overtaking = sum(before > after for (before, _), (after, _) in pairwise(arrived))
    assert overtaking == pytest.approx(len(early), rel=0.05)


def test_reordered_packets_do_not_pass_by_the_queue(tmp_path: Path) -> None:
    """Half of a burst skips the delay; all of it takes its time on the link."""
    burst = 60
    arrived = stream(
        tmp_path,
        {"capacity": "2 Mbit/s", "delay": "20 ms", "reordering": "50 %", "queue": 100},
        packets=burst,
        rate_mbps=0,
    )
    assert len(arrived) == burst
    delays_ms = sorted(delay for _, delay in arrived)
    assert delays_ms[0] < 20 < delays_ms[-1]
    took_ms = delays_ms[-1] - delays_ms[0]
    assert took_ms == pytest.approx((burst - 2) * packet_time_ms(2.0), rel=1e-3)


def test_some_packets_arrive_twice_and_some_not_as_they_were(tmp_path: Path) -> None:
    packets = 10_000
    arrived = stream(
        tmp_path,
        {**FAST, "duplication": "2 %", "corruption": "3 %"},
        packets=packets,
        rate_mbps=20.0,
        payload_bytes=SMALL,
    )
    numbers = [number for number, _ in arrived]
    twice = len(numbers) - len(set(numbers))
    chance = share_error(0.02, packets)
    assert twice / packets == pytest.approx(0.02, abs=3 * chance)
    # A checksum finds every single bit, and the probe compares what it lets through.
    chance = share_error(0.03, packets)
    assert loss_share(arrived, 0, packets) == pytest.approx(0.03, abs=3 * chance)

"""Times and rates that a plan expects of a run, by numbers computed by hand."""

import math
from typing import Any

import pytest

from jobs import Job
from jobs.changes import Series
from mpbench.experiment_files import loads
from mpbench.plan import make_plan, timing

MS_PER_PACKET_MBPS = 12.112
"""The rate at which a full packet of 1514 bytes takes 1 ms."""
VALUES = {
    "l.capacity_mbps": MS_PER_PACKET_MBPS,
    "l.delay_ms": 10.0,
    "l.jitter_ms": 1.0,
    "l.queue_packets": 100,
}


def job(link: str = "", traffic: str = "", control: str = "cubic") -> Job:
    """A run over one link. traffic : keys of more entries"""
    link = link or "capacity: 10 Mbit/s, delay: 20 ms"
    text = f"""\
name: timed
network:
  links: {{l: {{{link}}}}}
  users: {{client: {{paths: [l], to: server}}}}
cases: {{only: {{protocol: tcp, congestion_control: {control}}}}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 4 s}}
{traffic}"""
    (run,) = make_plan(loads(text), {}).runs
    return run.job


def series(quantity: str, **more: Any) -> Series:
    given = {"link": "l", "direction": "both", "period_s": None, **more}
    return Series(quantity=quantity, **given)


@pytest.mark.parametrize(
    ("more", "trip_ms"),
    [
        # both ways of delay and jitter, and 100 packets of 1 ms
        ({}, 20 + 2 + 100),
        ({"l.queueing_delay_ms": 7.0, "l.queue_packets": None}, 20 + 2 + 7),
        ({"l.down_queueing_delay_ms": 7.0}, 20 + 2 + 100 + 7),
        ({"l.down_delay_ms": 5.0}, 20 + 2 + 100 + 5),
        ({"l.down_queue_packets": 10}, 20 + 2 + 100 + 10),
        # at its own rate, which is twice as high
        (
            {
                "l.down_queue_packets": 10,
                "l.down_capacity_mbps": 2 * MS_PER_PACKET_MBPS,
            },
            20 + 2 + 100 + 5,
        ),
    ],
)
def test_a_round_trip_waits_in_every_queue(
    more: dict[str, float | None], trip_ms: float
) -> None:
    assert timing.round_trip_s({**VALUES, **more}) == pytest.approx(trip_ms / 1e3)


def test_entries_in_both_directions_count_the_faster_one() -> None:
    back = (
        "  - {tool: iperf3, from: client, to: server, duration: 4 s, reverse: true}\n"
    )
    for up, down in ((10, 30), (30, 10)):
        link = f"capacity: {{up: {up} Mbit/s, down: {down} Mbit/s}}, delay: 20 ms"
        both = job(link, back)
        assert timing.used_mbps(both) == 30
        assert timing.used_mbps(both, both.traffic[:1]) == up
        assert timing.used_mbps(both, both.traffic[1:]) == down


@pytest.mark.parametrize(
    ("delay", "trip_ms"), [("20 ms", 40), ("{up: 20 ms, down: 30 ms}", 50)]
)
def test_losses_leave_what_the_square_root_gives(delay: str, trip_ms: float) -> None:
    """MSS / T sqrt(3 / (2 p)) with p = 0.01."""
    rate_mbps = 8 * 1514 / (1e3 * trip_ms) * math.sqrt(150)
    link = f"capacity: 10 Mbit/s, delay: {delay}, loss: 1 %"
    assert timing.used_mbps(job(link), losses=True) == pytest.approx(rate_mbps)
    assert timing.used_mbps(job(link)) == 10
    assert timing.used_mbps(job(link, control="bbr"), losses=True) == 10


def limit_s(*changes: Series, size: bool = False, delay_ms: float = 0.0) -> float:
    values = {"l.capacity_mbps": 10.0, "l.delay_ms": delay_ms}
    entry = job().traffic[0]
    if size:
        sized = "  - {tool: iperf3, from: client, to: server, size: 1 MB}\n"
        entry = job(traffic=sized).traffic[1]
    return timing.time_limit_s(values, [entry], changes)


def test_the_limit_has_the_traffic_half_a_minute_and_ten_round_trips() -> None:
    assert limit_s() == 4 + 30 + 1
    assert limit_s(delay_ms=150.0) == 4 + 30 + 3 + 1


def test_the_limit_counts_queues_at_the_lowest_rate_and_the_longest_delay() -> None:
    slower = series("capacity_mbps", at_s=(1.0,), values=(2.5,))
    # 0.3 s at 10 Mbit/s, and 1.2 s at a quarter of that, ten times
    assert limit_s(slower, delay_ms=150.0) == 4 + 30 + 12 + 1
    later = series("delay_ms", at_s=(1.0, 2.0), values=(250.0, 50.0))
    assert limit_s(later) == 4 + 30 + 10 * 0.5 + 1


def test_the_limit_has_the_time_without_a_link() -> None:
    out = series("up", at_s=(1.0, 3.0), values=(0.0, 1.0))
    assert limit_s(out) == 4 + 30 + 2 + 1


def test_a_transfer_gets_its_part_of_the_time_in_which_all_links_work() -> None:
    # 1 MB at 5 % of 10 Mbit/s takes 16 s, and of a quarter of the time four times that
    assert limit_s(size=True) == 16 + 30 + 1
    half = series("up", at_s=(0.0, 0.5), values=(1.0, 0.0), period_s=1.0)
    most = series("up", at_s=(0.0, 0.25), values=(1.0, 0.0), period_s=1.0)
    assert limit_s(half, size=True) == int(32 + 30 + 0.5) + 1
    assert limit_s(half, most, size=True) == int(64 + 30 + 0.5 + 0.75) + 1
    never = series("up", at_s=(0.0,), values=(0.0,), period_s=1.0)
    assert limit_s(never, size=True) == 1600 + 30 + 1 + 1

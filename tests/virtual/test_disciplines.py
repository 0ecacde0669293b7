"""Queue disciplines calibrated: answers that are known on paper."""

import csv
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from topologies.shaping import FRAME_BYTES, packet_time_ms

from .lab import Lab, job_of
from .streams import RENO, loss_share, mean_delay_ms, stream
from .test_topologies import TCP_MBPS, measured

CAPACITY_MBPS = 10.0
FRAME_MS = packet_time_ms(CAPACITY_MBPS)
MIN, MAX, MAX_P = 25 * FRAME_BYTES, 50 * FRAME_BYTES, 0.1
LINK = {"capacity": "10 Mbit/s", "delay": "5 ms", "queue": 300}


def red_average_bytes(share: float) -> float:
    """The average queue at which gentle RED drops a share of packets.

    Between drops 1 to 1 / p packets pass, each number as likely, so that the share is
    2p / (1 + p).
    """
    p = share / (2 - share)
    if p <= MAX_P:
        return MIN + (MAX - MIN) * p / MAX_P
    return MAX + MAX * (p - MAX_P) / (1 - MAX_P)


@pytest.mark.parametrize("on_fabric", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.15, 0.4, 0.7])
def test_red_drops_by_its_curve(tmp_path: Path, share: float, on_fabric: bool) -> None:
    """An even stream above the capacity loses what is too much, and the queue settles
    where the curve has this probability."""
    rate_mbps = CAPACITY_MBPS / (1 - share)
    packets = 6000
    arrived = stream(
        tmp_path,
        {**LINK, "discipline": "red"},
        packets=packets,
        rate_mbps=rate_mbps,
        on_fabric=on_fabric,
    )
    settled = packets // 3
    assert loss_share(arrived, settled, packets) == pytest.approx(share, abs=0.003)
    wait_ms = mean_delay_ms(arrived, settled) - 5 - FRAME_MS
    queue_bytes = wait_ms / FRAME_MS * FRAME_BYTES
    assert queue_bytes == pytest.approx(red_average_bytes(share), rel=0.03)


def test_red_of_the_fabric_is_as_asked(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        network={
            "links": {"only": {**LINK, "discipline": "red", "jitter": 0}},
            "users": {"u": "only"},
        },
        fabric=True,
        cases={"r": RENO},
        traffic=[{"tool": "iperf3", "from": "u", "to": "server_u", "duration": "5 s"}],
    )
    assert found["only.queue_drops"] > 5 and found["only.full_drops"] == 0


@pytest.mark.parametrize("burst", [0, 2])
def test_a_queue_in_packets_counts_small_ones_as_whole(
    tmp_path: Path, burst: int
) -> None:
    """Of a burst of small datagrams, a queue of 40 packets holds 40, and one in bytes
    holds as many as have the bytes of 40 full packets. Without a bucket one is being
    sent; a bucket sends as many at once as have its bytes."""
    small_bytes = 14 + 28 + 100
    at_once = burst * FRAME_BYTES // small_bytes if burst else 1
    for limit, held in (("packets", 40), ("bytes", 40 * FRAME_BYTES // small_bytes)):
        arrived = stream(
            tmp_path / limit,
            {"capacity": "1 Mbit/s", "delay": "5 ms", "queue": 40},
            packets=600,
            rate_mbps=1000.0,
            payload_bytes=100,
            on_fabric={"limit": limit, "burst": burst},
        )
        assert len(arrived) == pytest.approx(held + at_once, abs=1)


def test_red_that_is_not_gentle_drops_all_above_max(tmp_path: Path) -> None:
    """Half of the packets must go, so the average stays at max, not at 1.4 max."""
    red = {"name": "red", "gentle": False}
    arrived = stream(
        tmp_path, {**LINK, "discipline": red}, packets=4000, rate_mbps=20.0
    )
    assert loss_share(arrived, 1000, 4000) == pytest.approx(0.5, abs=0.003)
    wait_ms = mean_delay_ms(arrived, 1000) - 5 - FRAME_MS
    assert wait_ms / FRAME_MS == pytest.approx(50, rel=0.02)


def test_red_forgets_its_average_while_the_queue_is_empty(tmp_path: Path) -> None:
    """Nothing is lost of a stream below the capacity."""
    arrived = stream(
        tmp_path, {**LINK, "discipline": "red"}, packets=1000, rate_mbps=9.0
    )
    assert [number for number, _ in arrived] == list(range(1000))


def standing_queue_ms(folder: Path, **link: Any) -> float:
    """The mean wait behind a single Reno of 20 ms round trip, after its start."""
    folder.mkdir()
    network = {
        "links": {"only": {**LINK, "jitter": "0 ms", "delay": "10 ms", **link}},
        "users": {"u": "only"},
    }
    entry = {"tool": "iperf3", "from": "u", "to": "server_u", "duration": "20 s"}
    job = job_of(
        folder, network=network, cases={"r": RENO}, traffic=[entry], trace="50 ms"
    )
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    assert row(artefacts.parent)["reason"] == ""
    with (artefacts / "trace.csv").open() as file:
        lines = list(csv.DictReader(line for line in file if line[0] != "#"))
    rtts_ms = [float(line["srtt_us"]) / 1e3 for line in lines[len(lines) // 3 :]]
    return fmean(rtts_ms) - 20


def test_codel_and_pie_keep_the_queue_near_their_target(tmp_path: Path) -> None:
    codel_ms = standing_queue_ms(tmp_path / "codel", discipline="codel")
    assert 2 < codel_ms < 12  # target 5 ms
    pie = {"name": "pie", "target": "40 ms"}
    pie_ms = standing_queue_ms(tmp_path / "pie", discipline=pie)
    assert 20 < pie_ms < 60
    assert standing_queue_ms(tmp_path / "drop_tail") > 80  # up to 300 packets


def test_pie_settles_at_its_target(tmp_path: Path) -> None:
    """An even stream of 1.4 times the capacity: PIE adapts its probability until the
    queue waits as long as its target. It takes some 5000 packets to get there."""
    arrived = stream(
        tmp_path,
        {**LINK, "queue": 400, "discipline": {"name": "pie", "target": "40 ms"}},
        packets=20_000,
        rate_mbps=CAPACITY_MBPS / 0.7,
    )
    assert loss_share(arrived, 10_000, 20_000) == pytest.approx(0.3, abs=0.002)
    assert mean_delay_ms(arrived, 10_000) - 5 - FRAME_MS == pytest.approx(40, rel=0.02)


def test_ecn_marks_in_place_of_drops(tmp_path: Path) -> None:
    links = {"only": {**LINK, "discipline": {"name": "codel", "ecn": True}}}
    found = measured(
        tmp_path,
        network={"links": links, "users": {"u": "only"}},
        cases={"r": {**RENO, "sysctls": {"net.ipv4.tcp_ecn": 1}}},
        traffic=[{"tool": "iperf3", "from": "u", "to": "server_u", "duration": "10 s"}],
    )
    assert found["only.marks"] > 5 and found["only.queue_drops"] == 0


def test_cake_limits_the_rate_to_the_bit(tmp_path: Path) -> None:
    arrived = stream(
        tmp_path,
        {"capacity": "8 Mbit/s", "delay": "5 ms", "discipline": "cake"},
        packets=3000,
        rate_mbps=10.0,
    )
    step_ms = FRAME_BYTES * 8 / 10e6 * 1e3
    at_ms = [number * step_ms + delay for number, delay in arrived]
    # One full packet is 1.514 ms at 8 Mbit/s.
    between_ms = (at_ms[-1] - at_ms[500]) / (len(arrived) - 501)
    assert between_ms == pytest.approx(packet_time_ms(8.0), rel=1e-4)


@pytest.mark.parametrize("name", ["fq_codel", "cake", "drop_tail"])
def test_flows_are_isolated(tmp_path: Path, name: str) -> None:
    """A TCP beside twice the capacity of datagrams: half the link, or next to none."""
    link: dict[str, Any] = {"capacity": "10 Mbit/s", "delay": "5 ms"}
    ends = {"from": "u", "to": "server_u"}
    found = measured(
        tmp_path,
        network={
            "links": {"only": {**link, "discipline": name}},
            "users": {"u": "only"},
        },
        cases={"r": RENO},
        traffic=[
            {"tool": "iperf3", **ends, "duration": "10 s", "name": "tcp"},
            {"tool": "cbr", **ends, "rate": "20 Mbit/s", "duration": "11 s"},
        ],
    )
    if name == "drop_tail":
        assert found["tcp.goodput_mbps"] < 0.5
    else:
        assert found["tcp.goodput_mbps"] == pytest.approx(5 * TCP_MBPS, rel=0.02)


def test_directions_have_their_own_disciplines(tmp_path: Path) -> None:
    """No second queue: the same stream waits by CoDel up, and in a full queue down."""
    discipline = {"up": "codel", "down": "drop_tail"}
    up = stream(
        tmp_path, {**LINK, "discipline": discipline}, packets=3000, rate_mbps=10.2
    )
    assert max(delay for _, delay in up[2000:]) < 5 + 60
    swapped = {"up": "drop_tail", "down": "codel"}
    down = stream(
        tmp_path / "down",
        {**LINK, "discipline": swapped, "queue": 40},
        packets=3000,
        rate_mbps=10.2,
    )
    assert down[-1][1] == pytest.approx(5 + 41 * FRAME_MS, abs=2 * FRAME_MS)

"""Constant bit rate traffic: its pace, its bursts, and what it does to a queue."""

from pathlib import Path

import pytest

from .test_topologies import RENO, flow, measured


def cbr(**more: object) -> dict[str, object]:
    ends = {"from": "single1", "to": "server_single1"}
    return {"tool": "cbr", "name": "noise", **ends, "transport": RENO, **more}


def test_an_even_pace_below_the_capacity_loses_nothing(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        topology="two_links",
        cases={"reno": RENO},
        traffic=[
            cbr(rate="4 Mbit/s", duration="5 s"),
            flow("single1", "6 s", transport=RENO),
        ],
    )
    assert found["noise.packets"] == pytest.approx(4e6 * 5 / 8 / 1514, abs=2)
    assert found["noise.goodput_mbps"] == pytest.approx(4 * 1472 / 1514, rel=0.03)
    total = found["noise.goodput_mbps"] * 5 / 6 + found["single1.goodput_mbps"]
    assert 9 < total < 10 * 1472 / 1514


def test_bursts_above_the_capacity_are_cut(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        topology="two_links",
        parameters={"link1.queueing_delay": "10 ms"},
        cases={"reno": RENO},
        traffic=[
            cbr(rate="20 Mbit/s", duration="20 s", burst="100 ms", pause="100 ms")
        ],
    )
    # On for half of the time, over 100 bursts or so.
    assert found["noise.packets"] * 1514 * 8 / 20e6 == pytest.approx(10, rel=0.3)
    assert 0.3 < found["noise.packet_loss_ratio"] < 0.5
    assert found["jain"] is None


@pytest.mark.parametrize("protocol", ["mptcp", "tcp"])
def test_a_connection_is_written_to_at_the_rate(tmp_path: Path, protocol: str) -> None:
    """An idle link lets a packet pass at once, so messages are as late as its delay."""
    case = {"protocol": protocol, "congestion_control": "reno"}
    found = measured(
        tmp_path,
        topology="two_path",
        parameters={"path1.capacity": "10 Mbit/s", "path1.delay": "20 ms"},
        cases={"only": case | ({"path": 1} if protocol == "tcp" else {})},
        traffic=[
            {"tool": "cbr", "from": "client", "to": "server", "rate": "5 Mbit/s"}
            | {"duration": "10 s", "over": "connection"}
        ],
        phases={"late": "5 s..10 s"},
    )
    assert found["messages"] == pytest.approx(5e6 * 10 / 8 / 1400, abs=2)
    assert found["late.goodput_mbps"] == pytest.approx(5, rel=0.01)
    # What was under way at the end came too late to count.
    assert found["goodput_mbps"] == pytest.approx(5 * (1 - 0.02 / 10), rel=0.003)
    if protocol == "tcp":
        assert found["message_delay_median_ms"] == pytest.approx(20, abs=0.1)
        assert found["message_delay_p95_ms"] < 21.2
    assert found["connections"] == (protocol == "mptcp")


def test_a_faster_rate_has_larger_messages(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        topology="two_path",
        parameters={"path1.capacity": "40 Mbit/s", "path2.capacity": "40 Mbit/s"},
        cases={"only": {"protocol": "mptcp", "congestion_control": "cubic"}},
        traffic=[
            {"tool": "cbr", "from": "client", "to": "server", "rate": "50 Mbit/s"}
            | {"duration": "6 s", "over": "connection"}
        ],
        phases={"late": "3 s..6 s"},
    )
    assert found["messages"] == pytest.approx(50e6 * 6 / 8 / 7000, rel=0.01)
    assert found["late.goodput_mbps"] == pytest.approx(50, rel=0.02)


def test_what_a_connection_cannot_carry_is_late(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        topology="two_path",
        parameters={"path1.capacity": "4 Mbit/s", "path1.queue": 20},
        cases={"only": {**RENO, "path": 1}},
        traffic=[
            {"tool": "cbr", "from": "client", "to": "server", "rate": "5 Mbit/s"}
            | {"duration": "10 s", "over": "connection"}
        ],
    )
    assert 3.5 < found["goodput_mbps"] < 4
    assert found["messages"] < 5e6 * 10 / 8 / 1400 - 100
    assert found["message_delay_max_ms"] > 1000


@pytest.mark.parametrize("over", ["datagrams", "connection"])
def test_packets_have_the_size_that_is_asked_for(tmp_path: Path, over: str) -> None:
    """A voice call: 160 bytes each 20 ms, with 42 bytes of heads as datagrams."""
    rate = "80.8 kbit/s" if over == "datagrams" else "64 kbit/s"
    found = measured(
        tmp_path,
        topology="two_path",
        parameters={"path1.capacity": "10 Mbit/s", "path1.delay": "20 ms"},
        cases={"only": {**RENO, "path": 1}},
        traffic=[
            {"tool": "cbr", "from": "client", "to": "server", "rate": rate}
            | {"duration": "4 s", "size": "160 B", "over": over}
        ],
    )
    count = found["packets" if over == "datagrams" else "messages"]
    assert count == pytest.approx(200, abs=1)
    assert found["received_bytes"] == pytest.approx(160 * count, abs=2 * 160)
    if over == "datagrams":
        assert found["packet_loss_ratio"] == 0

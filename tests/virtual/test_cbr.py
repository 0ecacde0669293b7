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

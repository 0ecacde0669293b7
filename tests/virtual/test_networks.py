"""Networks of experiment files in guests: answers that are known on paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from topologies.shaping import BURST_BYTES, FRAME_BYTES, packet_time_ms, queue_packets

from .lab import MPTCP, job_of, lab_with
from .test_topologies import PROBE, RENO, flow, measured

LINK = {"capacity": "8 Mbit/s", "queueing_delay": "60 ms", "jitter": "0 ms"}
PARTING = {
    "links": {
        "near": {"delay": "3 ms"},
        "in": {**LINK, "delay": "5 ms"},
        "out1": {**LINK, "delay": "7 ms"},
        "out2": {**LINK, "delay": "11 ms"},
    },
    "users": {
        "u": {"paths": ["near in out1", "in out2", "in out1", "out2 in"], "to": "s"},
        "v": {"paths": ["near out2"], "to": "s"},
    },
}
DELAYS_MS = {"near": 3, "in": 5, "out1": 7, "out2": 11}


def test_paths_that_part_and_join_take_their_own_links(tmp_path: Path) -> None:
    """Two users of one server. Their paths share links and part behind them, and one
    path takes the links in the other order."""
    entry = {"tool": "iperf3", "from": "u", "to": "s", "duration": "1 s"}
    job = job_of(tmp_path, network=PARTING, cases={"only": MPTCP}, traffic=[entry])
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 100})
    assert ended.status == "finished", ended.reason
    found: dict[str, Any] = json.loads((artefacts / "probe.json").read_text())
    held = queue_packets(60, 8)
    for user in job["network"]["users"]:
        for number, links in enumerate(user["paths"], start=1):
            probed = found.pop(f"{user['host']}.path{number}")
            delay_ms = sum(DELAYS_MS[link] for link in links)
            assert probed["rtt_ms"] == pytest.approx(2 * delay_ms, abs=0.3)
            for direction in ("forward", "backward"):
                drained = probed[direction]["arrived"] - BURST_BYTES // FRAME_BYTES
                assert drained == held
                drain_ms = held * packet_time_ms(8)
                assert probed[direction]["took_ms"] == pytest.approx(drain_ms, rel=0.02)
    assert not found


def test_each_direction_has_its_own_delay_queue_and_rate(tmp_path: Path) -> None:
    dsl = {
        "capacity": {"up": "2 Mbit/s", "down": "16 Mbit/s"},
        "delay": {"up": "12 ms", "down": "20 ms"},
        "queue": {"up": 20, "down": 80},
        "jitter": "0 ms",
    }
    links = {"dsl": dsl, "near": {"delay": {"up": "1 ms", "down": "3 ms"}}}
    network = {"links": links, "users": {"u": "near dsl"}}
    entry = flow("u", "1 s")
    job = job_of(tmp_path, network=network, cases={"only": RENO}, traffic=[entry])
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 100})
    assert ended.status == "finished", ended.reason
    probed = json.loads((artefacts / "probe.json").read_text())["u.path1"]
    assert probed["rtt_ms"] == pytest.approx(12 + 20 + 1 + 3, abs=0.6)
    for direction, held, mbps in (("forward", 20, 2), ("backward", 80, 16)):
        drained = probed[direction]["arrived"] - BURST_BYTES // FRAME_BYTES
        assert drained == held
        drain_ms = held * packet_time_ms(mbps)
        assert probed[direction]["took_ms"] == pytest.approx(drain_ms, rel=0.02)


def test_a_download_fills_the_direction_towards_the_user(tmp_path: Path) -> None:
    dsl = {"capacity": {"up": "1 Mbit/s", "down": "16 Mbit/s"}, "delay": "10 ms"}
    found = measured(
        tmp_path,
        network={"links": {"dsl": dsl}, "users": {"u": "dsl"}},
        cases={"only": RENO},
        traffic=[flow("u", "20 s", reverse=True)],
    )
    assert found["goodput_mbps"] == pytest.approx(16 * 1448 / FRAME_BYTES, rel=0.03)
    assert found["utilisation"] == pytest.approx(1448 / FRAME_BYTES, rel=0.03)


def test_two_links_behind_a_shared_one_are_both_filled(tmp_path: Path) -> None:
    links = {"in": {"capacity": "20 Mbit/s"}, "out1..2": {"capacity": "4 Mbit/s"}}
    network = {"links": links, "users": {"u": ["in out1", "in out2"]}}
    found = measured(
        tmp_path, network=network, cases={"lia": MPTCP}, traffic=[flow("u", "20 s")]
    )
    expected_mbps = 2 * 4 * 1428 / FRAME_BYTES
    assert found["goodput_mbps"] == pytest.approx(expected_mbps, rel=0.03)
    assert found["out1.bytes"] == pytest.approx(found["out2.bytes"], rel=0.05)


def test_scenario_c_with_capacities_per_user(tmp_path: Path) -> None:
    """Users of two access points beside users of one, 1 Mbit/s for each of them."""
    links = {
        "ap1": {"capacity": "= 1 Mbit/s * multi.users", "delay": "40 ms"},
        "ap2": {"like": "ap1", "capacity": "= 1 Mbit/s * single.users"},
    }
    users = {
        "multi": {"paths": ["ap1", "ap2"], "users": 4},
        "single": {"paths": "ap2", "users": 6},
    }
    found = measured(
        tmp_path,
        network={"links": links, "users": users},
        cases={"lia": MPTCP},
        traffic=[flow("multi", "20 s"), flow("single", "20 s", transport=RENO)],
    )
    assert (found["ap1.capacity_mbps"], found["ap2.capacity_mbps"]) == (4, 6)
    assert found["utilisation"] > 0.85
    assert found["multi.goodput_mbps"] > 4 * 0.8
    assert found["single.goodput_mbps"] < 6 * 0.96

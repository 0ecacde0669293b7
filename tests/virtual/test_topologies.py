"""The topologies with several users calibrated: answers that are known on paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from mpbench.spec import builtin
from topologies.shaping import BURST_BYTES, FRAME_BYTES, packet_time_ms, queue_packets

from .lab import Lab, contents, job_of, lab_with, script

PROBE = script("import sys; from tests.virtual.probe import main; sys.exit(main())")
SHARED = [n for n in builtin.names() if n not in ("two_path", "minitopo")]
TCP_MBPS = 1448 / FRAME_BYTES
"""Goodput of TCP on a link of 1 Mbit/s."""
RENO = {"protocol": "tcp", "congestion_control": "reno"}
MPTCP_RENO = {"protocol": "mptcp", "congestion_control": "reno", "scheduler": "lowrtt"}


def flow(host: str, duration: str, **more: Any) -> dict[str, Any]:
    ends = {"from": host, "to": f"server_{host}"}
    return {"tool": "iperf3", **ends, "duration": duration, **more}


def measured(folder: Path, **spec: Any) -> dict[str, Any]:
    job = job_of(folder, **spec)
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


@pytest.mark.parametrize("name", SHARED)
def test_round_trips_and_time_to_drain(tmp_path: Path, name: str) -> None:
    description = builtin.describe(name)
    delays_ms = {
        parameter.name.partition(".")[0]: 3.0 + 2 * number
        for number, parameter in enumerate(description.parameters)
        if parameter.name.endswith(".delay")
    }
    capacity_mbps, queueing_ms = 8.0, 60.0
    parameters: dict[str, Any] = {f"{k}.delay": f"{v} ms" for k, v in delays_ms.items()}
    for link in description.links:
        parameters[f"{link}.capacity"] = f"{capacity_mbps} Mbit/s"
        parameters[f"{link}.queueing_delay"] = f"{queueing_ms} ms"
        parameters[f"{link}.jitter"] = "0 ms"
    traffic = [flow(user.host, "1 s") for user in description.users]
    case = {"protocol": "mptcp", "congestion_control": "reno"}
    job = job_of(
        tmp_path,
        topology=name,
        parameters=parameters,
        cases={"only": case},
        traffic=traffic,
    )
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 100})
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "probe.json").read_text())
    held = queue_packets(queueing_ms, capacity_mbps)
    for user in description.users:
        for number, links in enumerate(user.paths, start=1):
            probed = found.pop(f"{user.host}.path{number}")
            delay_ms = sum(delays_ms[link] for link in links)
            assert probed["rtt_ms"] == pytest.approx(2 * delay_ms, abs=0.3)
            for direction in ("forward", "backward"):
                # What the token bucket holds goes at once, the queue one by one.
                drained = probed[direction]["arrived"] - BURST_BYTES // FRAME_BYTES
                assert drained == held
                drain_ms = held * packet_time_ms(capacity_mbps)
                assert probed[direction]["took_ms"] == pytest.approx(drain_ms, rel=0.02)
    assert not found


def test_one_tcp_gets_the_capacity_less_headers(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        topology="shared_bottleneck",
        parameters={"access3.delay": "5 ms"},
        cases={"only": RENO},
        traffic=[flow("single", "20 s")],
    )
    assert found["goodput_mbps"] == pytest.approx(15 * TCP_MBPS, rel=0.005)
    # tc shows delays with six digits and in whole ticks.
    jitter_ms = pytest.approx(packet_time_ms(15), abs=2e-3)
    assert found["bottleneck.jitter_ms"] == jitter_ms


def test_every_user_alone_fills_the_links_of_its_paths(tmp_path: Path) -> None:
    case = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
    found = measured(
        tmp_path,
        topology="four_links",
        cases={"only": case},
        traffic=[flow("b", "20 s", name="middle")],
    )
    # 1428 bytes of payload a packet: MPTCP's options take 20.
    expected_mbps = (12 + 10) * 1428 / FRAME_BYTES
    assert found["middle.goodput_mbps"] == pytest.approx(expected_mbps, rel=0.02)
    assert found["middle.path1.share"] == pytest.approx(12 / 22, abs=0.02)
    assert found["aggregation_benefit"] == pytest.approx(
        found["aggregation_benefit_bound"], abs=0.06
    )
    assert found["link1.bytes"] < 10_000 and found["link4.bytes"] < 10_000


def test_jitter_keeps_a_shared_queue_fair(tmp_path: Path) -> None:
    """Three Renos through one queue: a third each, two of them one MPTCP's."""
    found = measured(
        tmp_path,
        topology="shared_bottleneck",
        cases={"reno": MPTCP_RENO},
        traffic=[flow("multi", "60 s"), flow("single", "60 s", transport=RENO)],
    )
    # Without jitter 0.74 and more; with much of it 0.68.
    assert found["multi.share"] == pytest.approx(2 / 3, abs=0.06)
    assert found["multi.path1.share"] == pytest.approx(0.5, abs=0.08)
    assert found["multi.share"] + found["single.share"] == pytest.approx(1)
    # Each entry's goodput is over its own 60 s, and that of both over the time from
    # the first beginning to the last end: the programs start one after the other.
    moved = 60 * (found["multi.goodput_mbps"] + found["single.goodput_mbps"])
    assert found["goodput_mbps"] * found["measured_s"] == pytest.approx(moved)
    assert 60 <= found["measured_s"] < 60.1
    assert found["utilisation"] > 0.9 and found["aggregation_benefit"] is None


def test_seeds_differ_and_each_repeats(tmp_path: Path) -> None:
    def run(seed: int) -> dict[str, bytes]:
        job = job_of(
            tmp_path,
            seed=seed,
            topology="two_links",
            parameters={"multi.users": 2},
            cases={"reno": MPTCP_RENO},
            traffic=[
                flow("multi", "4 s", start={"min": "0 s", "max": "0.5 s"}),
                flow("single1", "4 s", transport=RENO),
            ],
        )
        ended, artefacts = Lab(tmp_path / f"{seed}-{len(kept)}").execute(job)
        assert ended.status == "finished", ended.reason
        return contents(artefacts)

    kept: list[dict[str, bytes]] = []
    for seed in (1, 1, 2):
        kept.append(run(seed))
    assert kept[0] == kept[1]
    assert kept[0]["link-end.json"] != kept[2]["link-end.json"]

"""`minitopo` calibrated: a link of Mininet's, whose queue holds what is under way."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from topologies.shaping import FRAME_BYTES, queue_packets

from .lab import TCP, Lab, job_of, lab_with, script

PROBE = script("import sys; from tests.virtual.probe import main; sys.exit(main())")
PAYLOAD_BYTES = 1448
BUCKET_BYTES = 1600
SHORT_QUEUE = {
    "path1.capacity": "50 Mbit/s",
    "path1.delay": "25 ms",
    "path1.queue": 10,
}
"""10 packets in 25 ms are 4.8 Mbit/s; the path by itself holds 103."""


def measured(folder: Path, **more: Any) -> dict[str, Any]:
    entry = {"tool": "iperf3", "from": "client", "to": "server", "duration": "10 s"}
    job = job_of(
        folder,
        topology="minitopo",
        parameters=SHORT_QUEUE,
        cases={"only": {**TCP, "path": 1}},
        traffic=[{**entry, **more}],
    )
    ended, artefacts = Lab(folder).execute(job)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


def test_round_trip_and_time_to_drain(tmp_path: Path) -> None:
    """A burst: the queue takes its size, under way or not; the rest is dropped."""
    capacity_mbps, delay_ms, queueing_ms = 8.0, 10.0, 60.0
    parameters = {
        f"path{path}.{name}": value
        for path in (1, 2)
        for name, value in {
            "capacity": f"{capacity_mbps} Mbit/s",
            "delay": f"{delay_ms} ms",
            "queueing_delay": f"{queueing_ms} ms",
        }.items()
    }
    entry = {"tool": "iperf3", "from": "client", "to": "server", "duration": "1 s"}
    job = job_of(
        tmp_path,
        topology="minitopo",
        parameters=parameters,
        cases={"only": {"protocol": "mptcp", "congestion_control": "reno"}},
        traffic=[entry],
    )
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 100})
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "probe.json").read_text())
    held = queue_packets(queueing_ms, capacity_mbps)
    packet_ms = FRAME_BYTES * 8 / capacity_mbps / 1e3
    for path in (1, 2):
        probed = found[f"client.path{path}"]
        assert probed["rtt_ms"] == pytest.approx(2 * delay_ms, abs=0.005)
        for direction in ("forward", "backward"):
            assert probed[direction]["arrived"] == held
            # What the bucket holds goes at once; htb lends what a packet lacks.
            drain_ms = (held - 1 - BUCKET_BYTES / FRAME_BYTES) * packet_ms
            assert probed[direction]["took_ms"] == pytest.approx(drain_ms, rel=1e-4)


def test_a_queue_of_fewer_packets_than_the_path_holds_bounds_the_rate(
    tmp_path: Path,
) -> None:
    found = measured(tmp_path, reverse=True)
    bound_mbps = 10 * PAYLOAD_BYTES * 8 / 25 / 1e3
    assert found["goodput_mbps"] < bound_mbps
    assert found["path1.queue_packets"] == 10
    assert found["retransmissions"] > 0


def test_the_client_s_segments_are_one_packet_to_the_queue(tmp_path: Path) -> None:
    """So more of its data is under way than 10 packets hold."""
    (tmp_path / "other").mkdir()
    cut = measured(tmp_path / "other", reverse=True)
    uncut = measured(tmp_path)
    assert uncut["goodput_mbps"] > 1.5 * cut["goodput_mbps"]

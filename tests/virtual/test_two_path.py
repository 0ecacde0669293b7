"""`two_path` calibrated: answers that are known on paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from topologies.shaping import BURST_BYTES, FRAME_BYTES, queue_packets

from .lab import TCP, Lab, lab_with, make_job, script

PROBE = script("import sys; from tests.virtual.probe import main; sys.exit(main())")
PAYLOAD_BYTES = 1448
"""Of TCP in a packet of 1500 bytes: less 20 IPv4, 20 TCP, 12 time stamps."""
MPTCP_PAYLOAD_BYTES = 1428
"""Of MPTCP: less 20 more, for a data sequence mapping of 8 bytes."""


def probed(folder: Path, parameters: dict[str, Any], burst: int) -> dict[str, Any]:
    job = {**make_job(folder, parameters=parameters), "burst": burst}
    ended, artefacts = lab_with(folder, PROBE).execute(job)
    assert ended.status == "finished", ended.reason
    found: dict[str, Any] = json.loads((artefacts / "probe.json").read_text())
    return found


def test_round_trip_and_time_to_drain(tmp_path: Path) -> None:
    links = {1: (8.0, 10.0, 60.0), 2: (50.0, 3.0, 20.0)}
    names = ("capacity", "delay", "queueing_delay")
    units = ("Mbit/s", "ms", "ms")
    parameters = {
        f"path{path}.{name}": f"{value} {unit}"
        for path, values in links.items()
        for name, value, unit in zip(names, values, units, strict=True)
    }
    # Few enough to be sent, at 0.8 us each, before the link has sent one.
    found = probed(tmp_path, parameters, burst=150)
    for path, (capacity_mbps, delay_ms, queueing_ms) in links.items():
        measured = found[f"client.path{path}"]
        assert measured["rtt_ms"] == pytest.approx(2 * delay_ms, abs=0.005)
        held = queue_packets(queueing_ms, capacity_mbps)
        packet_ms = FRAME_BYTES * 8 / capacity_mbps / 1e3
        for direction in ("forward", "backward"):
            # What the token bucket holds goes at once, the queue one by one.
            drained = measured[direction]["arrived"] - BURST_BYTES // FRAME_BYTES
            assert drained == held
            drain_ms = measured[direction]["took_ms"]
            assert drain_ms == pytest.approx(held * packet_ms, rel=1e-4)


@pytest.mark.parametrize(
    "capacity_mbps, delay_ms, duration_s", [(5, 25, 40), (20, 10, 20), (100, 2, 5)]
)
def test_one_tcp_gets_the_capacity_less_headers(
    tmp_path: Path, capacity_mbps: float, delay_ms: float, duration_s: float
) -> None:
    # Reno halves its window; a queue of 1.5 times the path keeps the link busy.
    parameters = {
        "path1.capacity": f"{capacity_mbps} Mbit/s",
        "path1.delay": f"{delay_ms} ms",
        "path1.queueing_delay": f"{3 * delay_ms + 20} ms",
    }
    job = make_job(tmp_path, TCP, f"{duration_s} s", parameters=parameters)
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    measured = row(artefacts.parent)
    assert (measured["verdict"], measured["reason"]) == ("ok", "")
    expected_mbps = capacity_mbps * PAYLOAD_BYTES / FRAME_BYTES
    assert measured["goodput_mbps"] == pytest.approx(expected_mbps, rel=0.003)


def test_a_large_portion_holds_no_connection(tmp_path: Path) -> None:
    """A reader that waited for a whole window held TCP at its first: 19.9 Mbit/s."""
    parameters = {"path1.capacity": "100 Mbit/s", "path1.delay": "25 ms"}
    read = {"mode": "coalesced", "size": "128 KiB"}
    job = make_job(tmp_path, TCP, "4 s", parameters=parameters, read=read)
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    measured = row(artefacts.parent)
    assert (measured["verdict"], measured["reason"]) == ("ok", "")
    assert measured["goodput_mbps"] > 80


def test_mptcp_gets_both_capacities_less_headers(tmp_path: Path) -> None:
    parameters = {
        f"path{path}.{name}": value
        for path in (1, 2)
        for name, value in {
            "capacity": "10 Mbit/s",
            "delay": "5 ms",
            "queueing_delay": "50 ms",
        }.items()
    }
    job = make_job(tmp_path, duration="10 s", parameters=parameters)
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    measured = row(artefacts.parent)
    assert (measured["verdict"], measured["reason"]) == ("ok", "")
    expected_mbps = 20 * MPTCP_PAYLOAD_BYTES / FRAME_BYTES
    assert measured["goodput_mbps"] == pytest.approx(expected_mbps, rel=0.01)
    assert measured["path1.share"] == pytest.approx(0.5, abs=0.002)


def test_queues_of_seconds_do_not_exhaust_memory(tmp_path: Path) -> None:
    """Two paths that hold 57 MB together, both filled: what the guest has for TCP is
    no bound, and waiting for the last answer through the queues costs no calls."""
    parameters: dict[str, Any] = {}
    for path in (1, 2):
        parameters[f"path{path}.capacity"] = "100 Mbit/s"
        parameters[f"path{path}.delay"] = "150 ms"
        parameters[f"path{path}.queueing_delay"] = "2 s"
    case = {"protocol": "mptcp", "congestion_control": "reno", "scheduler": "lowrtt"}
    job = make_job(tmp_path, case, duration="12 s", parameters=parameters)
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    counters = json.loads((artefacts / "nstat-client.json").read_text())["kernel"]
    assert counters["TcpExtTCPMemoryPressures"] == 0
    found = row(artefacts.parent)
    assert found["verdict"] == "ok", found["reason"]
    assert found["goodput_mbps"] > 100

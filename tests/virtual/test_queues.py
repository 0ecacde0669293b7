"""Mean queues and round-trip times of phases, in guests, against what paper says."""

from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from topologies.shaping import packet_time_ms

from .lab import Lab, job_of

WHERE = pytest.mark.parametrize("fabric", [False, True], ids=["namespaces", "fabric"])


def measured(folder: Path, **spec: Any) -> dict[str, Any]:
    job = job_of(folder, topology="two_path", **spec)
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


@WHERE
def test_a_queue_that_is_full_in_one_phase(tmp_path: Path, fabric: bool) -> None:
    """An even stream of 17 Mbit/s fills a link of 10 Mbit/s. Its queue of 20 packets is
    full but for half a gap of the stream after each departure: 20 - 10 / 17 / 2."""
    entry = {"tool": "cbr", "from": "client", "to": "server", "rate": "17 Mbit/s"}
    found = measured(
        tmp_path,
        fabric=fabric,
        parameters={"path1.capacity": "10 Mbit/s", "path1.queue": 20},
        cases={"only": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
        traffic=[
            {**entry, "duration": "10 s", "start": "2 s"},
            {**entry, "duration": "14 s", "rate": "1 Mbit/s"},
        ],
        phases={"before": "0 s..2 s", "full": "3 s..11 s", "after": "12.5 s..14 s"},
        metrics=["mean_queue"],
    )
    full = 20 - 10 / 17 / 2
    assert found["full.path1.up.mean_queue_packets"] == pytest.approx(full, abs=0.15)
    assert found["full.mean_queue_packets"] == found["full.path1.up.mean_queue_packets"]
    for phase in ("before", "after"):
        assert found[f"{phase}.path1.up.mean_queue_packets"] < 0.2
    assert found["full.path1.down.mean_queue_packets"] == 0
    whole = found["path1.up.mean_queue_packets"]
    assert whole == pytest.approx(full * 10 / found["measured_s"], rel=0.03)


@WHERE
def test_a_round_trip_is_the_delay_and_the_queue(tmp_path: Path, fabric: bool) -> None:
    """TCP keeps the link busy. Two packets share an acknowledgement, so that the first
    waits for the second. On the fabric, the queue is without the packet being sent."""
    found = measured(
        tmp_path,
        fabric=fabric,
        parameters={"path1.capacity": "10 Mbit/s", "path1.delay": "10 ms"},
        cases={"only": {"protocol": "tcp", "congestion_control": "cubic", "path": 1}},
        traffic=[
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "20 s"}
        ],
        phases={"late": "8 s..20 s"},
        metrics=["mean_queue", "smoothed_rtt"],
    )
    packets = found["late.path1.up.mean_queue_packets"] + (2 if fabric else 1)
    assert packets > 20
    expected_ms = 2 * 10 + packets * packet_time_ms(10)
    assert found["late.srtt_ms"] == pytest.approx(expected_ms, rel=0.02)

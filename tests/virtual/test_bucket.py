"""The time that a deeper token bucket of a link saves, in guests."""

from pathlib import Path

import pytest

from analysis.run.row import row
from topologies.queues import FRAME_BYTES

from .lab import Lab, job_of


def completion_s(folder: Path, packets: int) -> float:
    folder.mkdir()
    job = job_of(
        folder,
        topology="two_path",
        cases={"only": {"protocol": "tcp", "congestion_control": "cubic", "path": 1}},
        parameters={"path1.delay": "10 ms", "path1.capacity": "10 Mbit/s"},
        links={"path1": {"bucket": packets}},
        traffic=[{"tool": "curl", "from": "client", "to": "server", "size": "500 kB"}],
    )
    ended, artefacts = Lab(folder).execute(job)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return float(found["completion_time_s"])


def test_saved_packets_leave_at_once(tmp_path: Path) -> None:
    """98 packets more than usual take 119 ms less at 10 Mbit/s."""
    usual, deep = (completion_s(tmp_path / str(n), n) for n in (2, 100))
    saved_s = 98 * FRAME_BYTES * 8 / 10e6
    assert usual - deep == pytest.approx(saved_s, rel=0.02)

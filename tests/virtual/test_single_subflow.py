"""With one subflow a coupled controller is Reno: the same packets, byte for byte."""

from pathlib import Path

import pytest

from .lab import lab_with, make_job, script

TRACE = script("import sys; from tests.virtual.trace import main; sys.exit(main())")
PARAMETERS = {
    "path1.capacity": "10 Mbit/s",
    "path1.delay": "10 ms",
    "path1.queueing_delay": "20 ms",
    "path1.loss": "0.2 %",
}
LEAST_PACKETS = 3000


def trace(folder: Path, protocol: str, controller: str) -> bytes:
    case = {"protocol": "tcp", "congestion_control": controller, "path": 1}
    job = make_job(folder, case, parameters=PARAMETERS)
    job["transfer"] = {"protocol": protocol, "bytes": 4_000_000}
    ended, artefacts = lab_with(folder / controller, TRACE).execute(job)
    assert ended.status == "finished", ended.reason
    return (artefacts / "trace").read_bytes()


@pytest.mark.parametrize("protocol", ["tcp", "mptcp"])
def test_lia_leaves_reno_s_trace(tmp_path: Path, protocol: str) -> None:
    reno = trace(tmp_path, protocol, "reno")
    assert len(reno) > LEAST_PACKETS * 100
    assert trace(tmp_path, protocol, "lia") == reno
    assert trace(tmp_path, protocol, "cubic") != reno

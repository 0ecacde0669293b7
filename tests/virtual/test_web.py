"""Downloads and requests in the guest: real curl, ab and nginx."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run import row as rows
from mpbench.backends.base import Bounds
from tests.virtual.lab import (
    BOUNDS,
    MPTCP,
    TCP,
    Lab,
    contents,
    lab_with,
    make_job,
    script,
)

PATHS = {
    "path1.capacity": "20 Mbit/s",
    "path2.capacity": "10 Mbit/s",
    "path2.delay": "20 ms",
}
BURST_BYTES = 2 * 1514
PORT = 7000
TAKEN = script(
    "import sys; from tests.virtual.taken_port import main; "
    f"sys.exit(main('server', {PORT}))"
)


def web_job(
    folder: Path, case: dict[str, Any] | None = None, **traffic: Any
) -> dict[str, Any]:
    """`make_job` for entries without a duration."""
    return make_job(folder, case, parameters=PATHS, **{"duration": None, **traffic})


@pytest.mark.parametrize(
    "traffic",
    [
        {"tool": "curl", "size": "500 kB", "timeout": "30 s"},
        {"tool": "ab", "size": "300 kB", "requests": 12, "concurrency": 3},
    ],
    ids=lambda traffic: str(traffic["tool"]),
)
def test_mptcp_of_both_ends_repeats(tmp_path: Path, traffic: dict[str, Any]) -> None:
    lab = Lab(tmp_path)
    job = web_job(tmp_path, MPTCP, **traffic)
    first, one = lab.execute(job)
    second, other = lab.execute(job)
    assert first.status == second.status == "finished"
    assert contents(one) == contents(other)
    row = rows.row(one.parent)
    assert (row["verdict"], row["reason"]) == ("ok", "")
    assert row["connections"] == (1 if traffic["tool"] == "curl" else 12)
    assert row["joined_subflows"] > 0
    assert 0.05 < row["path1.share"] < 0.98


def test_download_times_are_those_of_the_path(tmp_path: Path) -> None:
    """8 kB are six segments, less than the first window: a round trip to connect, one
    to be answered, and six frames at 20 Mbit/s, of which tbf lets two pass at once."""
    job = web_job(tmp_path, TCP, tool="curl", size="8 kB")
    _, artefacts = Lab(tmp_path).execute(job)
    row = rows.row(artefacts.parent)
    assert row["verdict"] == "ok"
    assert row["connect_time_s"] == pytest.approx(0.020, abs=1e-4)
    frames_s = (8000 + 260 + 6 * 66 - BURST_BYTES) * 8 / 20e6
    assert row["completion_time_s"] == pytest.approx(0.040 + frames_s, abs=2e-4)
    # Nothing else happens: no name is looked up, no server is waited for.
    _, client = json.loads((artefacts / "outcome.json").read_text())["processes"]
    lasted_s = client["end_s"] - client["start_s"]
    assert lasted_s == pytest.approx(row["completion_time_s"], abs=1e-3)


def test_tcp_on_the_other_path(tmp_path: Path) -> None:
    case = {**TCP, "path": 2}
    job = web_job(
        tmp_path, case, tool="ab", size="8 kB", duration="2 s", keep_alive=True
    )
    _, artefacts = Lab(tmp_path).execute(job)
    row = rows.row(artefacts.parent)
    assert row["verdict"] == "ok"
    assert row["path1.share"] == 0
    frames_ms = (8000 + 260 + 6 * 66 - BURST_BYTES) * 8 / 10e3
    assert row["request_time_p50_ms"] == pytest.approx(40 + frames_ms, abs=0.2)


def test_a_request_without_end_meets_the_time_limit(tmp_path: Path) -> None:
    job = web_job(tmp_path, TCP, tool="ab", size="1 GB", duration="1 s")
    bounds = Bounds(5, BOUNDS.wall_s, BOUNDS.silence_s)
    ended, _ = Lab(tmp_path).execute(job, bounds)
    assert ended.status == "timeout"
    assert "not done after 5 virtual seconds" in ended.reason


@pytest.mark.parametrize(
    ("traffic", "said"),
    [
        ({"tool": "curl", "size": "500 kB"}, "could not bind"),
        ({"tool": "iperf3", "duration": "2 s"}, "Address already in use"),
    ],
    ids=lambda traffic: str(traffic["tool"]) if isinstance(traffic, dict) else "",
)
def test_a_server_that_does_not_come_up(
    tmp_path: Path, traffic: dict[str, Any], said: str
) -> None:
    """Its port is another's: one line says which, and what the server said."""
    job = web_job(tmp_path, TCP, **traffic)
    job["traffic"][0]["port"] = PORT
    ended, artefacts = lab_with(tmp_path, TAKEN).execute(job)
    assert ended.status == "failed"
    assert "\n" not in ended.reason
    assert f"traffic-0-server: port {PORT} does not listen" in ended.reason
    assert "the server ended at once (" in ended.reason
    assert said in ended.reason, "its last words"
    outcome = json.loads((artefacts / "outcome.json").read_text())
    assert outcome["status"] == "failed" and ended.reason.endswith(outcome["error"])

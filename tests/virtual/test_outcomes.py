"""Connections whose paths go dark, in guests: what became of them is a result."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from mpbench.backends.base import Bounds

from .lab import Lab, job_of

IMPATIENT = {"net.ipv4.tcp_retries2": 3}
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
BULK = {"tool": "iperf3", "from": "client", "to": "server", "duration": "20 s"}
DARK = {"path1..2": {"at": {"2 s": {"loss": "100 %"}}}}


def measured(folder: Path, case: dict[str, Any], **spec: Any) -> dict[str, Any]:
    spec = {"topology": "two_path", "traffic": [BULK], **spec, "cases": {"only": case}}
    job = job_of(folder, **spec)
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(folder).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    for host in ("client", "server"):
        document = json.loads((artefacts / f"nstat-{host}.json").read_text())
        assert "TcpOutSegs" in document["kernel"]
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


def test_tcp_gives_up_and_the_phase_before_is_measured(tmp_path: Path) -> None:
    """Three retries: 0.2 + 0.4 + 0.8 + 1.6 s and more after the path went dark.

    An interval of iperf3's that began before that has a part after it.
    """
    found = measured(
        tmp_path,
        {**TCP, "sysctls": IMPATIENT},
        changes=DARK,
        phases={"before": "0 s..2 s", "dark": "3 s..20 s"},
    )
    assert (found["ended"], found["errno"]) == ("aborted", "ETIMEDOUT")
    assert 4.0 < found["ended_s"] < 10.0
    assert found["before.goodput_mbps"] == pytest.approx(9.5, abs=0.3)
    assert found["dark.goodput_mbps"] < 0.01
    assert found["protocol_at_end"] == "tcp"


def test_mptcp_that_hangs_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        {**MPTCP, "sysctls": IMPATIENT},
        changes=DARK,
        phases={"before": "0 s..2 s"},
        time_limit="25 s",
    )
    assert (found["ended"], found["protocol_at_end"]) == ("hanging", "mptcp")
    assert found["ended_s"] == pytest.approx(25.0, abs=0.5)
    assert (found["subflows_joined"], found["subflows_lost"]) == (2, 4)
    assert found["before.goodput_mbps"] > 15


def test_a_path_that_is_down_from_the_start_is_no_fault(tmp_path: Path) -> None:
    found = measured(tmp_path, MPTCP, changes={"path2": {"at": {"0 s": {"up": False}}}})
    assert (found["ended"], found["subflows"]) == ("complete", 1.0)
    assert (found["subflows_asked"], found["path2.share"]) == (0, 0)


def test_nobody_answers_the_first_syn(tmp_path: Path) -> None:
    """Six SYNs more, which takes 127 s; curl gives up after 30 s."""
    found = measured(
        tmp_path,
        MPTCP,
        changes={"path1..2": {"at": {"0 s": {"loss": "100 %"}}}},
        traffic=[
            {
                "tool": "curl",
                "from": "client",
                "to": "server",
                "size": "1 MB",
                "timeout": "30 s",
            }
        ],
    )
    assert (found["connected"], found["ended"]) == (0, "given up")
    assert found["syns"] == 1 + found["syns_repeated"] > 5
    assert found["protocol_at_end"] is None

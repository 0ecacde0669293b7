"""Backup paths: silent while another path works, and used once none does."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds

from .lab import Lab, job_of, lab_with, script

OUTAGE = script(
    "import sys; from tests.virtual.outage import main; sys.exit(main('wifi', 4.0))"
)
LINKS = {
    "wifi": {"capacity": "20 Mbit/s", "delay": "5 ms"},
    "lte": {"capacity": "8 Mbit/s", "delay": "20 ms"},
}
PATHS: list[Any] = ["wifi", {"links": "lte", "backup": True}]
SCHEDULERS = (
    *("default", "lowrtt", "roundrobin", "redundant", "paced"),
    *("blest", "ecf", "weighted", "daps", "otias", "stms"),
)


def job(folder: Path, paths: list[Any], scheduler: str, **case: Any) -> dict[str, Any]:
    cases = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": scheduler}
    entry = {"tool": "iperf3", "from": "u", "to": "server_u", "duration": "12 s"}
    network = {"links": LINKS, "users": {"u": {"paths": paths}}}
    return job_of(
        folder, network=network, cases={"only": {**cases, **case}}, traffic=[entry]
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_backup_is_silent_while_the_other_path_works(
    tmp_path: Path, scheduler: str
) -> None:
    made = job(tmp_path, PATHS, scheduler)
    ended, artefacts = Lab(tmp_path).execute(made, bounds(load_job(made)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["joined_subflows"] == 2  # iperf3 has two connections
    assert found["lte.bytes"] < 3000 and found["wifi.bytes"] > 10e6


def test_a_case_may_name_the_first_path_or_none(tmp_path: Path) -> None:
    """The case's own words count more than the network's."""
    made = job(tmp_path, PATHS, "lowrtt", backup=1)
    ended, artefacts = Lab(tmp_path).execute(made, bounds(load_job(made)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["lte.share"] > 0.95
    made = job(tmp_path, PATHS, "lowrtt", backup=[])
    ended, artefacts = Lab(tmp_path / "none").execute(made, bounds(load_job(made)))
    assert 0.2 < row(artefacts.parent)["lte.share"] < 0.35


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_backup_takes_over_when_the_other_path_fails(
    tmp_path: Path, scheduler: str
) -> None:
    """Bulk data, and iperf3's connection for control, which sends single bytes."""
    made = job(tmp_path, PATHS, scheduler)
    ended, artefacts = lab_with(tmp_path, OUTAGE).execute(made, bounds(load_job(made)))
    assert ended.status == "finished", ended.reason
    report = json.loads((artefacts / "traffic-0-server.json").read_text())
    mbps = [i["sum"]["bits_per_second"] / 1e6 for i in report["intervals"]]
    assert min(mbps[1:3]) > 15
    assert max(mbps[9:11]) == pytest.approx(8 * 1428 / 1514, rel=0.1)


def test_captures_name_the_host_where_interfaces_are_called_alike(
    tmp_path: Path,
) -> None:
    """Each host of a network has an eth1; a capture says at which host it was."""
    made = job(tmp_path, ["wifi", "lte"], "default")
    at = ["server_u-eth1", "server_u-eth2", "u-eth1", "u-eth2"]
    made["capture"] = {"interfaces": at, "full": False}
    ended, artefacts = Lab(tmp_path).execute(made, bounds(load_job(made)))
    assert ended.status == "finished", ended.reason
    counts = json.loads((artefacts / "capture.json").read_text())["packets"]
    assert sorted(counts) == at and all(counts.values())
    found = row(artefacts.parent)
    assert found["wifi.capture_share"] == pytest.approx(found["wifi.share"], abs=0.01)
    assert found["lte.capture_share"] == pytest.approx(found["lte.share"], abs=0.01)
    assert 0 < found["mean_loss_probability"] < 0.05

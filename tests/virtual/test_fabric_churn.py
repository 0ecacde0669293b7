"""Networks on the fabric leave nothing behind, and nothing in the kernel's log."""

import json
from pathlib import Path

from mpbench.backends.base import Bounds

from .lab import guest_call, lab_with, make_job

ROUNDS = 10
"""Each of the ways in which a round ends, with single frames and whole segments."""


def test_networks_that_go_while_packets_are_under_way(tmp_path: Path) -> None:
    call = guest_call("tests.virtual.fabric_churn", [str(ROUNDS)])
    bounds = Bounds(virtual_s=200.0, wall_s=300.0, silence_s=120.0)
    job = make_job(tmp_path)
    ended, artefacts = lab_with(tmp_path / "lab", call).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "fabric_churn.json").read_text())
    assert len(found["bytes"]) == ROUNDS and min(found["bytes"]) > 100_000
    assert (found["links"], found["namespaces"], found["log"]) == (0, 0, [])

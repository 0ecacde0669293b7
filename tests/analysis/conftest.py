"""Runs as they stand on disk, from captured artefacts."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from jobs.links import of_shapes
from tests import made_jobs
from topologies.shaping import link_shape

Change = Callable[[dict[str, Any]], None]
"""Alters a job in place."""


class MakeRun(Protocol):
    """The fixture `make_run`."""

    def __call__(self, scenario: str, change: Change | None = None) -> Path: ...


CAPTURED = Path(__file__).parent / "captured"
PATHS = {
    1: {"capacity_mbps": 20.0, "delay_ms": 5.0, "queue_packets": 1000},
    2: {"capacity_mbps": 10.0, "delay_ms": 10.0, "queue_packets": 50, "jitter_ms": 0.1},
}
"""Files that capture.py built. On path 1 netem below tbf is the queue: 1000 packets."""


def job(scenario: str) -> dict[str, Any]:
    """Job of the scenario of capture.py."""
    tcp, sized = scenario == "tcp", scenario == "mptcp-sized"
    return {
        "parameters": {
            f"path{path}.{key}": value
            for path, values in PATHS.items()
            for key, value in {
                "loss_percent": 1.0 if scenario == "mptcp-lossy" else 0.0,
                "jitter_ms": 0.0,
                **values,
            }.items()
        },
        "transport": {
            "protocol": "tcp" if tcp else "mptcp",
            "congestion_control": "cubic",
            "scheduler": None if tcp else "default",
            "path": 1 if tcp else None,
        },
        "traffic": [
            {
                "tool": "iperf3",
                "from": "client",
                "to": "server",
                "duration_s": None if sized else 4.0,
                "bytes": 4 * 2**20 if sized else None,
                "parallel": 3 if scenario == "mptcp-parallel" else 1,
                "reverse": scenario == "mptcp-reverse",
                "interval_s": 1.0,
            }
        ],
    }


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """A run's directory from a scenario; `change` may alter its job."""

    def make(scenario: str, change: Change | None = None) -> Path:
        run = tmp_path / scenario
        shutil.copytree(CAPTURED / scenario, run / "artefacts")
        own = run / "artefacts" / "job.json"
        made = json.loads(own.read_text()) if own.exists() else job(scenario)
        if change:
            change(made)
        # The captured jobs are older than the format: the plan resolves links now.
        made["topology"] = made_jobs.TOPOLOGY
        links = [key.partition(".")[0] for key in made["parameters"]]
        shapes = {link: link_shape(made["parameters"], link) for link in links}
        made["links"] = [link.to_json() for link in of_shapes(shapes)]
        (run / "job.json").write_text(json.dumps(made_jobs.document(made)))
        return run

    return make

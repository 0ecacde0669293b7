"""Plans, measures and tables small enough to know by heart."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from jobs import Job
from jobs.links import of_shapes
from mpbench.engine.types import Experiment
from mpbench.plan import job_format
from mpbench.plan.make import run_id
from topologies import resolve

TCP: dict[str, Any] = {"protocol": "tcp", "congestion_control": "reno", "sysctls": {}}
TCP |= {"scheduler": None, "path_manager": None}
CASES: dict[str, dict[str, Any]] = {
    "mptcp": {
        "protocol": "mptcp",
        "congestion_control": "lia",
        "scheduler": "lowrtt",
        "path": None,
        "path_manager": "fullmesh",
        "sysctls": {},
    },
    "tcp1": {**TCP, "path": 1},
    "tcp2": {**TCP, "path": 2},
}


@dataclass(frozen=True)
class Run:
    id: str
    point: int
    case: str
    repetition: int
    factors: dict[str, Any]
    job: Job


@dataclass(frozen=True)
class Plan:
    runs: tuple[Run, ...]
    spec_hash: str = "abc123"


def job(point: int, case: str, capture: bool = False) -> dict[str, Any]:
    """A job as mpbench.plan makes it: two paths, 30 s of iperf3."""
    parameters = {
        f"path{path}.{name}": value
        for path in (1, 2)
        for name, value in {
            "capacity_mbps": 10.0 * path + point,
            "delay_ms": 10.0,
            "queueing_delay_ms": 100.0,
            "queue_packets": None,
            "loss_percent": 0.0,
            "jitter_ms": 0.0,
        }.items()
    }
    traffic = {
        "tool": "iperf3",
        "from": "client",
        "to": "server",
        "port": 5201,
        "duration_s": 30.0,
        "bytes": None,
        "reverse": False,
        "parallel": 1,
        "start_s": 0.0,
        "interval_s": 1.0,
        "read": "coalesced",
        "read_bytes": 16384,
        "transport": None,
    }
    resolved = of_shapes(resolve("two_path", parameters))
    return {
        "format": 2,
        "seed": 7,
        "topology": "two_path",
        "parameters": parameters,
        "links": [link.to_json() for link in resolved],
        "transport": CASES[case],
        "traffic": [traffic],
        "time_limit_s": 40.0,
        "trace_s": None,
        "capture": {"interfaces": ["client-eth1"], "full": False} if capture else None,
        "report": {"names": None, "phases": {}},
    }


def plan(points: int = 2, build: str = "1", capture: bool = False) -> Plan:
    """`points` design points, each under three cases."""
    runs = []
    for point in range(points):
        for case in CASES:
            asked = job(point, case, capture)
            name = run_id(asked, {"fake": build})
            wanted = job_format.load(asked)
            factors = {"path1.capacity_mbps": 10.0 + point}
            runs.append(Run(name, point, case, 0, factors, wanted))
    return Plan(tuple(runs))


def experiment(points: int = 2, build: str = "1", capture: bool = False) -> Experiment:
    return Experiment("small", b"name: small\n", plan(points, build, capture))


def measure(folder: Path) -> dict[str, Any]:
    """Goodput at the receiver; fails on anything but whole JSON."""
    told = json.loads((folder / "artefacts" / "traffic-0-server.json").read_bytes())
    received = told["end"]["sum_received"]
    return {"goodput_mbps": received["bits_per_second"] / 1e6, "verdict": "ok"}


def tabulate(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows)

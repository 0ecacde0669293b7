"""Guests for tests: a job from a few words, executed, with what it left."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from jobs import bare, dump
from mpbench.backends import boot, roots
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from tests.virtual.records import record

REPOSITORY = Path(__file__).parents[2]
MPTCP = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
TCP = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
BULK = {"tool": "iperf3", "from": "client", "to": "server"}
BOUNDS = Bounds(virtual_s=60.0, wall_s=120.0, silence_s=60.0)


def make_job(
    folder: Path,
    case: dict[str, Any] | None = None,
    duration: str | None = "2 s",
    seed: int = 1,
    parameters: dict[str, Any] | None = None,
    **traffic: Any,
) -> dict[str, Any]:
    """The job of a one-run experiment on `two_path`."""
    entry = {**BULK, "duration": duration, **traffic}
    return job_of(
        folder,
        seed=seed,
        topology="two_path",
        parameters=parameters or {},
        cases={"only": case or MPTCP},
        traffic=[{key: value for key, value in entry.items() if value is not None}],
    )


def job_of(folder: Path, **spec: Any) -> dict[str, Any]:
    """The job of an experiment with one run."""
    spec["name"] = "test"
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump(spec))
    (run,) = make_plan(load(path), {}).runs
    return dump(run.job)


@dataclass
class Lab:
    """Executes in fresh folders below one.

    reported : virtual seconds that the last execution reported
    """

    root: Path
    backend: VirtualBackend = field(default_factory=VirtualBackend)
    cancel: threading.Event = field(default_factory=threading.Event)
    reported: list[float] = field(default_factory=list)
    count: int = 0

    def execute(
        self, job: dict[str, Any], bounds: Bounds = BOUNDS, cpu: int | None = 0
    ) -> tuple[Exit, Path]:
        """The end of the execution, and the folder with the artefacts."""
        self.count += 1
        self.reported = []
        folder = self.root / f"run{self.count}"
        (folder / "artefacts").mkdir(parents=True)
        (folder / "job.json").write_text(json.dumps(job))
        known = record(job) if "topology" in job else bare(job["seed"], 10.0)
        ended = self.backend.execute(
            known, folder, cpu, bounds, self.reported.append, self.cancel
        )
        return ended, folder / "artefacts"


def lab_with(root: Path, argv: Sequence[str], memory_mib: int = 512) -> Lab:
    """A lab whose guests run `argv`, which may be in the tests, not the guest code."""
    machine = boot.Machine(memory_mib=memory_mib)
    return Lab(root, VirtualBackend(machine, argv, reads=(REPOSITORY,)))


def script(text: str) -> tuple[str, ...]:
    return (*boot.PYTHON, "-c", text)


def guest_call(module: str, arguments: Sequence[str] = ()) -> tuple[str, ...]:
    """Command with which a guest calls `main(arguments)` of a module of the tests."""
    place = roots.CODE if roots.kind() == roots.IMAGE else str(REPOSITORY)
    return script(
        f"import sys; sys.path.insert(0, {place!r}); "
        f"from {module} import main; main({list(arguments)!r})"
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

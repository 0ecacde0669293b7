"""Runs on the host's own kernel, in real time, as root.

The guest code is the same as in the virtual lab. It runs in an enclosure of its own
(see `enclosure`): it cannot reach an interface, bridge or namespace of the host, and
what it made ends with its last process. A run may use all CPUs, as on a real host, so
one run goes on at a time. A second execution of a run is another measurement, and its
bytes differ.
"""

import json
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from jobs import Job
from mpbench.backends import boot, prepared, read_tools, requirements, tools
from mpbench.backends.base import Bounds, Exit, Report
from mpbench.backends.guest_code import guest_code_hash
from mpbench.backends.guest_process import TRAFFIC_BOUND, Enclosed, Watch, environment
from mpbench.store.provenance import cpu_model

SIGNAL_BASE = 128


def create() -> "NativeBackend":
    """The backend of ``--backend native``."""
    return NativeBackend()


class NativeBackend:
    """Examines the machine once, at the first call that needs to know it."""

    name = "native"
    max_parallel: int | None = 1

    @cached_property
    def _machine(self) -> requirements.Machine:
        machine = requirements.look()
        requirements.refuse_missing(requirements.needs(machine))
        return machine

    def identity(self) -> dict[str, str]:
        self.check([])
        kernel = os.uname()
        return {
            "kernel": f"{kernel.release} {kernel.version}",
            "guest": guest_code_hash(),
            "read": read_tools.content_hash(),
            "tools": tools.fingerprint(tools.GUEST),
        }

    def provenance(self) -> dict[str, Any]:
        return {
            "kernel": " ".join(os.uname()[2:4]),
            "cpu": cpu_model(),
            "cpus": sorted(os.sched_getaffinity(0)),
            "guest_python": list(boot.PYTHON),
            "offered": {k: v for k, v in self._machine.kernel.items() if v},
            "tools": tools.versions(tools.GUEST),
        }

    def check(self, jobs: Sequence[Job]) -> None:
        requirements.refuse_fabric(jobs)
        prepared.refuse_content(jobs, "--backend native")
        requirements.check_jobs(jobs, self._machine)

    def alike(self, job: Job) -> str | None:
        return None

    def execute(
        self,
        job: Job,
        directory: Path,
        cpu: int | None,
        bounds: Bounds,
        report: Report,
        cancel: threading.Event,
    ) -> Exit:
        self.check([job])
        prepared.prepare(job, directory)
        variables = environment(str(read_tools.folder()))
        artefacts = directory / "artefacts"
        with (artefacts / "console.log").open("wb") as console:
            enclosed = Enclosed(boot.MEASURE, directory, variables, console)
            try:
                watch = Watch(enclosed, artefacts, bounds)
                ended = watch.until_end(report, cancel)
            finally:
                enclosed.end()
        return _exit(ended, watch, artefacts)


def _exit(ended: int | str | None, watch: Watch, artefacts: Path) -> Exit:
    wall_s, traffic_s = watch.wall_s, watch.traffic_s
    if ended is None:
        return Exit("cancelled", "cancelled", wall_s, traffic_s)
    if isinstance(ended, str):
        accident = not ended.endswith(TRAFFIC_BOUND)
        return Exit("timeout", ended, wall_s, traffic_s, host_accident=accident)
    if ended > SIGNAL_BASE:
        reason = f"killed by signal {ended - SIGNAL_BASE}"
        return Exit("killed", reason, wall_s, traffic_s, host_accident=True)
    outcome = _outcome(artefacts)
    virtual_s = float(outcome.get("virtual_s") or traffic_s)
    if ended == 0 and outcome.get("status") == "ok":
        return Exit("finished", "", wall_s, virtual_s)
    reason = outcome.get("error") or f"the guest's code ended with exit status {ended}"
    return Exit("failed", reason, wall_s, virtual_s)


def _outcome(artefacts: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((artefacts / "outcome.json").read_text()))
    except (OSError, ValueError):
        return {}

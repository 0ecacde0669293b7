"""A backend without a kernel, to test everything that surrounds one.

It leaves a real run's files with made-up numbers (`fake_artefacts`), at once or
at a chosen speed, and can be told to fail (`fake_script`): by its constructor
or by the environment's MPBENCH_FAKE. Scripts are no part of its identity: the same run
may fail today and not tomorrow.
"""

import json
import os
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs import Job
from mpbench.backends import fake_script
from mpbench.backends.base import Bounds, Exit, Report, Status
from mpbench.errors import UserError

STEPS = 20
"""Seconds of wall time between two reports of a run."""


def create() -> "FakeBackend":
    """The backend of ``--backend fake``, scripted by the environment."""
    return FakeBackend(fake_script.parse(os.environ.get(fake_script.ENVIRONMENT)))


@dataclass(frozen=True)
class Ending:
    """The end of a run, and the files that it leaves.

    share : of its virtual time that passes
    silent : whether it ends only when a bound is reached
    """

    status: Status
    reason: str
    share: float
    files: Mapping[str, bytes]
    silent: bool = False


class FakeBackend:
    """Executions share nothing but the scripts.

    scripts : see mpbench.backends.fake_script
    build : its identity, for tests of a change of builds
    """

    name = "fake"
    max_parallel: int | None = None

    def __init__(
        self, scripts: Sequence[fake_script.Script] = (), build: str = "1"
    ) -> None:
        self._scripts = tuple(scripts)
        self._build = build

    def identity(self) -> dict[str, str]:
        return {"fake": self._build}

    def provenance(self) -> dict[str, Any]:
        return {"scripts": [dict(script) for script in self._scripts]}

    def check(self, jobs: Sequence[Job]) -> None:
        """Every job can run."""

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
        # A run with nothing to do needs none of it.
        from mpbench.backends.fake_artefacts import artefacts

        began_s = time.monotonic()
        script = fake_script.resolve(self._scripts, job)
        files = artefacts(job)
        virtual_s = float(json.loads(files["outcome.json"])["virtual_s"])
        end = ending(script["do"], files, bounds)
        cancelled = not _pass_time(script["wall_s"], virtual_s, report, cancel)
        if not cancelled:
            _leave(end.files, directory / "artefacts", script["ballast_bytes"])
            cancelled = end.silent and cancel.wait(_patience_s(bounds))
        wall_s = time.monotonic() - began_s
        if cancelled:
            return Exit("cancelled", "cancelled", wall_s, 0.0)
        return Exit(
            end.status,
            end.reason,
            wall_s,
            end.share * virtual_s,
            host_accident=end.silent or end.status == "killed",
        )


def ending(action: str, files: dict[str, bytes], bounds: Bounds) -> Ending:
    """The outcome of an action on a run that would otherwise leave `files`."""
    begun = files["console.log"].splitlines(keepends=True)[0]
    match action:
        case "finish":
            return Ending("finished", "", 1.0, files)
        case "differ":
            console = files["console.log"] + f"{secrets.token_hex(8)}\n".encode()
            return Ending("finished", "", 1.0, {**files, "console.log": console})
        case "garble":
            name = "traffic-0-server.json"
            half = files[name][: len(files[name]) // 2]
            return Ending("finished", "", 1.0, {**files, name: half})
        case "panic":
            reason = "Kernel panic - not syncing: told to"
            words = f"{reason}\r\n\x1b[31mCall Trace:\x1b[0m\n <TA".encode()
            return Ending("panicked", reason, 0.5, {"console.log": begun + words})
        case "hang":
            reason = f"no sign of life for {_patience_s(bounds):g} s of wall time"
            return Ending("timeout", reason, 0.5, {"console.log": begun}, silent=True)
        case "overrun":
            reason = f"not done after {bounds.virtual_s:g} virtual seconds"
            return Ending("timeout", reason, 1.0, {"console.log": begun})
        case "die":
            return Ending("killed", "killed by signal 9", 0.5, {"console.log": begun})
        case "fail":
            return _failed(files, begun)
        case "refuse":
            raise UserError("fake: told to refuse; tell it something else")
    raise RuntimeError("fake: told to have a bug")


def _failed(files: Mapping[str, bytes], begun: bytes) -> Ending:
    reason = "NetworkError: told to"
    outcome = json.loads(files["outcome.json"])
    outcome |= {"status": "failed", "error": reason, "processes": []}
    left = {
        "outcome.json": (json.dumps(outcome, indent=1, sort_keys=True) + "\n").encode(),
        "console.log": begun + reason.encode() + b"\n",
    }
    return Ending("failed", reason, 0.0, left)


def _patience_s(bounds: Bounds) -> float:
    return min(bounds.silence_s, bounds.wall_s)


def _leave(files: Mapping[str, bytes], folder: Path, ballast_bytes: int) -> None:
    ballast = {"ballast.bin": bytes(ballast_bytes)} if ballast_bytes else {}
    for name, content in {**files, **ballast}.items():
        (folder / name).write_bytes(content)


def _pass_time(
    wall_s: float, virtual_s: float, report: Report, cancel: threading.Event
) -> bool:
    """Wait for `wall_s` seconds and report; returns False if cancelled meanwhile."""
    for step in range(1, STEPS + 1):
        if cancel.wait(wall_s / STEPS) if wall_s else cancel.is_set():
            return False
        report(virtual_s * step / STEPS)
    return True

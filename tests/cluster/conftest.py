"""A scheduler and workers as processes, each with folders of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest

from mpbench.store.scratch import PREFIX

START_S = 60


class Workers:
    """A scheduler on the loopback address, and workers without shared files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def start_scheduler(self, **environment: str) -> None:
        file = self.folder / "scheduler.json"
        self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
            **environment,
        )  # fmt: skip
        with distributed.Client(  # type: ignore[no-untyped-call]
            scheduler_file=str(file), timeout=START_S, set_as_default=False
        ) as client:
            host = client.scheduler.address.removeprefix("tcp://")
        self.address = f"dask://{host}"

    def add(self, name: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, with its own temporary folder and home."""
        own = self.folder / name
        (own / "tmp").mkdir(parents=True)
        return self._start(
            "worker", self.address.replace("dask://", "tcp://"), "--no-dashboard",
            "--nthreads", "1", "--no-nanny", "--name", name,
            "--local-directory", str(own), "--host", "127.0.0.1",
            **{"TMPDIR": str(own / "tmp"), **environment},
        )  # fmt: skip

    def scratch(self, name: str) -> list[Path]:
        """The temporary folders that a worker has now."""
        return list((self.folder / name / "tmp").glob(f"{PREFIX}*"))

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start(
        self, verb: str, *words: str, **environment: str
    ) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{verb}-{len(self.processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + verb, *words],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **environment},
            )
        self.processes.append(process)
        return process


@pytest.fixture
def workers(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Workers]:
    """Indirect parameters are the scheduler's environment."""
    started = Workers(tmp_path)
    try:
        started.start_scheduler(**getattr(request, "param", {}))
        yield started
    finally:
        started.stop()


def wait_for(there: object, seconds: float = START_S) -> None:
    """Wait until the function `there` returns something true."""
    assert callable(there)
    end_s = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end_s
        time.sleep(0.05)

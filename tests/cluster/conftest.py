"""A scheduler and workers as processes, each with folders of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import distributed
import pytest

from mpbench.store.scratch import PREFIX
from tests.cluster import roots

START_S = 180
"""Also on a machine that is busy with other work."""


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
            "worker", *self._worker(name, own),
            **{"TMPDIR": str(own / "tmp"), **environment},
        )  # fmt: skip

    def add_in_root(
        self, name: str, reads: Sequence[Path] = (), hook: str = "", **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker of one thread in a root of its own (see `roots`).

        reads : folders of the host that the worker sees, beside those of every root
        hook : Python that the worker executes when it starts
        """
        root = self.root(name)
        roots.make(root)
        (root / roots.HOOKS[1:] / "sitecustomize.py").write_text(hook)
        words = _python("worker", *self._worker(name, Path("/tmp")))
        return self._launch(
            f"worker-{name}",
            roots.command(root, words, reads),
            roots.environment(**environment),
        )

    def root(self, name: str) -> Path:
        """The folder that is the root of a worker."""
        return self.folder / f"root-{name}"

    def _worker(self, name: str, folder: Path) -> list[str]:
        """The arguments of a worker, which keeps its files in `folder`."""
        return [
            self.address.replace("dask://", "tcp://"), "--no-dashboard",
            "--nthreads", "1", "--no-nanny", "--name", name,
            "--local-directory", str(folder), "--host", "127.0.0.1",
        ]  # fmt: skip

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
        name = f"{verb}-{len(self.processes)}"
        variables = {**os.environ, **environment}
        return self._launch(name, _python(verb, *words), variables)

    def _launch(
        self, name: str, argv: list[str], variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                argv, stdout=log, stderr=log, cwd=self.folder, env=variables
            )
        self.processes.append(process)
        return process


def _python(verb: str, *words: str) -> list[str]:
    return [sys.executable, "-m", f"distributed.cli.dask_{verb}", *words]


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

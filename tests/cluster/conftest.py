"""A scheduler and workers as processes, each with folders of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from mpbench.store.scratch import PREFIX
from tests.cluster import roots, tls

START_S = 180
"""Also on a machine that is busy with other work."""


class Workers:
    """A scheduler on the loopback address, and workers without shared files.

    protocol : "tls" or "dask", as `--on` names it
    keys : where the certificates are
    settings : variables by which Dask's programs find the certificates
    """

    def __init__(self, folder: Path, keys: Path, protocol: str = "tls") -> None:
        self.folder = folder
        self.keys = keys
        self.protocol = protocol
        self.settings = tls.settings(keys) if protocol == "tls" else {}
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def start_scheduler(self, **environment: str) -> None:
        file = self.folder / "scheduler.json"
        self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file), "--protocol", self._scheme,
            **environment,
        )  # fmt: skip
        wait_for(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        host = json.loads(file.read_text())["address"].partition("://")[2]
        self.address = f"{self.protocol}://{host}"

    @property
    def on(self) -> list[str]:
        """The arguments of `mpbench run`."""
        plain = ["--insecure-plain-dask"] if self.protocol == "dask" else []
        return ["--on", self.address, *plain]

    @property
    def _scheme(self) -> str:
        return "tls" if self.protocol == "tls" else "tcp"

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
            roots.command(root, words, [*reads, self.keys]),
            roots.environment(**self.settings, **environment),
        )

    def join(self) -> None:
        """Wait until the scheduler knows every worker: one may take much longer."""
        logs = list(self.folder.glob("worker-*.log"))
        wait_for(lambda: all(b"Registered to:" in log.read_bytes() for log in logs))

    def root(self, name: str) -> Path:
        """The folder that is the root of a worker."""
        return self.folder / f"root-{name}"

    def _worker(self, name: str, folder: Path) -> list[str]:
        """The arguments of a worker, which keeps its files in `folder`."""
        return [
            self.address.replace("dask://", "tcp://"), "--no-dashboard",
            "--protocol", self._scheme,
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
        variables = {**os.environ, **self.settings, **environment}
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


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate and its key."""
    folder = tmp_path_factory.mktemp("keys")
    tls.make(folder)
    return folder


@pytest.fixture
def workers(
    tmp_path: Path,
    keys: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Workers]:
    """Indirect parameters are the scheduler's environment. Connections are encrypted,
    and `mpbench` finds the certificates where Dask's configuration says."""
    started = Workers(tmp_path, keys)
    for name, value in started.settings.items():
        monkeypatch.setenv(name, value)
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

"""A live page to ask, and a results folder that fills at a test's command."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mpbench.store import layout, runs
from mpbench.store.lock import locked

PATIENCE_S = 120


def until(holds: Callable[[], Any]) -> Any:
    """Result of `holds` as soon as it is true."""
    end_s = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < end_s, "the condition never held"
        time.sleep(0.05)
    return found


class Filling:
    """Results that take in the runs of a finished campaign one after another, in the
    way of the engine: under its lock, each run at once and whole."""

    def __init__(self, whole: Path, root: Path) -> None:
        self.whole, self.root = layout.Results(whole), layout.Results(root)
        self.root.runs.mkdir(parents=True)
        for path in (self.whole.campaign, self.whole.experiment):
            shutil.copy(path, root)
        self.left = sorted(path.name for path in self.whole.runs.iterdir())

    def working(self) -> contextlib.AbstractContextManager[None]:
        return locked(self.root.lock)

    def begin(self, worker: str = "") -> str:
        """A run in flight, on this machine or on a worker of a cluster."""
        run = self.left[0]
        self.root.partial(run).root.mkdir()
        if worker:
            runs.note_worker(self.root, run, worker)
        else:
            shutil.copy(self.whole.run(run).job, self.root.partial(run).job)
        return run

    def add(self, count: int = 1) -> None:
        for _ in range(count):
            run = self.left.pop(0)
            partial = self.root.partial(run).root
            shutil.copytree(self.whole.run(run).root, partial, dirs_exist_ok=True)
            partial.rename(self.root.run(run).root)


class Page:
    """A live page as another process serves it."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self.process, self.log = process, log
        found = until(lambda: re.search(r"live at (\S+)", self.said) or self.ended)
        assert isinstance(found, re.Match), self.said
        self.address = found[1]
        self.split = urlsplit(self.address)

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def ask(
        self, path: str, host: str | None = None, method: str = "GET"
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        """Status, body and headers. path : from the root of the server"""
        assert self.split.port is not None
        asked = http.client.HTTPConnection("127.0.0.1", self.split.port, timeout=60)
        asked.putrequest(method, path, skip_host=host is not None)
        if host:
            asked.putheader("Host", host)
        asked.endheaders()
        answer = asked.getresponse()
        return answer.status, answer.read(), answer.headers

    def state(self) -> dict[str, Any]:
        status, body, _ = self.ask(f"{self.split.path}state.json")
        assert status == 200
        state: dict[str, Any] = json.loads(body)
        return state

    def file(self, name: str) -> bytes:
        """A file of the newest drawing."""
        version = self.state()["version"]
        status, body, _ = self.ask(f"{self.split.path}v{version}/{name}")
        assert status == 200, name
        return body

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End the page as Ctrl-C does: status, and what was said."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S), self.said


def _heed_interrupts() -> None:
    """A shell starts what runs in the background with Ctrl-C ignored, tests too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def live(folder: Path, *arguments: object) -> Iterator[Page]:
    """The page that `mpbench ARGUMENTS` serves, called in `folder`."""
    log = folder / "live.log"
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "mpbench.cli", *map(str, arguments)],
            cwd=folder,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            text=True,
            preexec_fn=_heed_interrupts,
        )
    try:
        yield Page(process, log)
    finally:
        process.kill()
        process.wait()

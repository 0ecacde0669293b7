"""Start, watch and end the guest code as a process of this machine."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from mpbench.backends import confinement, enclosure, tools
from mpbench.backends.base import Bounds, Report, at_most_s

TICK_S = 0.1
"""Interval between two checks of `cancel`."""
LOOK_S = 1.0
"""Interval between two checks for signs of life and reports of time."""
END_S = 10.0
TRAFFIC_BOUND = "s of traffic"
"""End of the reason when a run exceeds the bound of its job, not of the machine."""


def environment(read_tools: str | None = None) -> dict[str, str]:
    """The complete environment of the run's programs.

    read_tools : the folder of `mpbench-read`
    """
    return {
        "PATH": f"{read_tools}:{tools.SEARCH}" if read_tools else tools.SEARCH,
        "PYTHONPATH": f"{confinement.SOURCE}:/usr/lib/python3/dist-packages",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


class Enclosed:
    """A command in an enclosure of its own, and all processes that it starts."""

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        variables: Mapping[str, str],
        output: IO[bytes],
    ) -> None:
        program = enclosure.__file__
        launcher = [sys.executable, "-S", "-P", program, str(os.getpid())]
        self._process = subprocess.Popen(
            [*launcher, *command],
            cwd=directory,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._namespace: str | None = None

    def poll(self) -> int | None:
        """The exit status, 128 and more for a signal; None while it runs."""
        self._learn_namespace()
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self, timeout_s: float) -> int:
        """Raises subprocess.TimeoutExpired."""
        self._process.wait(timeout_s)
        self._learn_namespace()
        code = self._process.wait()
        return 128 - code if code < 0 else code

    def end(self) -> None:
        """Kill the processes that are left, and return when they have ended."""
        self._learn_namespace()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(END_S)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(END_S)
        deadline = time.monotonic() + END_S
        pause = threading.Event()
        while self.members() and time.monotonic() < deadline:
            pause.wait(0.01)

    def members(self) -> list[int]:
        """The host's process ids of all processes in the enclosure."""
        if self._namespace is None:
            return []
        return [
            int(path.name)
            for path in Path("/proc").iterdir()
            if path.name.isdigit() and _link(path / "ns/pid") == self._namespace
        ]

    def switches(self) -> int:
        """The number of context switches of its processes so far."""
        return sum(_switches(member) for member in self.members())

    def _learn_namespace(self) -> None:
        if self._namespace is None:
            link = _link(Path(f"/proc/{self._process.pid}/ns/pid_for_children"))
            if link != _link(Path("/proc/self/ns/pid")):
                self._namespace = link


class Watch:
    """Watches a run until it ends or reaches a bound.

    The run's own clock starts with its traffic, that is, when the first file with the
    output of a traffic tool appears. A sign of life is a file that grew, or a process
    of the run that the kernel switched to or from.
    """

    def __init__(self, enclosed: Enclosed, artefacts: Path, bounds: Bounds) -> None:
        self._enclosed = enclosed
        self._artefacts = artefacts
        self._bounds = bounds
        self._began = time.monotonic()
        self._traffic_began: float | None = None
        self._looked = 0.0
        self._sign: tuple[int, int] | None = None
        self._sign_at = self._began

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def traffic_s(self) -> float:
        """Seconds since the traffic's zero."""
        if self._traffic_began is None:
            return 0.0
        return time.monotonic() - self._traffic_began

    def until_end(self, report: Report, cancel: threading.Event) -> int | str | None:
        """The exit status; the reason for giving the run up; None if cancelled."""
        while True:
            code = self._enclosed.poll()
            if code is not None:
                return code
            if cancel.wait(TICK_S):
                return None
            if self._traffic_began is None and any(self._artefacts.glob("traffic-*")):
                self._traffic_began = time.monotonic()
            exceeded = self._exceeded(report)
            if exceeded:
                return exceeded

    def _exceeded(self, report: Report) -> str | None:
        bounds = self._bounds
        if self.traffic_s > at_most_s(bounds.virtual_s):
            return f"not done after {bounds.virtual_s:g} {TRAFFIC_BOUND}"
        if self.wall_s > bounds.wall_s:
            return f"not done after {bounds.wall_s:g} s of wall time"
        now = time.monotonic()
        if now - self._looked >= min(LOOK_S, bounds.silence_s / 4):
            self._looked = now
            report(self.traffic_s)
            sign = (_bytes_below(self._artefacts), self._enclosed.switches())
            if sign != self._sign:
                self._sign, self._sign_at = sign, now
        if now - self._sign_at > bounds.silence_s:
            return f"no sign of life for {bounds.silence_s:g} s"
        return None


def _bytes_below(folder: Path) -> int:
    total = 0
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # moved away meanwhile
            total += path.stat().st_size
    return total


def _switches(process: int) -> int:
    """The context switches of all threads of a process, which may end meanwhile."""
    total = 0
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            text = (task / "status").read_text()
            counts = (line for line in text.splitlines() if "ctxt_switches" in line)
            total += sum(int(line.split()[1]) for line in counts)
    return total


def _link(path: Path) -> str | None:
    try:
        return str(path.readlink())
    except OSError:
        return None

"""Watch a guest's host process until it ends or reaches a bound, and end it."""

import contextlib
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.backends import processes
from mpbench.backends.base import Bounds, Exit, Report
from mpbench.backends.confinement import Limits, RunFolder
from mpbench.backends.console import LONGEST_BYTES, Follower
from mpbench.backends.endings import judge
from mpbench.backends.processes import Used

LOOK_MS = 100
"""Interval between two checks of a guest's console, its folder, the bounds and
`cancel`."""
END_MS = 5_000
"""Time that the launcher may take to end its guest before both are killed."""


@dataclass(frozen=True)
class Stop:
    """Reason why a guest was ended from outside; neither field set if it ended
    itself."""

    reason: str = ""
    cancelled: bool = False
    accident: bool = False


SPINS = (
    "computes all the time, and virtual time stands still meanwhile: it may poll a"
    " clock without waiting"
)
OUTPUT = re.compile(r"traffic-[0-9]{1,4}-[a-z-]{1,40}\.txt")
"""The output of a process of the traffic, which is made when the process starts."""
MOST_NAMES = 6


@dataclass(frozen=True)
class Watched:
    """A run that is to be executed, and its bounds.

    directory : the run's own folder
    limits : how much the run may leave there
    report, cancel : as of `base.Backend.execute`
    """

    directory: Path
    limits: Limits
    bounds: Bounds
    report: Report
    cancel: threading.Event


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    run: Watched,
    memory_mib: int,
    collect: Callable[[], str] = lambda: "",
) -> Exit:
    """Start a guest, watch it until it ends, and judge its end by what it left.

    command : of its host process, which writes the console to its standard output
    memory_mib : the guest's memory, used in reasons only
    collect : called when the guest has ended; returns what is wrong with its files
    """
    began_s = time.monotonic()
    artefacts = run.directory / "artefacts"
    fault = ""
    # The guest may replace the file; what it says arrives in this one all the same.
    with (artefacts / "console.log").open("w+b") as console:
        follower = Follower(console.fileno(), run.report)
        folder = RunFolder(run.directory, run.limits, console.fileno())
        guest = subprocess.Popen(
            command,
            cwd=run.directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            stop = watch(guest, follower, folder, run)
        finally:
            cpu_s = end(guest)
            fault = collect()
            folder.sweep()
        follower.look()
    wall_s, virtual_s = time.monotonic() - began_s, follower.virtual_s
    if stop.cancelled:
        return Exit("cancelled", "cancelled", wall_s, virtual_s, cpu_s)
    ending = judge(artefacts, guest.returncode, run.bounds, memory_mib)
    if stop.reason:
        return Exit("timeout", stop.reason, wall_s, virtual_s, cpu_s, stop.accident)
    if ending.virtual_s is not None:
        virtual_s = ending.virtual_s
    if fault and ending.status == "finished":
        return Exit("failed", fault, wall_s, virtual_s, cpu_s)
    accident = ending.host_accident
    return Exit(ending.status, ending.reason, wall_s, virtual_s, cpu_s, accident)


def watch(
    guest: "subprocess.Popen[bytes]",
    follower: Follower,
    folder: RunFolder,
    run: Watched,
) -> Stop:
    """Wait until the guest ends, a bound is reached, or `cancel` is set."""
    bounds, cancel = run.bounds, run.cancel
    end_s = time.monotonic() + bounds.wall_s
    early: Used | None = None
    descriptor = os.pidfd_open(guest.pid)
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        while not poller.poll(LOOK_MS):
            follower.look()
            if follower.silence_s < bounds.silence_s / 2:
                early = None
            elif early is None:
                early = processes.used(guest.pid)
            if cancel.is_set():
                return Stop(cancelled=True)
            if time.monotonic() > end_s:
                reason = f"not done after {bounds.wall_s:g} s of wall time"
                return Stop(reason, accident=True)
            if follower.silence_s > bounds.silence_s:
                reason = f"no sign of life for {bounds.silence_s:g} s of wall time"
                now = processes.used(guest.pid)
                return _silent(reason, early, now, started(run.directory))
            if follower.length_bytes > LONGEST_BYTES:
                return Stop(f"console longer than {LONGEST_BYTES >> 20} MiB")
            exceeded = folder.exceeded()
            if exceeded:
                return Stop(exceeded)
    finally:
        os.close(descriptor)
    return Stop()


def started(directory: Path) -> list[str]:
    """The processes of the traffic that a guest has started, by their outputs."""
    artefacts = directory / "artefacts"
    try:
        names = sorted(entry.name for entry in os.scandir(artefacts))
    except OSError:
        return []
    return [name[: -len(".txt")] for name in names if OUTPUT.fullmatch(name)]


def _silent(
    reason: str, early: Used | None, now: Used, programs: Sequence[str]
) -> Stop:
    """Reason why a guest is stopped that says nothing: a program of its own may be the
    cause.

    early : what its processes had used halfway through the silence
    programs : the processes that may compute
    """
    if early is None or not now.was_ready(early):
        return Stop(reason, accident=True)
    # On a machine that is overloaded, the guest may not have had its time.
    who = "a program"
    if programs and len(programs) <= MOST_NAMES:
        several = len(programs) > 1
        who = f"{'one of ' if several else ''}{', '.join(programs)}"
    return Stop(f"{reason}; {who} {SPINS}", accident=not now.computed(early))


def end(guest: "subprocess.Popen[bytes]") -> float:
    """End what is left of the guest, its user processes included; its CPU time, s.

    The launcher has reaped the guest's kernel, and that kernel has reaped those of its
    user processes that ended before it. Their time is in the launcher's own. The time
    of processes that were killed along with the kernel is not.
    """
    descriptor = os.pidfd_open(guest.pid)
    try:
        with contextlib.suppress(ProcessLookupError):
            os.kill(guest.pid, signal.SIGTERM)
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        poller.poll(END_MS)
    finally:
        os.close(descriptor)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(guest.pid, signal.SIGKILL)
    _, status, used = os.wait4(guest.pid, 0)
    guest.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime

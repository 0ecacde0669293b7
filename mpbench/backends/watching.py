"""Watch a guest's host process until it ends or reaches a bound, and end it."""

import contextlib
import os
import re
import select
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs import Job
from mpbench.backends import processes, stack
from mpbench.backends.base import Bounds, Exit, Report
from mpbench.backends.confinement import Limits, RunFolder
from mpbench.backends.console import LONGEST_BYTES, Follower
from mpbench.backends.endings import judge
from mpbench.backends.processes import Used
from mpbench.spec.messages import shortened

LOOK_MS = 100
"""Interval between two checks of a guest's console, its folder, the bounds and
`cancel`."""
SAMPLE_S = 5.0
"""Interval between two checks for how long a silent guest has waited for a CPU."""
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
LONGEST_COMMAND = 160
"""Characters of a command in a reason."""


@dataclass(frozen=True)
class Watched:
    """A run that is to be executed, and its bounds.

    directory : the run's own folder
    limits : how much the run may leave there
    report, cancel : as of `base.Backend.execute`
    hosts : the host of each process of the traffic, by the names of `started`
    """

    directory: Path
    limits: Limits
    bounds: Bounds
    report: Report
    cancel: threading.Event
    hosts: Mapping[str, str] = field(default_factory=dict)


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


class Silence:
    """Time for which a guest gives no sign of life although it could compute.

    A sign is a word on the console, and a file of the run that is new or has grown. On
    a busy machine, a guest may have to wait for a CPU nearly all of the time. It is
    slow then and not dead, so such waits do not count.

    number : the guest's process
    every_s : seconds between two looks at its processes
    """

    def __init__(self, number: int, every_s: float) -> None:
        self._number = number
        self._every_s = every_s
        self._sign: tuple[int, ...] = ()
        self._since_s = time.monotonic()
        self._seen: Used | None = None
        self._waited_s = 0.0

    def counted_s(self, sign: tuple[int, ...]) -> float:
        """sign : of life, so far; to be called more often than every `every_s`"""
        now_s = time.monotonic()
        if sign != self._sign:
            self._sign, self._since_s = sign, now_s
            self._seen, self._waited_s = None, 0.0
        last_s = self._seen.at_s if self._seen else self._since_s
        if now_s - last_s > self._every_s:
            now = processes.used(self._number)
            self._waited_s += now.waited_s(self._seen) if self._seen else 0.0
            self._seen = now
        return now_s - self._since_s - self._waited_s


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
    silence = Silence(guest.pid, min(SAMPLE_S, bounds.silence_s / 8))
    descriptor = os.pidfd_open(guest.pid)
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        while not poller.poll(LOOK_MS):
            follower.look()
            exceeded = folder.exceeded()
            silence_s = silence.counted_s((follower.length_bytes, *folder.filled))
            if silence_s < bounds.silence_s / 2:
                early = None
            elif early is None:
                early = processes.used(guest.pid)
            if cancel.is_set():
                return Stop(cancelled=True)
            if time.monotonic() > end_s:
                reason = f"not done after {bounds.wall_s:g} s of wall time"
                return Stop(reason, accident=True)
            if silence_s > bounds.silence_s:
                reason = f"no sign of life for {bounds.silence_s:g} s of wall time"
                now = processes.used(guest.pid)
                argv = computing(early, now)
                return _silent(reason, early, now, started(run.directory), argv, run)
            if follower.length_bytes > LONGEST_BYTES:
                return Stop(f"console longer than {LONGEST_BYTES >> 20} MiB")
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


def hosts_of(job: Job) -> dict[str, str]:
    """The hosts of the two ends of each traffic entry, by the names of `started`."""
    found = {}
    for index, entry in enumerate(job.traffic):
        found[f"traffic-{index}-client"] = entry.source
        found[f"traffic-{index}-server"] = entry.destination
    return found


def computing(early: Used | None, now: Used) -> list[str]:
    """The command line of the guest's program that has computed most between two
    times; empty if none has, or if it cannot be told."""
    for number in now.busiest(early) if early else []:
        if argv := stack.command_line(number):
            return argv
    return []


def _silent(
    reason: str,
    early: Used | None,
    now: Used,
    programs: Sequence[str],
    argv: Sequence[str],
    run: Watched,
) -> Stop:
    """Reason why a guest is stopped that says nothing: a program of its own may be the
    cause.

    early : what its processes had used halfway through the silence
    programs : the processes that may compute
    argv : the command line of the one that does, if it is known
    """
    if early is None or not now.was_ready(early):
        return Stop(reason, accident=True)
    # On a machine that is overloaded, the guest may not have had its time.
    who = named(programs, argv, run.hosts)
    return Stop(f"{reason}; {who} {SPINS}", accident=not now.computed(early))


def named(
    programs: Sequence[str], argv: Sequence[str], hosts: Mapping[str, str]
) -> str:
    """The process that computes, as far as it is known: its name, host and command.

    A process of the traffic that has a folder of its own names it in its command, and
    one with the word of its role can be told from the other end.
    """
    own = [name for name in programs if _is_of(name, argv)]
    known = own if len(own) == 1 else programs
    who = "a program"
    if known and len(known) <= MOST_NAMES:
        who = f"{'one of ' if len(known) > 1 else ''}{', '.join(known)}"
    if len(known) == 1 and known[0] in hosts:
        who += f" on {hosts[known[0]]}"
    if argv:
        words = "".join(c if c.isprintable() else "?" for c in shlex.join(argv))
        who += f" (`{shortened(words, LONGEST_COMMAND)}`)"
    return who


def _is_of(name: str, argv: Sequence[str]) -> bool:
    entry, _, role = name.rpartition("-")
    folder = f"/{entry}/{role}"
    return role in argv[1:2] or any(word.endswith(folder) for word in argv)


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

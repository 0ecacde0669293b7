"""Runs in a User Mode Linux guest of their own, in virtual time.

Each run is one fresh guest, pinned to one CPU. It sees the host's programs read-only
under a tmpfs and can write in the run's own folder alone; `confinement` holds the
guest's host process to the same, in case that the guest takes over its kernel.

The guest's command line is the same for every run, because the kernel mixes it into
its random pool. What differs goes through files (`boot/`). The seed, which is the only
randomness that there is, goes through the environment.
"""

import contextlib
import hashlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jobs import Job, bare, dump
from mpbench import image, kernel
from mpbench.backends import (
    boot,
    confinement,
    features,
    guest_code,
    guest_snapshot,
    prepared,
    processes,
    roots,
    tools,
)
from mpbench.backends.base import Bounds, Exit, Report
from mpbench.backends.confinement import Limits, RunFolder
from mpbench.backends.console import LONGEST_BYTES, Follower
from mpbench.backends.endings import judge
from mpbench.backends.kernels import Kernels
from mpbench.backends.processes import Used
from mpbench.backends.roots import Root
from mpbench.kernel import launcher

LOOK_MS = 100
"""Interval between two checks of a guest's console, its folder, the bounds and
`cancel`."""
END_MS = 5_000
"""Time that the launcher may take to end its guest before both are killed."""


def create() -> "VirtualBackend":
    """The backend of ``--backend virtual``."""
    return VirtualBackend()


@dataclass(frozen=True)
class Stop:
    """Reason why a guest was ended from outside; neither field set if it ended
    itself."""

    reason: str = ""
    cancelled: bool = False
    accident: bool = False


class VirtualBackend:
    """Executions share nothing but the kernel's image.

    The arguments are for tests of the lab itself.

    machine : how guests boot
    argv : what guests run instead of the guest code
    reads : files and folders of the host that guests may read, beside the usual ones
    limits : how much a run may leave, None for the usual
    root : the kind of root that guests see; None for the one that the user asks for
    built : the kernel that guests boot; None for the one that `kernel.find` returns
    """

    name = "virtual"
    max_parallel: int | None = None
    may_compile: bool
    """Whether controllers of jobs are compiled that the cache does not have."""
    trusted: bool
    """Whether they are compiled even where nothing confines the compiler."""

    def __init__(
        self,
        machine: boot.Machine = boot.LAB,
        argv: Sequence[str] | None = None,
        reads: Sequence[Path] = (),
        limits: Limits | None = None,
        root: str | None = None,
        built: kernel.Kernel | None = None,
    ) -> None:
        self._machine = machine
        self._argv = argv
        self._reads = reads
        self._limits = limits
        self._kind = root
        self._kernel = built
        self.may_compile = True
        self.trusted = False
        self._ready: tuple[Sequence[str], Root] | None = None
        self._variants: Kernels | None = None

    def identity(self) -> dict[str, str]:
        """Kernel build, guest code, boot line, and the root image or the host's tools.

        Raises UserError if the kernel or the image is not built, the launcher cannot be
        compiled, or a tool is missing on the host whose root the guest is to see.
        """
        built = self._built()
        launcher.find()
        same = {
            "kernel": built.key,
            "guest": guest_code.guest_code_hash(),
            "boot": " ".join(self._machine.options()),
        }
        if self._root_kind() == roots.IMAGE:
            same["image"] = image.find().sha256
        else:
            tools.require(tools.GUEST)
            same["tools"] = tools.fingerprint(tools.GUEST)
        self._prepared()
        return same

    def provenance(self) -> dict[str, Any]:
        about: dict[str, Any] = {
            "kernel": dict(self._built().info),
            "launcher": launcher.key(),
            "boot": list(self._machine.options()),
            "guest_python": list(boot.PYTHON),
        }
        if self._root_kind() == roots.IMAGE:
            found = image.find()
            about["image"] = {**found.info, "manifest": found.manifest}
        else:
            about["tools"] = tools.versions(tools.GUEST)
        return about

    def check(self, jobs: Sequence[Job]) -> None:
        """Raise UserError if this user's limit on files or this machine's memory is too
        small for a guest, or if this machine refuses it fixed addresses.

        Mpbench's own kernel has all that a spec may name. Variants of it are built
        here, and asked for what they have.
        """
        for machine in {self._machine, *map(self._machine.of, jobs)}:
            machine.require()
        self._kernels().check(jobs, self.may_compile, self.trusted)

    def alike(self, job: Job) -> str | None:
        """The job apart from its kernel's recipe, and the kernel's bytes."""
        booted = self._kernels().alike(job)
        if booted is None:
            return None
        rest = dump(replace(job, linux=None, report=None))
        text = json.dumps([rest, booted], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def execute(
        self,
        job: Job,
        directory: Path,
        cpu: int | None,
        bounds: Bounds,
        report: Report,
        cancel: threading.Event,
    ) -> Exit:
        began_s = time.monotonic()
        linked = self._kernels().of(job, self.may_compile, self.trusted)
        argv, root = self._prepared()
        boot.write(boot.Orders(argv, bounds.virtual_s), directory, root)
        prepared.prepare(job, directory)
        artefacts = directory / "artefacts"
        machine = self._machine.of(job)
        limits = self._limits or confinement.limits(job.capture is not None, directory)
        # The guest may replace the file; what it says arrives in this one all the same.
        with (artefacts / "console.log").open("w+b") as console:
            follower = Follower(console.fileno(), report)
            folder = RunFolder(directory, limits, console.fileno())
            guest = subprocess.Popen(
                machine.command(linked, cpu, root, self._reads, limits),
                cwd=directory,
                env=boot.environment(job.seed),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
            try:
                stop = _watch(guest, follower, folder, bounds, cancel)
            finally:
                cpu_s = _end(guest)
                folder.sweep()
            follower.look()
        wall_s = time.monotonic() - began_s
        if stop.cancelled:
            return Exit("cancelled", "cancelled", wall_s, follower.virtual_s, cpu_s)
        ending = judge(artefacts, guest.returncode, bounds, machine.memory_mib)
        if stop.reason:
            said_s = follower.virtual_s
            return Exit("timeout", stop.reason, wall_s, said_s, cpu_s, stop.accident)
        virtual_s = follower.virtual_s if ending.virtual_s is None else ending.virtual_s
        accident = ending.host_accident
        return Exit(ending.status, ending.reason, wall_s, virtual_s, cpu_s, accident)

    def _prepared(self) -> tuple[Sequence[str], Root]:
        """The guest's programs, with its code compiled, and the folders that it
        sees."""
        if self._ready is None:
            if self._root_kind() == roots.IMAGE:
                self._ready = self._with_image(image.find())
            else:
                self._ready = self._with_host()
        return self._ready

    def _with_image(self, found: image.Image) -> tuple[Sequence[str], Root]:
        if self._argv is not None:
            return self._argv, roots.from_image(found)
        code = guest_snapshot.snapshot(self._built().path, found)
        file = f"{roots.CODE}/{guest_snapshot.BYTE_CODE}"
        return boot.bundled(file), roots.from_image(found, code)

    def _with_host(self) -> tuple[Sequence[str], Root]:
        if self._argv is not None:
            return self._argv, roots.host()
        fingerprint = tools.fingerprint(tools.GUEST)
        file = guest_code.bundle(boot.PYTHON, fingerprint)
        return boot.bundled(str(file.resolve())), roots.host()

    def _root_kind(self) -> str:
        return self._kind or roots.kind()

    def _kernels(self) -> Kernels:
        if self._variants is None:
            self._variants = Kernels(self._built(), _ask)
        return self._variants

    def _built(self) -> kernel.Kernel:
        if self._kernel is None:
            self._kernel = kernel.find()
        return self._kernel


def _ask(built: kernel.Kernel, folder: Path) -> Exit:
    """Ask a kernel in a guest what it has; see `features`."""
    backend = VirtualBackend(argv=(*boot.PYTHON, "-c", features.PROBE), built=built)
    job, bounds = bare(1, features.BOUND_S), features.BOUNDS
    silent = threading.Event()
    return backend.execute(job, folder, None, bounds, lambda _: None, silent)


SPINS = (
    "a program computes all the time, and virtual time stands still meanwhile: it may"
    " poll a clock without waiting"
)


def _watch(
    guest: "subprocess.Popen[bytes]",
    follower: Follower,
    folder: RunFolder,
    bounds: Bounds,
    cancel: threading.Event,
) -> Stop:
    """Wait until the guest ends, a bound is reached, or `cancel` is set."""
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
                return _silent(reason, early, processes.used(guest.pid))
            if follower.length_bytes > LONGEST_BYTES:
                return Stop(f"console longer than {LONGEST_BYTES >> 20} MiB")
            exceeded = folder.exceeded()
            if exceeded:
                return Stop(exceeded)
    finally:
        os.close(descriptor)
    return Stop()


def _silent(reason: str, early: Used | None, now: Used) -> Stop:
    """Reason why a guest is stopped that says nothing: a program of its own may be the
    cause.

    early : what its processes had used halfway through the silence
    """
    if early is None or not now.was_ready(early):
        return Stop(reason, accident=True)
    # On a machine that is overloaded, the guest may not have had its time.
    return Stop(f"{reason}; {SPINS}", accident=not now.computed(early))


def _end(guest: "subprocess.Popen[bytes]") -> float:
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

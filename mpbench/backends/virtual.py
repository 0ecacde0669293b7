"""Runs in a User Mode Linux guest of their own, in virtual time.

Each run is one fresh guest, pinned to one CPU. It sees the host's programs read-only
under a tmpfs and can write in the run's own folder alone; `confinement` holds the
guest's host process to the same, in case that the guest takes over its kernel.

The guest's command line is the same for every run, because the kernel mixes it into
its random pool. What differs goes through files (`boot/`). The seed, which is the only
randomness that there is, goes through the environment.
"""

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import Job, bare, dump
from jobs.linux import Linux
from mpbench import image, kernel
from mpbench.backends import (
    boot,
    confinement,
    features,
    guest_code,
    guest_snapshot,
    prepared,
    registry,
    roots,
    tools,
    watching,
)
from mpbench.backends.base import Bounds, Exit, Report
from mpbench.backends.confinement import Limits
from mpbench.backends.kernels import Kernels, Tolerated
from mpbench.backends.qemu import runs as qemu
from mpbench.backends.roots import Root
from mpbench.errors import UserError
from mpbench.kernel import launcher


def create() -> "VirtualBackend":
    """The backend of ``--backend virtual``."""
    return VirtualBackend()


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
    in_qemu: bool
    """Whether jobs may have a kernel that boots in QEMU, which then is a part of the
    identity."""
    tolerated: Tolerated | None
    """Told of kernels that do not boot, if others do; None refuses them."""

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
        self.in_qemu = False
        self.tolerated = None
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
            same["image"] = image.find(known=True).sha256
        else:
            tools.require(tools.GUEST)
            same["tools"] = tools.fingerprint(tools.GUEST)
        self._prepared()
        if self.in_qemu:
            same[registry.QEMU] = qemu.identity()
        return same

    def provenance(self) -> dict[str, Any]:
        about: dict[str, Any] = {
            "kernel": dict(self._built().info),
            "launcher": launcher.key(),
            "boot": list(self._machine.options()),
            "guest_python": list(boot.PYTHON),
        }
        if self.in_qemu:
            about["qemu"] = qemu.provenance()
        if self._root_kind() == roots.IMAGE:
            found = image.find(known=True)
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
        self._kernels().check(jobs, self.may_compile, self.trusted, self.tolerated)

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
        limits = self._limits or confinement.limits(job.capture is not None, directory)
        hosts = watching.hosts_of(job)
        watched = watching.Watched(directory, limits, bounds, report, cancel, hosts)
        if job.linux is not None and job.linux.in_qemu:
            image_, code = self._image_and_code()
            return qemu.execute(job, watched, cpu, image_, code, self._argv)
        linked = self._kernels().of(job, self.may_compile, self.trusted)
        argv, root = self._prepared()
        if self._argv is None and self._root_kind() == roots.IMAGE:
            image.find()  # reads all of it, once per process, before a guest does
        boot.write(boot.Orders(argv, bounds.virtual_s), directory, root)
        prepared.prepare(job, directory)
        machine = self._machine.of(job)
        command = machine.command(linked, cpu, root, self._reads, limits)
        environment = boot.environment(job.seed)
        return watching.execute(command, environment, watched, machine.memory_mib)

    def _prepared(self) -> tuple[Sequence[str], Root]:
        """The guest's programs, with its code compiled, and the folders that it
        sees."""
        if self._ready is None:
            if self._root_kind() == roots.IMAGE:
                self._ready = self._with_image(image.find(known=True))
            else:
                self._ready = self._with_host()
        return self._ready

    def _with_image(self, found: image.Image) -> tuple[Sequence[str], Root]:
        if self._argv is not None:
            return self._argv, roots.from_image(found)
        code = guest_snapshot.snapshot(self._built().path, found)
        return boot.bundled(guest_snapshot.PROGRAM), roots.from_image(found, code)

    def _image_and_code(self) -> tuple[image.Image, Path]:
        """The root image and a copy of mpbench's code, which a machine in QEMU needs.

        Raises UserError if the user asks for another root.
        """
        if self._root_kind() != roots.IMAGE:
            raise UserError(
                f"machine: qemu: has the root image alone, and {roots.VARIABLE} asks"
                f" for another root; unset it"
            )
        found = image.find()
        return found, guest_snapshot.snapshot(self._built().path, found)

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


def _ask(linux: Linux, built: kernel.Kernel, folder: Path, bounds: Bounds) -> Exit:
    """Ask a kernel in a guest what it has; see `features`."""
    backend = VirtualBackend(argv=(*boot.PYTHON, "-c", features.PROBE), built=built)
    job = bare(1, features.BOUND_S)
    if linux.in_qemu:
        job = replace(job, linux=linux)
    silent = threading.Event()
    return backend.execute(job, folder, None, bounds, lambda _: None, silent)

"""The kernels that guests boot: mpbench's own, its variants, and linked ones."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from jobs import Job, writing
from jobs.linux import Linux
from mpbench.backends import features, requirements
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.qemu import binaries, machine
from mpbench.errors import UserError
from mpbench.kernel import Kernel, linking, variants


def program(own: Kernel, job: Job, may_compile: bool, trusted: bool) -> Path:
    """The program that a job boots.

    own : mpbench's kernel
    may_compile : whether code of users is compiled that the cache does not have
    trusted : whether it is compiled even where nothing confines the compiler

    Raises UserError, one line, for code that does not compile, or may not be, and for a
    kernel that boots in QEMU.
    """
    if job.linux is not None and job.linux.in_qemu:
        raise UserError(
            f"kernel ({job.linux.words}): has no prompt; choose a run of a case with"
            " another kernel (--run), `mpbench plan` lists them"
        )
    if job.linux is not None:
        return variants.find(own, job.linux, may_compile, trusted).path
    return linking.of_job(own, job, may_compile, trusted)


Boot = Callable[[Linux, Kernel, Path, Bounds], Exit]
"""Boots a kernel of a job: the job's words of it, what it was built to, the folder in
which the guest leaves `features.FILE`, and the bounds."""


Tolerated = Callable[[features.DoesNotRunError], None]
"""Told of a kernel that does not boot, where its runs may fail."""


class Kernels:
    """Kernels of jobs, each looked up once.

    own : mpbench's kernel
    """

    def __init__(self, own: Kernel, boot: Boot) -> None:
        self.own = own
        self._boot = boot
        self._found: dict[str, Kernel] = {}

    def of(self, job: Job, may_compile: bool, trusted: bool) -> Path:
        """The program that a job boots; see `program`."""
        if job.linux is not None:
            return self.variant(job.linux, may_compile, trusted).path
        return linking.of_job(self.own, job, may_compile, trusted)

    def variant(self, linux: Linux, may_compile: bool, trusted: bool) -> Kernel:
        """A variant of mpbench's kernel. Raises UserError as
        `program`."""
        name = _name(linux)
        if name not in self._found:
            found = variants.find(self.own, linux, may_compile, trusted)
            self._found[name] = found
        return self._found[name]

    def check(
        self,
        jobs: Iterable[Job],
        may_compile: bool,
        trusted: bool,
        tolerated: Tolerated | None = None,
    ) -> None:
        """Build all variants that jobs need, and compare jobs with what these have.

        A kernel of Debian's is fetched, and asked in QEMU.

        tolerated : is called once for each kernel that does not boot, whose runs then
            fail. Without it, or if no other kernel boots, such a kernel is refused

        Raises UserError, one line, for a variant that cannot be built or does not boot,
        for jobs that need what it lacks, and where QEMU is missing.
        """
        lacking: dict[str, list[str]] = {}
        dead: dict[str, features.DoesNotRunError] = {}
        one_boots = False
        for job in jobs:
            if job.linux is None:
                one_boots = True
                continue
            name = _name(job.linux)
            if name in dead:
                continue
            words = job.linux.words
            if job.linux.in_qemu:
                machine.require(job.memory_mib)
                place, built = binaries.find(job.linux).folder, self.own
            else:
                built = self.variant(job.linux, may_compile, trusted)
                place = built.folder
            try:
                has = features.of(place, words, partial(self._boot, job.linux, built))
            except features.DoesNotRunError as error:
                error.linux = job.linux
                if tolerated is None:
                    raise
                dead[name] = error
                continue
            one_boots = True
            found = lacking.setdefault(words, [])
            found.extend(features.lacking(job, has))
            if job.linux.in_qemu:
                found.extend(requirements.patched(job, "in mpbench's kernel alone"))
        for words, missing in lacking.items():
            if missing:
                reasons = "; ".join(dict.fromkeys(missing))
                raise UserError(f"kernel ({words}): {reasons}")
        for silent in dead.values():
            if tolerated is None or not one_boots:
                raise silent
            tolerated(silent)

    def alike(self, job: Job) -> str | None:
        """The SHA-256 of the kernel that a job boots; None if that is not known yet."""
        if job.linux is not None and job.linux.in_qemu:
            return None
        if job.linux is None:
            return None if job.kernel else str(self.own.info["linux_hash"])
        found = variants.lookup(self.own, job.linux)
        return None if found is None else str(found.info["linux_hash"])


def _name(linux: Linux) -> str:
    return json.dumps(writing.plain(linux), sort_keys=True)

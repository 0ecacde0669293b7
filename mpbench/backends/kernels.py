"""The kernels that guests boot: mpbench's own, its variants, and linked ones."""

import json
from collections.abc import Iterable
from pathlib import Path

from jobs import Job, writing
from jobs.linux import Linux
from mpbench.backends import features
from mpbench.errors import UserError
from mpbench.kernel import Kernel, linking, variants


def program(own: Kernel, job: Job, may_compile: bool, trusted: bool) -> Path:
    """The program that a job boots.

    own : mpbench's kernel
    may_compile : whether code of users is compiled that the cache does not have
    trusted : whether it is compiled even where nothing confines the compiler

    Raises UserError, one line, for code that does not compile, or may not be.
    """
    if job.linux is not None:
        return variants.find(own, job.linux, may_compile, trusted).path
    return linking.of_job(own, job, may_compile, trusted)


class Kernels:
    """Kernels of jobs, each looked up once.

    own : mpbench's kernel
    execute : see `features.of`
    """

    def __init__(self, own: Kernel, execute: features.Execute) -> None:
        self.own = own
        self._execute = execute
        self._found: dict[str, Kernel] = {}

    def of(self, job: Job, may_compile: bool, trusted: bool) -> Path:
        """The program that a job boots; see `program`."""
        if job.linux is not None:
            return self.variant(job.linux, may_compile, trusted).path
        return linking.of_job(self.own, job, may_compile, trusted)

    def variant(self, linux: Linux, may_compile: bool, trusted: bool) -> Kernel:
        """A variant of mpbench's kernel. Raises UserError as
        `program`."""
        name = json.dumps(writing.plain(linux), sort_keys=True)
        if name not in self._found:
            found = variants.find(self.own, linux, may_compile, trusted)
            self._found[name] = found
        return self._found[name]

    def check(self, jobs: Iterable[Job], may_compile: bool, trusted: bool) -> None:
        """Build all variants that jobs need, and compare jobs with what these have.

        Raises UserError, one line, for a variant that cannot be built or does not boot,
        and for jobs that need what it lacks.
        """
        lacking: dict[str, list[str]] = {}
        for job in jobs:
            if job.linux is None:
                continue
            kernel = self.variant(job.linux, may_compile, trusted)
            words = job.linux.words
            has = features.of(kernel, words, self._execute)
            lacking.setdefault(words, []).extend(features.lacking(job, has))
        for words, found in lacking.items():
            if found:
                reasons = "; ".join(dict.fromkeys(found))
                raise UserError(f"kernel ({words}): {reasons}")

    def alike(self, job: Job) -> str | None:
        """The SHA-256 of the kernel that a job boots; None if that is not known yet."""
        if job.linux is None:
            return None if job.kernel else str(self.own.info["linux_hash"])
        found = variants.lookup(self.own, job.linux)
        return None if found is None else str(found.info["linux_hash"])

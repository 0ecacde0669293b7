"""Optimisation of a kernel by a profile of what traffic executes in it.

GCC compiles the files in which most of a guest's time goes twice: first so that they
count what is executed, and then with these counts. A guest is a process, so GCC's own
library writes the counts, when the guest ends, into a folder of the run.

The files below arch/um are not among them. What they execute depends on when the host
schedules the guest's processes, so two trainings would not give the same kernel.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from mpbench.errors import UserError

FILES = (
    "net/%",
    "drivers/net/veth.o",
    "kernel/irq/%",
    "kernel/sched/%",
    "kernel/softirq.o",
    "kernel/time/%",
    "lib/iov_iter.o",
    "lib/rbtree.o",
    "mm/page_alloc.o",
    "mm/slub.o",
)
"""Patterns of make's for the objects (scripts/Makefile.lib filters by them)."""
NUMBER = 250
"""About how many objects these are."""
COUNTS = "counts"
"""The folder of the counts below that of the objects."""
COUNTED = "*.gcda"

# A run keeps what a guest writes to its artefacts, and no other folder.
COUNTING = ("-fprofile-generate=artefacts", "-fprofile-update=single")
LINKED = ("-fprofile-generate", "-Wl,-u,__gcov_dump")
USING = (
    "-fprofile-use=counts",
    "-fprofile-correction",
    "-fprofile-partial-training",
    "-Wno-missing-profile",
)

Train = Callable[[Path, Path], Path]
"""Runs traffic in this kernel, in this empty folder; returns the folder that then has
the counts."""


def counting_words() -> list[str]:
    """Variables for make: the kernel counts what is executed."""
    return [*_flags(COUNTING), f"PROFILE_LINK={' '.join(LINKED)}"]


def using_words() -> list[str]:
    """Variables for make: the kernel is optimised by the counts."""
    return _flags(USING)


def _flags(flags: tuple[str, ...]) -> list[str]:
    return [f"PROFILE_FILES={' '.join(FILES)}", f"PROFILE_FLAGS={' '.join(flags)}"]


def keep(counts: Path, objects: Path) -> None:
    """Put the counts of a training where GCC looks for them.

    Raises UserError if the training left none.
    """
    files = sorted(counts.glob(COUNTED))
    if not files:
        raise UserError(
            "the guest left no counts of what it executed; `mpbench doctor` looks "
            "whether guests work here"
        )
    target = objects / COUNTS
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for file in files:
        shutil.copy(file, target / file.name)

"""The barriers of the launcher (kernel/launcher/, in C), and the words that it takes.

Guests and the compiler of users' controllers run behind the same launcher. What each
of them may read and use differs, and so stands elsewhere: confinement.py of the
backends, and confined.py.
"""

import ctypes
import functools
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.kernel import launcher

BARRIERS = ("namespaces", "landlock")
PROBE_S = 30.0


@dataclass(frozen=True)
class Bounds:
    """Bounds of a confined command.

    file_bytes : in one file
    memory_bytes : in the file system in memory that is its folder for temporary files
    memory_folder : where that folder lies without namespaces
    address_bytes : in the address space of each process; 0 for no bound
    cpu_s : of CPU time of each process; 0 for no bound
    """

    file_bytes: int
    memory_bytes: int
    memory_folder: Path = Path("/tmp")
    address_bytes: int = 0
    cpu_s: int = 0


@functools.cache
def offered() -> tuple[str, ...]:
    """The barriers that this host offers. Tries the namespaces in a child process.

    Raises UserError if the launcher cannot be compiled.
    """
    barriers = []
    if _namespaces_work():
        barriers.append("namespaces")
    if landlock_version():
        barriers.append("landlock")
    return tuple(barriers)


def landlock_version() -> int:
    """The version of Landlock that this host's kernel has switched on; 0 without it."""
    create_ruleset, tell_version = 444, 1
    version = ctypes.CDLL(None).syscall(create_ruleset, None, 0, tell_version)
    return max(int(version), 0)


def _namespaces_work() -> bool:
    bounds = Bounds(2 << 20, 1 << 20)
    system = ("/usr", "/bin", "/lib", "/lib32", "/lib64")
    with tempfile.TemporaryDirectory(prefix="mpbench-") as folder:
        argv = command(["/bin/true"], bounds, system, ["namespaces"])
        try:
            done = subprocess.run(
                argv, cwd=folder, capture_output=True, timeout=PROBE_S, env={}
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0


def command(
    argv: Sequence[str],
    bounds: Bounds,
    reads: Iterable[Path | str],
    barriers: Iterable[str],
    lists: Iterable[Path] = (),
    cpu: int | None = None,
    builds: bool = False,
) -> list[str]:
    """`argv` behind the launcher. Its working directory is all that it may write.

    argv : its first word is a path
    reads : files and folders of the host that it may read
    lists : folders of the host whose names it may list
    cpu : to pin to, None for any
    builds : whether it may also make the system calls of make and what make starts
    """
    return [
        str(launcher.find()),
        f"parent={os.getpid()}",
        *([] if cpu is None else [f"cpu={cpu}"]),
        f"file={bounds.file_bytes}",
        f"memory={bounds.memory_bytes}",
        f"memory-folder={bounds.memory_folder}",
        *([f"address={bounds.address_bytes}"] if bounds.address_bytes else []),
        *([f"seconds={bounds.cpu_s}"] if bounds.cpu_s else []),
        *(f"barrier={name}" for name in barriers),
        *(f"read={path}" for path in reads),
        *(f"list={path}" for path in lists),
        *(["calls=build"] if builds else []),
        "--",
        *argv,
    ]

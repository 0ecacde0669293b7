"""The barriers of the launcher (kernel/launcher/, in C), and the words that it takes.

Guests and the compiler of users' controllers run behind the same launcher. What each
of them may read and use differs, and so stands elsewhere: confinement.py of the
backends, and confined.py.
"""

import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.kernel import launcher

BARRIERS = ("namespaces", "landlock")
PROBE_S = 30.0
SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64")
"""Folders that the programs of the probes need."""


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


@dataclass(frozen=True)
class Below:
    """Folders whose files a confined command sees in its working directory.

    It sees them where its working directory has none of its own, and what it writes
    goes into its working directory alone. Needs the namespaces (`shows_below`).

    folders : the first that has a file shows it
    work : an empty folder in the same file system as the working directory
    """

    folders: tuple[Path, ...]
    work: Path


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
    with tempfile.TemporaryDirectory(prefix="mpbench-") as folder:
        argv = command(["/bin/true"], bounds, SYSTEM, ["namespaces"])
        try:
            done = subprocess.run(
                argv, cwd=folder, capture_output=True, timeout=PROBE_S, env={}
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0


@functools.cache
def shows_below(place: Path) -> bool:
    """Whether commands that work below a folder can see another one (`Below`).

    place : a folder that is there
    """
    if "namespaces" not in offered():
        return False
    bounds = Bounds(2 << 20, 1 << 20)
    try:
        with tempfile.TemporaryDirectory(prefix="probe-", dir=place) as folder:
            parts = [Path(folder) / name for name in ("folder", "work", "run")]
            for part in parts:
                part.mkdir()
            (parts[0] / "seen").touch()
            argv = ["/bin/rm", "seen"]
            below = Below((parts[0],), parts[1])
            done = subprocess.run(
                command(argv, bounds, SYSTEM, ["namespaces"], below=below),
                cwd=parts[2],
                capture_output=True,
                timeout=PROBE_S,
                env={},
            )
            remove_work(parts[1])
            return done.returncode == 0 and (parts[0] / "seen").exists()
    except (OSError, subprocess.TimeoutExpired):
        return False


def remove_work(folder: Path) -> None:
    """Remove the folder `work` of a `Below`, which the kernel closes to its owner."""
    with contextlib.suppress(OSError):
        (folder / "work").chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def command(
    argv: Sequence[str],
    bounds: Bounds,
    reads: Iterable[Path | str],
    barriers: Iterable[str],
    lists: Iterable[Path] = (),
    cpu: int | None = None,
    builds: bool = False,
    below: Below | None = None,
) -> list[str]:
    """`argv` behind the launcher. Its working directory is all that it may write.

    argv : its first word is a path
    reads : files and folders of the host that it may read
    lists : folders of the host whose names it may list
    cpu : to pin to, None for any
    builds : whether it may also make the system calls of make and what make starts
    below : what its working directory shows beside what it has
    """
    shown = []
    if below is not None:
        shown = [f"below={folder}" for folder in below.folders]
        shown.append(f"below-work={below.work}")
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
        *shown,
        "--",
        *argv,
    ]

"""Confinement of a guest's host process.

The launcher (kernel/launcher/, in C) sets up the barriers. This module says what a
guest reads, and how much a run may leave. `RunFolder`
makes a run's folder safe to read for the host.
"""

import contextlib
import ctypes
import os
import re
import resource
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench import guest_memory
from mpbench.backends import guest_code
from mpbench.errors import UserError
from mpbench.kernel import barriers as launching
from mpbench.kernel.barriers import BARRIERS, Bounds, landlock_version, offered
from mpbench.store import scratch

__all__ = ["BARRIERS", "landlock_version", "offered"]

SOURCE = guest_code.SOURCE

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/iproute2",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/python3.11",
    "/etc/services",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
)
"""Files and folders with the programs of the host; those that exist."""

FOLDER_BYTES = 1 << 30
CAPTURES_BYTES = 64 << 30
"""The most that a run may leave, without and with captures of packets."""
MOST_FILES = 5_000
MEMORY_SLACK_BYTES = 16 << 20
"""Memory of the guest's kernel beside the guest's own."""


@dataclass(frozen=True)
class Limits:
    """Limits of the files that a run may leave in its folder.

    file_bytes : in one file; the file that is the guest's memory may be larger
    folder_bytes : in all its files together
    files : files and folders
    """

    file_bytes: int = FOLDER_BYTES
    folder_bytes: int = FOLDER_BYTES
    files: int = MOST_FILES


def limits(captures: bool, folder: Path) -> Limits:
    """The limits of a run: never more than half of what is free on its disk."""
    most = CAPTURES_BYTES if captures else FOLDER_BYTES
    about = os.statvfs(folder)
    most = min(most, about.f_bavail * about.f_frsize // 2)
    return Limits(most, most)


def command(
    argv: Sequence[str],
    memory_bytes: int,
    cpu: int | None,
    reads: Iterable[Path | str] = SYSTEM,
    barriers: Sequence[str] | None = None,
    limits: Limits | None = None,
    lists: Iterable[Path] = (),
) -> list[str]:
    """`argv` behind the launcher that confines it; its first word is a path.

    memory_bytes : of the guest
    cpu : to pin to, None for any
    reads : files and folders of the host that it may read
    barriers : None for all that the host offers
    lists : folders of the host whose names it may list
    """
    kept_bytes = memory_bytes + MEMORY_SLACK_BYTES
    file_bytes = max((limits or Limits()).file_bytes, kept_bytes)
    chosen = offered() if barriers is None else barriers
    folder = memory_folder(max(MEMORY_BYTES, kept_bytes))
    bounds = Bounds(file_bytes, kept_bytes, folder)
    words = [str(Path(argv[0]).resolve()), *argv[1:]]
    return launching.command(words, bounds, reads, chosen, lists, cpu)


def require_files(memory_bytes: int) -> None:
    """Raise UserError if this user's files cannot be as large as a guest's memory.

    memory_bytes : of the guest
    """
    _, most_bytes = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept_bytes = memory_bytes + MEMORY_SLACK_BYTES
    if most_bytes != resource.RLIM_INFINITY and most_bytes < kept_bytes:
        raise UserError(
            f"files may have {most_bytes >> 20} MiB here (ulimit -f), and a guest's "
            f"memory is a file of {kept_bytes >> 20} MiB; start mpbench where "
            "`ulimit -f` says unlimited"
        )


def require_memory(memory_bytes: int) -> None:
    """Raise UserError if this machine has less memory than a guest that is to have more
    than the usual. A guest of the usual size often uses a tenth of it.

    memory_bytes : of the guest
    """
    if memory_bytes <= guest_memory.USUAL_MIB * guest_memory.MIB:
        return
    has_bytes = machine_memory()
    if 0 < has_bytes < memory_bytes:
        raise UserError(
            f"a guest has {memory_bytes >> 20} MiB of memory, and this machine has"
            f" {has_bytes >> 20} MiB; give 'guest: memory:' less, or use another"
            " machine"
        )


def machine_memory(system: Path = Path("/")) -> int:
    """The memory of this machine or container, bytes; 0 if it cannot be told."""
    found = []
    for name, pattern in (
        ("proc/meminfo", r"MemTotal:\s+(\d+) kB"),
        ("sys/fs/cgroup/memory.max", r"(\d+)"),
    ):
        with contextlib.suppress(OSError):
            if said := re.match(pattern, (system / name).read_text()):
                found.append(int(said[1]) * (1024 if "kB" in said[0] else 1))
    return min(found, default=0)


ADDR_NO_RANDOMIZE = 0x0040000
RANDOMIZE = Path("/proc/sys/kernel/randomize_va_space")


ALLOW_FIXED_ADDRESSES = "start a container with `--security-opt seccomp=unconfined`"


def fixed_addresses() -> bool:
    """Whether a process can have the same addresses in every run.

    With addresses at random a guest's memory becomes larger than asked for, by chance.
    The profile of system calls that containers have by default refuses to switch this
    off (personality(2)).
    """
    personality = ctypes.CDLL(None).personality
    personality.argtypes = [ctypes.c_ulong]
    now = personality(0xFFFFFFFF)  # only asks
    if now >= 0 and now & ADDR_NO_RANDOMIZE:
        return True
    if now >= 0 and personality(now | ADDR_NO_RANDOMIZE) >= 0:
        personality(now)
        return True
    try:
        return RANDOMIZE.read_text().strip() == "0"
    except OSError:
        return False


def require_guests(memory_bytes: int) -> None:
    """Raise UserError if guests cannot boot here, or only by chance.

    memory_bytes : of a guest
    """
    require_files(memory_bytes)
    require_memory(memory_bytes)
    if not fixed_addresses():
        raise UserError(
            "this machine refuses fixed addresses (personality), and guests need them; "
            f"{ALLOW_FIXED_ADDRESSES}"
        )


MEMORY_BYTES = 2 << 30


def memory_folder(memory_bytes: int = MEMORY_BYTES) -> Path:
    """Folder of the file that is a guest's memory, if the guest has no namespaces.

    memory_bytes : what must be free there

    In memory, if it fits: a container's /dev/shm is often too small, and a guest that
    fills it dies of SIGBUS.
    """
    for folder in scratch.MEMORY_PARENTS:
        try:
            about = os.statvfs(folder)
        except OSError:
            continue
        fits = about.f_bavail * about.f_frsize >= memory_bytes
        if fits and not about.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK):
            return folder
    return Path("/tmp")


class RunFolder:
    """A run's folder, in which a guest may have written anything.

    directory : holds `artefacts` and maybe `job.json`
    limits : how much the run may leave
    console : descriptor of the file that the guest's console goes to
    """

    def __init__(self, directory: Path, limits: Limits, console: int) -> None:
        self._directory = directory
        self._limits = limits
        self._console = console
        job = directory / "job.json"
        self._job = job.read_bytes() if job.exists() else None
        self.filled = (0, 0)
        """Files and bytes at the last look."""

    def exceeded(self) -> str:
        """Limits that the folder exceeds, in words; empty if there are none."""
        total_bytes = files = 0
        remaining = [str(self._directory)]
        while remaining:
            try:
                with os.scandir(remaining.pop()) as entries:
                    for entry in entries:
                        files += 1
                        if files > self._limits.files:
                            most = self._limits.files
                            return f"more than {most} files in the run's folder"
                        if entry.is_dir(follow_symlinks=False):
                            remaining.append(entry.path)
                        total_bytes += _size(entry)
            except FileNotFoundError:
                continue  # removed meanwhile
            except OSError as error:
                return f"the run's folder cannot be looked through: {error.strerror}"
        self.filled = (files, total_bytes)
        if total_bytes > self._limits.folder_bytes:
            most = self._limits.folder_bytes >> 20
            return f"more than {most} MiB in the run's folder"
        return ""

    def sweep(self) -> None:
        """Leave only what the host can read without harm; the guest has ended.

        The guest may have put links, pipes or folders in place of the files that the
        host expects. Whatever is neither a file nor `artefacts` or `boot` is removed;
        `job.json` and the console get their contents back.
        """
        self._keep_files(self._directory, ("artefacts", "boot"))
        for name in ("artefacts", "boot"):
            folder = self._directory / name
            if not folder.is_dir():
                folder.unlink(missing_ok=True)
                folder.mkdir()
            self._keep_files(folder, ())
        job = self._directory / "job.json"
        if self._job is not None and not _holds(job, self._job):
            job.unlink(missing_ok=True)
            job.write_bytes(self._job)
        self._restore_console()

    def _keep_files(self, folder: Path, folders: Sequence[str]) -> None:
        """Remove what is neither a file nor one of these folders."""
        with os.scandir(folder) as entries:
            listed = list(entries)
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in folders:
                    self._remove_tree(Path(entry))
            elif not entry.is_file(follow_symlinks=False):
                Path(entry).unlink()

    def _remove_tree(self, folder: Path) -> None:
        """Remove a folder that may be deeper than the longest path.

        Each folder in it is first moved to the run's folder.
        """
        remaining = [folder]
        count = 0
        while remaining:
            current = remaining.pop()
            current.chmod(0o700)
            with os.scandir(current) as entries:
                listed = list(entries)
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    count += 1
                    moved = self._directory / f".removed-{os.getpid()}-{count}"
                    # A folder that cannot be written cannot be moved either.
                    Path(entry).chmod(0o700)
                    Path(entry).rename(moved)
                    remaining.append(moved)
                else:
                    Path(entry).unlink()
            current.rmdir()

    def _restore_console(self) -> None:
        path = self._directory / "artefacts" / "console.log"
        about = os.fstat(self._console)
        if path.exists() and os.path.samestat(path.stat(), about):
            return
        path.unlink(missing_ok=True)
        path.write_bytes(os.pread(self._console, about.st_size, 0))


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        about = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return 0
    return max(about.st_size, about.st_blocks * 512)


def _holds(path: Path, content: bytes) -> bool:
    if not path.exists() or path.stat().st_size != len(content):
        return False
    return path.read_bytes() == content

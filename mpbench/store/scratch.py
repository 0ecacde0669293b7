"""Temporary folders that a killed command does not leave for ever.

Each folder holds a lock file for as long as its process lives. The kernel releases
the lock when the process ends, however it ends, so the next command can tell a folder
that is in use from one that was left behind, and removes the latter.

The folder for a guest's memory has no lock file. Its process, the launcher
(kernel/launcher/), holds a lock on the folder itself.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mpbench.store.trees import remove_tree

PREFIX = "mpbench-"
MARK = ".mpbench-temporary"
"""The lock file; a folder without it is kept."""
MEMORY_PREFIX = "mpbench-memory-"
MEMORY_PARENTS = (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))
"""Folders that may hold the folders for guests' memory."""


@contextlib.contextmanager
def folder(purpose: str) -> Iterator[Path]:
    """A temporary folder, removed at the end unless `keep` was called for it.

    Folders that killed commands of this user left behind are removed first.
    """
    remove_abandoned()
    path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-"))
    # The lock file gets its name when it is locked: another command would take a
    # folder with an unlocked one for abandoned.
    unnamed = path / f"{MARK}.new"
    descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        unnamed.rename(path / MARK)
        yield path
    finally:
        os.close(descriptor)
        if (path / MARK).exists():
            remove_tree(path)


def keep(path: Path) -> None:
    """Leave the temporary folder `path` to the user."""
    (path / MARK).unlink(missing_ok=True)


def remove_abandoned() -> None:
    """Remove the temporary folders whose processes have ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        _remove_if_abandoned(path, path / MARK)
    for parent in MEMORY_PARENTS:
        for path in parent.glob(f"{MEMORY_PREFIX}*"):
            _remove_if_abandoned(path, path)


def _remove_if_abandoned(path: Path, locked: Path) -> None:
    """Remove a folder of this user if no process holds the lock of `locked`.

    The folder goes while this process holds the lock, so no launcher that is about to
    lock its new folder loses it unnoticed.
    """
    try:
        about = path.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            return
        descriptor = os.open(locked, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    else:
        remove_tree(path)
    finally:
        os.close(descriptor)

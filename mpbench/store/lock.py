"""A lock that lets one engine at a time work in a results folder."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, which has the number of the holding process.

    The kernel releases the lock when the process ends, however it ends. The file
    stays, because removing it would let two processes hold the lock.
    Raises UserError if another process holds it.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    try:
        _take(descriptor, path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
        raise UserError(
            f"{path.parent}: another mpbench (process {holder or 'unknown'}) "
            "is working here; wait for it, or give another folder with --out"
        ) from error
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
            raise
        raise UserError(
            f"{path.parent}: this file system cannot lock files; "
            "give a folder on a local disk with --out"
        ) from error

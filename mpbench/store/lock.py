"""A lock that lets one engine at a time work in a results folder."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, which has the number of the holding process.

    The kernel releases the lock when the process ends, however it ends. The file
    stays, because removing it would let two processes hold the lock.
    Raises UserError if another process holds it, and if `path` is no file.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o644)
    except OSError as error:
        if error.errno != errno.ENXIO:  # a socket, or a device that is not there
            raise
        raise _strange(path) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _strange(path)
        _take(descriptor, path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _strange(path: Path) -> UserError:
    return UserError(f"{path}: a device, a pipe or a socket, not a file; remove it")


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
        named = f" (process {holder})" if holder.isdecimal() else ""
        raise UserError(
            f"{path.parent}: another mpbench{named} is working here; "
            "wait for it, or give another folder with --out"
        ) from error
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
            raise
        raise UserError(
            f"{path.parent}: this file system cannot lock files; "
            "give a folder on a local disk with --out"
        ) from error

"""One build at a time in a cache folder."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mpbench.errors import UserError


@contextmanager
def exclusive(folder: Path, say: Callable[[str], None]) -> Iterator[IO[bytes]]:
    """Hold the folder's lock. Calls `say` first if it has to wait for the lock.

    Yields the open lock file. A child process that inherits it keeps the lock until it
    ends. So no build starts while processes of a killed build are still running.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = _opened(folder / "lock")
    except OSError as error:
        raise UserError(
            f"{folder}: {error.strerror}; make it writable, or set XDG_CACHE_HOME"
        ) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another mpbench that builds or unpacks here")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle


def _opened(path: Path) -> IO[bytes]:
    """The lock file, opened without waiting for whoever is at the end of a pipe."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "its lock is not a regular file")
    return os.fdopen(descriptor, "ab")

"""Programs of users: what they may write, when they are ready, and how they end."""

import contextlib
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

LOOKED_BYTES = 1 << 16
"""In so much output the line of a server that is ready must stand."""
STOP_S = 5.0
"""Time that a program has to end after SIGTERM; then it is killed."""


def bounded(most_bytes: int | None) -> Callable[[], None] | None:
    """Function that a new process calls so that it can write no larger file; None
    without a bound. A program that tries is ended by SIGXFSZ."""
    if most_bytes is None:
        return None
    limit = most_bytes

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Python ignores the signal, and a child inherits that.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

    return bound


def says(text: str, *files: Path) -> bool:
    """Whether a line of one of the files has the text."""
    for file in files:
        with file.open("rb") as output:
            if text.encode() in output.read(LOOKED_BYTES):
                return True
    return False


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a process: by SIGTERM, and by SIGKILL if it has not ended 5 s later."""
    process.terminate()
    deadline_s = time.monotonic() + STOP_S
    while process.poll() is None and time.monotonic() < deadline_s:
        left_s = max(deadline_s - time.monotonic(), 0.0)
        signal.sigtimedwait([signal.SIGCHLD], left_s)
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()

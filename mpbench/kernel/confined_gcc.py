"""A compiler for users' controllers, behind the launcher's barriers."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import confined, launcher
from mpbench.kernel.barriers import Bounds

MIB = 1 << 20
WALL_S = 120
"""The most that one command may take, and the most CPU time of each process."""
BOUNDS = Bounds(
    file_bytes=256 * MIB,
    memory_bytes=256 * MIB,
    address_bytes=2048 * MIB,
    cpu_s=WALL_S,
)
MOST_SAID = 1 << 18


class Failed(Exception):
    """A command that ended with an error; its text is what the command said."""


def run(words: Sequence[str], kit: Path, folder: Path) -> None:
    """Execute a command of the compiler's.

    words : the command; its first word is a name
    kit : a folder that it may read
    folder : the working directory, which is all that it may write

    Raises Failed, and UserError for a command that is missing or takes too long.
    """
    argv = confined.command(words, BOUNDS, [kit])
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=confined.environment(),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
        status = _wait(process)
        said.seek(0)
        text = said.read(MOST_SAID).decode("utf-8", "replace")
    if status == launcher.CANNOT_CONFINE:
        raise UserError((text.splitlines() or ["the compiler cannot be confined"])[0])
    if status:
        raise Failed(text)


def _wait(process: "subprocess.Popen[bytes]") -> int:
    try:
        return process.wait(WALL_S)
    except subprocess.TimeoutExpired:
        raise UserError(f"not compiled after {WALL_S} s; simplify it") from None
    finally:
        # The launcher ends the compiler and all that it started.
        process.terminate()
        process.wait()

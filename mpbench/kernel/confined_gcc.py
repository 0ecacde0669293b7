"""The compiler and the linker behind the launcher's barriers.

A user's controller may be a stranger's file, and a compiler reads what its input names:
`.incbin` in assembly, `#include` with any path. So what compiles, links or changes such
objects sees the compiler's own files and one working folder, and nothing else of this
machine. Its time, its memory and the size of its files are bounded.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import barriers, launcher
from mpbench.kernel.barriers import Bounds

PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include")
"""Folders below the prefix of a compiler that hold what belongs to it."""
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", *(f"/usr/{part}" for part in PARTS))
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.preload")
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
NOT_CONFINED = (
    "code in C, and this machine offers neither user namespaces nor Landlock to keep"
    " the compiler away from your files; --trust-plugins compiles it all the same"
)


class Failed(Exception):
    """A command that ended with an error; its text is what the command said."""


def require(names: str, trusted: bool) -> None:
    """Raise UserError, one line, if nothing confines a compiler here.

    names : of what is to be compiled
    trusted : whether the user lets it be compiled all the same
    """
    if not trusted and not barriers.offered():
        raise UserError(f"{names}: {NOT_CONFINED}")


def run(words: Sequence[str], kit: Path, folder: Path) -> None:
    """Execute a command of the compiler's.

    words : the command; its first word is a name
    kit : a folder that it may read
    folder : the working directory, which is all that it may write

    Raises Failed, and UserError for a command that is missing or takes too long.
    """
    program = shutil.which(words[0], path=_path())
    if program is None:
        raise UserError(f"controllers need {words[0]} (Debian package gcc)")
    place = Path.cwd() / program
    reads: list[Path | str] = [*SYSTEM, *SETTINGS, *_prefixes(place), kit]
    confining = barriers.offered()
    argv = barriers.command([str(place), *words[1:]], BOUNDS, reads, confining)
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env={"PATH": _path(), "LC_ALL": "C", "CCACHE_DISABLE": "1"},
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


def _path() -> str:
    return os.environ.get("PATH", "/usr/bin:/bin")


def _prefixes(program: Path) -> Iterator[Path]:
    """The folders of a compiler that lies outside of the system's."""
    for place in {program, program.resolve()}:
        prefix = place.parent.parent
        if prefix not in (Path("/"), Path("/usr")):
            yield from (prefix / part for part in PARTS)

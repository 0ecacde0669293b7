"""The compiler, the linker and make behind the launcher's barriers.

What they read may be a stranger's file, and a compiler reads what its input names:
`.incbin` in assembly, `#include` with any path. A patch of Linux can change what make
executes. So they see the compiler's own files and one working folder, and nothing else
of this machine. Their time, their memory and the size of their files are bounded.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import barriers
from mpbench.kernel.barriers import Below, Bounds

PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include")
"""Folders below the prefix of a compiler that hold what belongs to it."""
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", *(f"/usr/{part}" for part in PARTS))
SHARED = ("/usr/share/bison", "/usr/share/perl", "/usr/share/perl5")
"""Files of make's helpers: the skeletons of parsers, and Perl's modules."""
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.preload")
NOT_CONFINED = (
    "code in C, and this machine offers neither user namespaces nor Landlock to keep"
    " the compiler away from your files; --trust-plugins compiles it all the same"
)
NOT_CONFINED_BUILDS = (
    "patches of Linux, and this machine offers no user namespaces to keep what they"
    " build away from your files; --trust-plugins builds it all the same"
)


def require(names: str, trusted: bool) -> None:
    """Raise UserError, one line, if nothing confines a compiler here.

    names : of what is to be compiled
    trusted : whether the user lets it be compiled all the same
    """
    if not trusted and not barriers.offered():
        raise UserError(f"{names}: {NOT_CONFINED}")


def require_for_builds(names: str, trusted: bool) -> None:
    """Raise UserError, one line, if nothing confines make here.

    Make sets modes and dates of files, from which Landlock alone keeps nobody.

    names : of the patches that change what make compiles
    """
    if not trusted and "namespaces" not in barriers.offered():
        raise UserError(f"{names}: {NOT_CONFINED_BUILDS}")


def command(
    words: Sequence[str],
    bounds: Bounds,
    reads: Sequence[Path] = (),
    builds: bool = False,
    below: Below | None = None,
) -> list[str]:
    """A command of the compiler's behind the barriers that this host offers.

    words : its first word is a name; the working directory is all that it may write
    reads : what it may read beside the compiler's files
    builds : whether it is make, or starts what make starts
    below : what the working directory shows beside what it has

    Raises UserError for a command that is missing.
    """
    program = shutil.which(words[0], path=path())
    if program is None:
        raise UserError(f"no {words[0]} on this machine (Debian package {_of(words)})")
    place = Path.cwd() / program
    seen: list[Path | str] = [*SYSTEM, *SETTINGS, *_prefixes(place), *reads]
    if builds:
        compiler = shutil.which("gcc", path=path())
        seen += [*SHARED, *(_prefixes(Path.cwd() / compiler) if compiler else ())]
    argv = [str(place), *words[1:]]
    return barriers.command(
        argv, bounds, seen, barriers.offered(), builds=builds, below=below
    )


def environment() -> dict[str, str]:
    """All of this process's environment that a confined command sees."""
    return {"PATH": path(), "LC_ALL": "C", "CCACHE_DISABLE": "1"}


def path() -> str:
    return os.environ.get("PATH", "/usr/bin:/bin")


def _of(words: Sequence[str]) -> str:
    return words[0] if words[0] in ("make", "patch") else "gcc"


def _prefixes(program: Path) -> Iterator[Path]:
    """The folders of a compiler that lies outside of the system's."""
    for place in {program, program.resolve()}:
        prefix = place.parent.parent
        if prefix not in (Path("/"), Path("/usr")):
            yield from (prefix / part for part in PARTS)

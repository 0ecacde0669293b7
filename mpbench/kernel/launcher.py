"""The program that confines a guest's host process: kernel/launcher/, in C.

It is built with the guest kernel, and cached beside it. Its name in the cache is a hash
of its source and of the compiler's flags. A changed launcher is compiled again in a
second, also without `mpbench kernel build`. It needs no new kernel, because it has no
influence on what a guest computes.
"""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from mpbench import carried
from mpbench.errors import UserError
from mpbench.kernel import cache, recipe

SOURCE = recipe.FOLDER / "launcher"
FLAGS = ("-std=gnu11", "-O2", "-static", "-Wall", "-Wextra", "-Werror")

CANNOT_CONFINE = 125
CANNOT_EXECUTE = 127
"""Its exit statuses where it did not start the command (launcher.h)."""


def find() -> Path:
    """The launcher of the present source; compiled if the cache does not have it.

    The hash of the program stands beside it. A program that does not fit its hash is
    made again. An installed mpbench brings one. Raises UserError if it cannot be
    compiled.
    """
    return _brought() or _ready(cache.root() / "launchers", key())


@functools.cache
def _brought() -> Path | None:
    program = carried.built("launcher") / key()
    fits = _fits(program) and os.access(program, os.X_OK)
    return program if fits else None


def _fits(program: Path) -> bool:
    """Whether the program is there, and is what the hash beside it says."""
    noted = cache.noted(program.with_suffix(".sha256"))
    return program.is_file() and noted == _digest(program)


def key() -> str:
    """The launcher's name in the cache."""
    total = hashlib.sha256(" ".join(FLAGS).encode())
    for path in sorted(SOURCE.glob("*.[ch]")):
        content = path.read_bytes()
        total.update(f"{path.name} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()[:16]


def unneeded() -> list[Path]:
    """The cached launchers, and their hashes, that are not of the present source."""
    folder = cache.root() / "launchers"
    return [path for path in folder.glob("*") if path.stem != key()]


@functools.cache
def _ready(folder: Path, name: str) -> Path:
    program = folder / name
    noted = program.with_suffix(".sha256")
    if _fits(program):
        return program
    if shutil.which("gcc") is None:
        raise UserError(
            "the launcher of guests is not built, and building it needs gcc (Debian "
            "package gcc)"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=folder) as work:
            made = Path(work) / "launcher"
            _compile(made)
            digest = _digest(made)
            made.replace(program)
            noted.write_text(digest)
    except OSError as error:
        raise UserError(
            f"cannot keep the launcher of guests in {folder}: {error.strerror}; make "
            "it writable, or set XDG_CACHE_HOME"
        ) from error
    return program


def _compile(program: Path) -> None:
    sources = [path.name for path in sorted(SOURCE.glob("*.c"))]
    done = subprocess.run(
        ["gcc", *FLAGS, "-o", str(program), *sources],
        cwd=SOURCE,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = done.stderr.splitlines() or ["gcc says nothing"]
        reason = next((line for line in lines if "error" in line), lines[-1])
        raise UserError(f"{SOURCE} does not compile: {reason.strip()}")


def _digest(program: Path) -> str:
    with program.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()

"""`mpbench-read`, compiled for this machine.

In a virtual guest it lies in the kernel's own archive; natively it is compiled
once from the same sources and kept in the user's cache folder, by content.
"""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mpbench.backends.confinement import SOURCE
from mpbench.errors import UserError
from mpbench.kernel import cache

SOURCES = SOURCE / "kernel" / "guest"
COMPILER = "gcc"
REMEDY = "apt-get install gcc libc6-dev"
_PRODUCTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "mpbench-read": ("mpbench-read.c", ("-O2",)),
    "libmpbench-read.so": ("read-library.c", ("-O2", "-shared", "-fPIC")),
}


def cache_folder() -> Path:
    """Where compiled tools stay."""
    return cache.root() / "tools"


def folder(kept: Path | None = None, sources: Path = SOURCES) -> Path:
    """The folder that holds the compiled tools; compiles them the first time.

    Raises UserError if there is no compiler, it fails, or the cache folder
    cannot be written.
    """
    place = (kept or cache_folder()) / content_hash(sources)
    try:
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as made:
                _compile(_compiler(), sources, Path(made))
                _publish(Path(made), place)
    except OSError as error:
        raise UserError(
            f"{place.parent}: cannot keep mpbench-read there: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from error
    return place


def _compiler() -> str:
    found = shutil.which(COMPILER)
    if found is None:
        raise UserError(
            f"{COMPILER}: not found, needed once to compile mpbench-read; {REMEDY}"
        )
    return found


def content_hash(sources: Path = SOURCES) -> str:
    """16 hex digits of what the tools are made of."""
    digest = hashlib.sha256()
    for name, (source, options) in sorted(_PRODUCTS.items()):
        try:
            content = (sources / source).read_bytes()
        except OSError as error:
            raise UserError(
                f"{sources / source}: cannot be read ({error.strerror}); "
                "run mpbench from a complete source tree"
            ) from error
        digest.update(f"{name} {' '.join(options)} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _compile(compiler: str, sources: Path, target: Path) -> None:
    for name, (source, options) in _PRODUCTS.items():
        argv = [compiler, *options, "-o", str(target / name), str(sources / source)]
        done = subprocess.run([*argv, "-ldl"], capture_output=True, text=True)
        if done.returncode:
            words = " ".join(done.stderr.split())[:300]
            raise UserError(f"{source}: {COMPILER} fails: {words}; {REMEDY}")
    target.chmod(0o755)


def _publish(made: Path, place: Path) -> None:
    """Rename, which is all or nothing; another process may have been quicker."""
    whole = made / "whole"
    whole.mkdir()
    for name in _PRODUCTS:
        (made / name).rename(whole / name)
    try:
        whole.rename(place)
    except OSError:
        if not place.is_dir():
            raise

"""Compile `mpbench-read` and `mpbench-flows` for this machine.

In a guest of the virtual lab, they are part of the kernel's image. For native runs
they are compiled once from the same sources and kept in the user's cache folder,
under the hash of its sources.
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
from mpbench.kernel.recipe import Program

SOURCES = SOURCE / "kernel" / "guest"
COMPILER = "gcc"
REMEDY = "apt-get install gcc libc6-dev"
Products = Mapping[str, tuple[str, tuple[str, ...]]]
PRODUCTS: Products = {
    "mpbench-flows": ("flows", ("-O2",)),
    "mpbench-read": ("mpbench-read.c", ("-O2",)),
    "libmpbench-read.so": ("read-library.c", ("-O2", "-shared", "-fPIC")),
}
"""Each with its source file, or a folder with several, and flags for gcc."""


def cache_folder() -> Path:
    """The folder that keeps compiled tools."""
    return cache.root() / "tools"


def folder(
    kept: Path | None = None, sources: Path = SOURCES, products: Products = PRODUCTS
) -> Path:
    """The folder with the compiled tools; the first call compiles them.

    products : what is compiled
    Raises UserError if there is no compiler, if it fails, or if the cache folder cannot
    be written.
    """
    place = (kept or cache_folder()) / content_hash(sources, products)
    try:
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as made:
                _compile(_compiler(), sources, products, Path(made))
                _publish(Path(made), products, place)
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


def content_hash(sources: Path = SOURCES, products: Products = PRODUCTS) -> str:
    """16 hexadecimal digits of the hash of the tools' sources."""
    digest = hashlib.sha256()
    for name, (source, options) in sorted(products.items()):
        try:
            content = Program(name, source, options).content(sources)
        except OSError as error:
            raise UserError(
                f"{sources / source}: cannot be read ({error.strerror}); "
                "run mpbench from a complete source tree"
            ) from error
        digest.update(f"{name} {' '.join(options)} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _compile(compiler: str, sources: Path, products: Products, target: Path) -> None:
    for name, (source, options) in products.items():
        units = Program(name, source, options).units(sources)
        files = [str(sources / unit) for unit in units]
        argv = [compiler, *options, "-o", str(target / name), *files]
        done = subprocess.run([*argv, "-ldl"], capture_output=True, text=True)
        if done.returncode:
            words = " ".join(done.stderr.split())[:300]
            raise UserError(f"{source}: {COMPILER} fails: {words}; {REMEDY}")
    target.chmod(0o755)


def _publish(made: Path, products: Products, place: Path) -> None:
    """Rename the complete folder; another process may have been faster."""
    whole = made / "whole"
    whole.mkdir()
    for name in products:
        (made / name).rename(whole / name)
    try:
        whole.rename(place)
    except OSError:
        if not place.is_dir():
            raise

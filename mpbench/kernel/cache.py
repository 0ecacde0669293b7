"""Finished kernels in the user's cache folder, each named by what it was made of.

    ~/.cache/mpbench/            or $XDG_CACHE_HOME/mpbench/
      kernels/KEY/               linux, config, build.log, info.json
      sources/ID/                tree/ (what ARCH=um needs of Linux), source.json
      work/CONFIG/               the tree with ours laid over it, and its objects
      logs/                      of builds that failed or were interrupted
      lock                       held while something is built or removed

A folder below kernels/ and sources/ appears under its name only when complete.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.kernel import recipe as recipes
from mpbench.kernel.recipe import Recipe

NEW = ".new-"
"""Begins the name of a folder that is being filled."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that is ready to boot.

    path : the executable
    info : what is in info.json (source, compiler, hashes, sizes, times)
    """

    path: Path
    key: str
    folder: Path
    info: dict[str, Any]


def root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        home = Path(base) if base.startswith("/") else Path.home() / ".cache"
    except RuntimeError as error:
        raise UserError(
            f"no cache folder: {error}; set HOME or XDG_CACHE_HOME"
        ) from error
    return home / "mpbench"


def key(recipe: Recipe, source: str, compiler: str) -> str:
    """Name of the kernel made by this recipe of this source with this compiler."""
    text = "\n".join([recipe.digest, source, compiler])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def find(config: str = "guest") -> Kernel:
    """The kernel that is ready for that configuration as it is now.

    Its recipe (configuration, overlay, patches, the guest's programs) must be the
    present one, and its compiler the one installed; where none is installed, any
    will do. Of several, made of different sources, the one asked for last.

    Raises UserError if there is none.
    """
    found = lookup(recipes.read(config))
    if found is None:
        option = "" if config == "guest" else f" --config {config}"
        raise UserError(
            f"guest kernel (configuration {config}) not built yet; "
            f"`mpbench kernel build{option}` makes it"
        )
    return found


def lookup(recipe: Recipe) -> Kernel | None:
    """As `find`, but None if there is none."""
    ready = [one for one in kernels() if one.info["recipe"] == recipe.digest]
    if not ready:
        return None
    from mpbench.kernel.tools import compiler

    here = compiler()
    if here is not None:
        ready = [one for one in ready if one.info["compiler"] == here]
    return max(ready, key=_last_asked, default=None)


def get(name: str) -> Kernel | None:
    """The kernel of that key."""
    folder = root() / "kernels" / name
    path = folder / "linux"
    try:
        info = json.loads((folder / "info.json").read_text())
    except (OSError, ValueError):
        return None
    return Kernel(path, name, folder, info) if path.is_file() else None


def kernels() -> Iterator[Kernel]:
    for folder in _visible(root() / "kernels"):
        kernel = get(folder.name)
        if kernel is not None:
            yield kernel


def ask(kernel: Kernel) -> Kernel:
    """Make it the one that `find` prefers."""
    os.utime(kernel.folder / "info.json")
    return kernel


def _last_asked(kernel: Kernel) -> float:
    return (kernel.folder / "info.json").stat().st_mtime


def _visible(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if one.name[0] != ".")
    except OSError:
        return []


def remove_leftovers() -> None:
    """What an interrupted build left; to be called under the lock."""
    for room in ("kernels", "sources"):
        remove((root() / room).glob(f"{NEW}*"))


def remove(paths: Iterable[Path]) -> int:
    """Remove files and folders; returns the bytes that they held."""
    freed = 0
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            freed += size(path)
            shutil.rmtree(path)
        elif path.exists():
            freed += path.stat().st_size
            path.unlink()
    return freed


def size(folder: Path) -> int:
    """Bytes that removing the folder frees: a file that is linked to from
    elsewhere, as a work tree's are from its source, frees none."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            about = Path(where, name).lstat()
            if about.st_nlink == 1:
                total += about.st_blocks * 512
    return total


def unneeded(everything: bool) -> list[Path]:
    """What `mpbench kernel clean` removes."""
    home = root()
    if everything:
        return [home / name for name in ("kernels", "sources", "work", "logs")]
    present = {recipes.read(name).digest for name in recipes.CONFIGS}
    old = [one.folder for one in kernels() if one.info["recipe"] not in present]
    return [*old, home / "work", home / "logs"]

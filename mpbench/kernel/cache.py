"""Finished kernels in the user's cache folder, each named by a hash of its inputs.

    ~/.cache/mpbench/            or $XDG_CACHE_HOME/mpbench/
      kernels/KEY/               linux, config, build.log, info.json, kit.tar.gz
      kernels/KEY-guided/        the same kernel, its optimisation guided by a profile
      linked/                    kernels with controllers of users; HASH.sha256
      plugins/                   what topologies of users describe
      designs/                   points of designs that were drawn
      content/                   programs and files of users, by their SHA-256
      launchers/                 KEY, the program that confines guests; KEY.sha256
      git/                       fetched commits, and places of repositories
      releases/ID/               trees of other releases; see `mpbench.kernel.released`
      sources/ID/                tree/ (the part of Linux for ARCH=um), source.json
      work/CONFIG/               the tree with overlay and patches, and its objects
      logs/                      logs of builds that failed or were interrupted
      lock                       held during a build or a removal

A folder below kernels/ and sources/ gets its name only when it is complete.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench import carried
from mpbench.errors import UserError
from mpbench.kernel import recipe as recipes
from mpbench.kernel.recipe import Recipe

FOLDERS = (
    "kernels",
    "launchers",
    "sources",
    "releases",
    "work",
    "logs",
    "linked",
    "plugins",
    "designs",
    "content",
    "git",
)

KEY = re.compile("[0-9a-f]{16}", re.ASCII)
TOLD = ("key", "config", "recipe", "compiler", "source_hash")
"""The texts that `info.json` has of a kernel, or it is damaged."""
GUIDED = "-guided"
"""The end of the name of the folder of a profile-guided kernel."""
NEW = ".new-"
"""The prefix of a folder that is still being filled."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that is ready to boot.

    path : the executable
    info : the content of info.json (source, compiler, hashes, sizes, times)
    """

    path: Path
    key: str
    folder: Path
    info: dict[str, Any]

    @property
    def guided(self) -> bool:
        """Whether a profile guided its optimisation."""
        return self.info.get("profile_guided") is True


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
    """The name of the kernel that this recipe, source and compiler make."""
    text = "\n".join([recipe.digest, source, compiler])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def find(config: str = "guest") -> Kernel:
    """The kernel in the cache that matches the present files of a configuration.

    Its recipe (configuration, overlay, patches, the guest's programs) must be the
    present one, and its compiler must be the installed one. If no compiler is
    installed, any compiler matches. Of several kernels, which then have different
    sources, the function returns the one that was asked for last. If that one was also
    built guided by a profile, the function returns that build. Both have the same key,
    because results do not depend on how a kernel was optimised. An installed mpbench
    uses the kernel that it brought, whatever compiler there is.

    Raises UserError if there is none, or if its file is not the one that was built.
    """
    kernel = lookup(recipes.read(config))
    if kernel is None:
        option = "" if config == "guest" else f" --config {config}"
        raise UserError(
            f"guest kernel (configuration {config}) not built yet; "
            f"`mpbench kernel build{option}` makes it"
        )
    check(kernel)
    return kernel


def check(kernel: Kernel) -> None:
    """Compare the kernel's file with the hash that was noted when it was built.

    A file that was cut short by a full disk, or changed, would fail every run.
    """
    try:
        with kernel.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{kernel.path}: cannot be read: {error.strerror}") from error
    if digest != kernel.info.get("linux_hash"):
        raise UserError(
            f"{kernel.path}: not the kernel that was built (its hash is another one); "
            f"{_again(kernel)}"
        )


def _again(kernel: Kernel) -> str:
    """Directions for getting a kernel again that is damaged."""
    if kernel.folder == carried.built("kernel"):
        return "install mpbench's wheel again"
    option = " --profile-guided" if kernel.guided else ""
    return f"`mpbench kernel build{option} --force` makes it again"


def lookup(recipe: Recipe) -> Kernel | None:
    """The same as `find` for a recipe; None if there is no such kernel."""
    brought = read(carried.built("kernel"))
    if brought is not None and brought.info.get("recipe") == recipe.digest:
        return brought
    ready = [
        kernel
        for kernel in kernels()
        if kernel.info["recipe"] == recipe.digest and not kernel.guided
    ]
    if not ready:
        return None
    from mpbench.kernel.tools import compiler

    installed = compiler()
    if installed is not None:
        ready = [kernel for kernel in ready if kernel.info["compiler"] == installed]
    if not ready:
        return None
    last = max(ready, key=_last_asked)
    return get(last.key + GUIDED) or last


def get(name: str) -> Kernel | None:
    """The kernel in this folder; None if it is not there or is damaged."""
    return read(root() / "kernels" / name)


def read(folder: Path) -> Kernel | None:
    """The kernel in any folder; None if it is not there or is damaged."""
    path = folder / "linux"
    info = facts(folder / "info.json")
    whole = all(isinstance(info.get(name), str) for name in TOLD)
    if not whole or not KEY.fullmatch(info["key"]) or not path.is_file():
        return None
    return Kernel(path, info["key"], folder, info)


def facts(file: Path) -> dict[str, Any]:
    """The JSON object in a file of the cache; empty if it is not there or damaged."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def noted(file: Path) -> str:
    """The note in a file of the cache; empty if it is not there or damaged."""
    try:
        return file.read_text()
    except (OSError, ValueError):
        return ""


def kernels() -> Iterator[Kernel]:
    for folder in _visible(root() / "kernels"):
        kernel = get(folder.name)
        if kernel is not None:
            yield kernel


def ask(kernel: Kernel) -> Kernel:
    """Note that this kernel was asked for, so that `find` prefers it."""
    if kernel.folder != carried.built("kernel"):
        os.utime(kernel.folder / "info.json")
    return kernel


def _last_asked(kernel: Kernel) -> float:
    return (kernel.folder / "info.json").stat().st_mtime


def _visible(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] != ".")
    except OSError:
        return []


def remove_leftovers() -> None:
    """Remove what interrupted builds left. The caller holds the lock."""
    for name in ("kernels", "releases", "sources", "work"):
        remove((root() / name).glob(f"{NEW}*"))


def remove(paths: Iterable[Path]) -> int:
    """Remove files and folders; returns the bytes that this frees."""
    freed = 0
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            freed += size(path)
            for closed in (*path.glob("overlay/work"), *path.glob("*/overlay/work")):
                closed.chmod(0o700)  # an interrupted build left it
            shutil.rmtree(path)
        elif path.exists():
            freed += path.stat().st_size
            path.unlink()
    return freed


def size(folder: Path) -> int:
    """The bytes that removing the folder frees.

    Removing a file with several links frees nothing. A work tree's files are such
    links to those of its source.
    """
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            status = Path(where, name).lstat()
            if status.st_nlink == 1:
                total += status.st_blocks * 512
    return total


def unneeded(everything: bool) -> list[Path]:
    """The files and folders that `mpbench kernel clean` removes."""
    home = root()
    if everything:
        return [home / name for name in FOLDERS]
    present = {recipes.read(name).digest for name in recipes.CONFIGS}
    old = [
        kernel.folder for kernel in kernels() if kernel.info["recipe"] not in present
    ]
    return [*old, home / "work", home / "logs", home / "linked"]

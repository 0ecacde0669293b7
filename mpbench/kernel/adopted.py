"""The kernel of a wheel of mpbench, in place of a build.

A wheel brings the guest kernel of the checkout that it was made of. If its recipe and
its compiler are those of this checkout, a build would make the same kernel. The wheel
lies in `dist/` of the checkout, where `make wheel` puts it, or in a place of
MPBENCH_MIRROR.
"""

import hashlib
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mpbench import carried, mirror
from mpbench.kernel import cache, kit
from mpbench.kernel.cache import Kernel
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import Recipe
from mpbench.version import __version__

PREFIX = "mpbench/_carried/built/kernel/"
LINUX, INFO = "linux", "info.json"
FILES = (LINUX, "config", "build.log", INFO, kit.NAME)
NEEDED = {LINUX, "config", INFO}
MOST_BYTES = 200_000_000
"""The largest file of a kernel that is taken."""
MIRRORED = f"mpbench-{__version__}-py3-none-manylinux_2_17_x86_64.whl"
KEY = re.compile("[0-9a-f]{16}", re.ASCII)


def adopt(wanted: Recipe, compiler: str, output: Progress) -> Kernel | None:
    """The kernel of the first wheel that has this recipe's; None if no wheel has it.

    Raises UserError for a place of MPBENCH_MIRROR that cannot be read.
    """
    home = cache.root() / "kernels"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=cache.NEW) as scratch:
        for number, (place, wheel) in enumerate(_wheels(Path(scratch))):
            taken = Path(scratch) / str(number)
            found = _taken(wheel, wanted, compiler, taken)
            if found is None:
                continue
            folder = home / found["key"]
            cache.remove([folder])  # damaged, or lookup would have found it
            taken.rename(folder)
            output.say(f"the kernel of {place}: the same recipe and compiler")
            return cache.read(folder)
    return None


def _wheels(scratch: Path) -> Iterator[tuple[str, Path]]:
    """The wheels that there are, each with the words for its place."""
    if carried.INSTALLED:
        return
    for wheel in sorted((carried.ROOT / "dist").glob("mpbench-*.whl")):
        yield str(wheel), wheel
    fetched = scratch / MIRRORED
    if (place := mirror.fetch(MIRRORED, fetched)) is not None:
        yield place, fetched


def _taken(
    wheel: Path, wanted: Recipe, compiler: str, folder: Path
) -> dict[str, Any] | None:
    """The description of a wheel's kernel, whose files are then in `folder`.

    None if it is another kernel, or if the wheel is damaged: it is built then.
    """
    try:
        with zipfile.ZipFile(wheel) as packed:
            sizes = {each.filename: each.file_size for each in packed.infolist()}
            there = {name for name in FILES if PREFIX + name in sizes}
            if (
                not there >= NEEDED
                or max(sizes[PREFIX + n] for n in there) > MOST_BYTES
            ):
                return None
            info = json.loads(packed.read(PREFIX + INFO))
            if not _same(info, wanted, compiler):
                return None
            folder.mkdir()
            for name in there:
                (folder / name).write_bytes(packed.read(PREFIX + name))
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    (folder / LINUX).chmod(0o755)
    with (folder / LINUX).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return dict(info) if digest == info.get("linux_hash") else None


def _same(info: Any, wanted: Recipe, compiler: str) -> bool:
    """Whether a build would make the kernel that is described."""
    return (
        isinstance(info, dict)
        and info.get("recipe") == wanted.digest
        and info.get("compiler") == compiler
        and not info.get("profile_guided")
        and KEY.fullmatch(str(info.get("key"))) is not None
    )

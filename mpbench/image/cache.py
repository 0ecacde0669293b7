"""Finished root images in the user's cache folder, each named by a hash of its inputs.

~/.cache/mpbench/images/KEY/
  root.erofs       the image
  manifest.txt     the packages in it, with their versions
  sbom.json        the same for programs (CycloneDX)
  info.json        hashes, sizes, dates
  read.json        the state of the file when it was last read and found whole
"""

import contextlib
import functools
import hashlib
import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mpbench import carried
from mpbench.errors import UserError
from mpbench.image import choice, erofs, lock, packed
from mpbench.kernel import cache
from mpbench.kernel.lock import exclusive

METHOD = "1"
"""Enters every key. Raise it when a change of this package changes the image."""
NAME = "root.erofs"
READ = "read.json"


@dataclass(frozen=True)
class Image:
    """An image that is ready.

    path : the file; a guest sees the folder that it lies in
    sha256 : of the file
    programs : the names of those on a guest's PATH
    info : the content of info.json
    """

    path: Path
    key: str
    sha256: str
    programs: frozenset[str]
    info: dict[str, Any]

    @property
    def manifest(self) -> dict[str, str]:
        """Package to version."""
        lines = cache.noted(self.path.with_name("manifest.txt")).splitlines()
        return {name: version for name, _, version in (x.partition("=") for x in lines)}


def folder() -> Path:
    return cache.root() / "images"


def key() -> str:
    """The name of the image that the present files make."""
    total = hashlib.sha256()
    inputs = [
        METHOD,
        *(package.line for package in lock.read()),
        choice.PRUNED.pattern,
        repr((choice.FOLDERS, choice.LINKS, choice.FILES, sorted(choice.LEFT_OUT))),
        repr((choice.TOOLS, erofs.OPTIONS)),
    ]
    for text in inputs:
        total.update(f"{len(text)} {text}\n".encode())
    return total.hexdigest()[:16]


def find(known: bool = False) -> Image:
    """The image of the present lock file.

    The image of a wheel is unpacked into the cache at the first use.

    known : whether a file that was read before, and that nobody has written to since,
        may go unread. Reading all of it takes longer than a short command otherwise
    Raises UserError if it is not built, if its file is not the one that was built, or
    if it cannot be unpacked.
    """
    image = lookup()
    if image is None:
        raise UserError("root image not built yet; `mpbench image build` makes it")
    ours = image.path.parent == carried.built("image")
    if known and _is_known(image):
        return image
    if not ours and _packed().is_file() and not _whole(image):
        _unpack(_packed(), image)
    if not _whole(image):
        raise UserError(
            f"{image.path}: not the image that was built (its hash is another one); "
            f"{_again(image)}"
        )
    _note(image)
    return image


def lookup() -> Image | None:
    """The same without a look at the file; None if there is no image.

    An installed mpbench uses the image that it brought, which may not be unpacked yet.
    """
    wanted = key()
    brought = _read(carried.built("image"), wanted)
    if brought is not None and brought.info.get("key") == wanted:
        if brought.path.is_file():
            return brought
        if _packed().is_file():
            return replace(brought, path=folder() / wanted / NAME)
    return get(wanted)


def get(name: str) -> Image | None:
    image = _read(folder() / name, name)
    return image if image is not None and image.path.is_file() else None


def _packed() -> Path:
    """The image that a wheel brought; it need not be there."""
    return carried.built("image") / f"{NAME}{packed.SUFFIX}"


def _unpack(brought: Path, image: Image) -> None:
    """Put the wheel's image into the cache. Processes that start at once take turns,
    and only the first one unpacks."""

    def say(text: str) -> None:
        print(f"mpbench: {text}", file=sys.stderr)

    with exclusive(folder(), say):
        if not _whole(image):
            cache.remove(folder().glob(f"{cache.NEW}*"))
            packed.unpack(brought, image.path, image.sha256, cache.NEW)


def _whole(image: Image) -> bool:
    """Whether the file is there and the one that was built."""
    try:
        status = image.path.stat()
    except OSError:
        return False
    return _digest(image.path, status.st_mtime_ns, status.st_size) == image.sha256


def _is_known(image: Image) -> bool:
    """Whether the file is as it was when it was last found whole."""
    try:
        return cache.facts(image.path.with_name(READ)) == _state(image)
    except OSError:
        return False


def _note(image: Image) -> None:
    """Note the state of a file that was found whole, where the folder can be written.

    Only the system sets the time of the last change, so a file that was changed has
    another state.
    """
    with contextlib.suppress(OSError):
        if not _is_known(image):
            draft = image.path.with_name(f".{READ}.{os.getpid()}")
            draft.write_text(json.dumps(_state(image)))
            draft.rename(image.path.with_name(READ))


def _state(image: Image) -> dict[str, Any]:
    about = image.path.stat()
    times = {"mtime_ns": about.st_mtime_ns, "ctime_ns": about.st_ctime_ns}
    place = {"device": about.st_dev, "inode": about.st_ino}
    return {"sha256": image.sha256, "size": about.st_size, **times, **place}


def _again(image: Image) -> str:
    """Directions for getting an image again that is damaged."""
    if image.path.parent == carried.built("image"):
        return "install mpbench's wheel again"
    return "`mpbench image build --force` makes it again"


def _read(place: Path, key: str) -> Image | None:
    info = cache.facts(place / "info.json")
    try:
        programs = frozenset(map(str, info["programs"]))
        return Image(place / NAME, key, str(info["sha256"]), programs, info)
    except (KeyError, TypeError):
        return None


def unneeded() -> list[Path]:
    """The folders of images that are not of the present lock file."""
    folders = (path for path in folder().glob("[!.]*") if path.is_dir())
    return [path for path in folders if path.name != key()]


@functools.cache
def _digest(path: Path, mtime_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

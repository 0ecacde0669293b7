"""The image as a wheel brings it: packed by xz, and unpacked once into the cache.

Whoever lacks a cache or Python's module `lzma` can unpack the file where it lies (`xz
-dk`); it is then used there.
"""

import hashlib
import shutil
import tempfile
from pathlib import Path

from mpbench.errors import UserError

SUFFIX = ".xz"
_CHUNK_BYTES = 1 << 20


def unpack(packed: Path, image: Path, sha256: str, prefix: str) -> None:
    """Unpack an image, with the files that lie beside it, into a folder of its own.

    The folder gets its name in one step. If it is there, its files are replaced, and
    guests keep what they have opened.

    packed : the packed image; the name of the image is the same without `.xz`
    image : where to put the image; the folder above its folder is there
    sha256 : of the unpacked image
    prefix : of the folder beside the image's that the files are written to at first
    Raises UserError if the content is another one, or cannot be written.
    """
    place = image.parent
    try:
        with tempfile.TemporaryDirectory(prefix=prefix, dir=place.parent) as work:
            new = Path(work) / "new"
            new.mkdir(mode=0o755)
            _write(packed, new / image.name, sha256)
            for file in sorted(packed.parent.iterdir()):
                if file.is_file() and file.stem != image.name:
                    shutil.copyfile(file, new / file.name)
            put(new, place)
    except OSError as error:
        raise UserError(
            f"cannot unpack the root image to {place}: {error.strerror}; it needs "
            "84 MB: free some space, or set XDG_CACHE_HOME"
        ) from error


def put(new: Path, place: Path) -> None:
    """Give a finished folder its name, or replace the files of the one that has it."""
    if not place.exists():
        new.replace(place)
        return
    for file in sorted(new.iterdir()):
        file.replace(place / file.name)


def _write(packed: Path, target: Path, sha256: str) -> None:
    try:
        import lzma
    except ImportError:
        raise UserError(
            f"{packed}: this Python has no module lzma, which unpacks the root image; "
            f"use a Python that has it, or unpack it once: xz -dk {packed}"
        ) from None
    total = hashlib.sha256()
    try:
        with lzma.open(packed) as content, target.open("wb") as file:
            while chunk := content.read(_CHUNK_BYTES):
                total.update(chunk)
                file.write(chunk)
    except (lzma.LZMAError, EOFError):
        raise UserError(_damaged(packed)) from None
    if total.hexdigest() != sha256:
        raise UserError(_damaged(packed))
    target.chmod(0o644)


def _damaged(packed: Path) -> str:
    return (
        f"{packed}: not the image that was built (its hash is another one); "
        "install mpbench's wheel again"
    )

"""A zip archive with the same bytes for the same content.

Names are sorted, dates and permissions are fixed. Another version of zlib may compress
the same content to other bytes.
"""

import hashlib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mpbench.store import json_file
from mpbench.store.json_file import DamagedError

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip archive can hold."""
FILE_MODE = 0o100644
UNIX = 3
CHUNK = 1 << 20


@dataclass(frozen=True)
class Part:
    """A file of the archive.

    name : with `/` between folders
    content : its bytes, or where they lie
    sha256 : that the content must have
    size : in bytes
    """

    name: str
    content: Path | bytes
    sha256: str
    size: int


def of_bytes(name: str, content: bytes) -> Part:
    return Part(name, content, hashlib.sha256(content).hexdigest(), len(content))


def write(path: Path, parts: Iterable[Part]) -> None:
    """Write the archive; links are not followed.

    Raises DamagedError if a file is not the one that its hash says.
    """
    with zipfile.ZipFile(path, "x") as archive:
        for part in sorted(parts, key=lambda one: one.name):
            about = zipfile.ZipInfo(part.name, EARLIEST)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.create_system = UNIX
            about.external_attr = FILE_MODE << 16
            about.file_size = part.size
            with archive.open(about, "w") as target:
                if isinstance(part.content, bytes):
                    target.write(part.content)
                else:
                    _copy(part, part.content, target)


def _copy(part: Part, source: Path, target: IO[bytes]) -> None:
    """Copy a file of the size and the hash that the archive's maker expects."""
    digest, left = hashlib.sha256(), part.size
    try:
        with json_file.open_regular(source) as file:
            while chunk := file.read(min(CHUNK, left + 1)):
                left -= len(chunk)
                digest.update(chunk)
                if left < 0:
                    break
                target.write(chunk)
    except DamagedError as error:
        raise DamagedError(f"{part.name}: {error}") from error
    if left or digest.hexdigest() != part.sha256:
        raise DamagedError(f"{part.name}: was changed while it was read")

"""Reads a Debian package: an ar archive with a tarball of the package's files."""

import io
import lzma
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mpbench.errors import UserError

MAGIC = b"!<arch>\n"
HEADER_BYTES = 60
COMPRESSIONS = {
    "data.tar": "r:",
    "data.tar.gz": "r:gz",
    "data.tar.xz": "r:xz",
    "data.tar.bz2": "r:bz2",
}


@contextmanager
def files(package: Path) -> Iterator[tarfile.TarFile]:
    """The tarball of a package's files.

    Raises UserError if the file is not a package, or packed in another way.
    """
    with package.open("rb") as handle:
        name, content = _data(handle, package)
        mode = COMPRESSIONS.get(name)
        if mode is None:
            raise UserError(f"{package}: {name}: a compression that is not known here")
        try:
            with tarfile.open(fileobj=content, mode=mode) as archive:  # type: ignore[call-overload]
                yield archive
        except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
            raise UserError(f"{package}: {name}: {error}") from error


def _data(handle: IO[bytes], package: Path) -> tuple[str, IO[bytes]]:
    if handle.read(len(MAGIC)) != MAGIC:
        raise UserError(f"{package}: not a Debian package")
    while header := handle.read(HEADER_BYTES):
        size = header[48:58].strip()
        if len(header) < HEADER_BYTES or not size.isdigit():
            break
        name = header[:16].decode(errors="replace").strip().rstrip("/")
        if name.startswith("data.tar"):
            return name, io.BytesIO(handle.read(int(size)))
        handle.seek(int(size) + int(size) % 2, io.SEEK_CUR)
    raise UserError(f"{package}: a Debian package without files")

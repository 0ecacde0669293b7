"""Names of files in an EROFS image, which is read without mounting it.

Linux, `fs/erofs/erofs_fs.h`. Images of `mpbench.image.erofs` are not compressed.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

SUPERBLOCK = 1024
MAGIC = 0xE0F5E1E2
PLAIN, INLINE = 0, 2
"""Layouts of a folder's entries: in blocks; the last part behind the inode."""
MOST_FOLDER_BYTES = 16 << 20
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib", "usr/lib64", "lib64")
"""Folders in which the loader of programs looks."""


def libraries(image: Path) -> frozenset[str]:
    """The names of all files in the folders of libraries of a root image.

    Raises ValueError for what is no such image, and OSError.
    """
    with image.open("rb") as file:
        folder = _Image(file)
        try:
            found = [name for path in LIBRARIES for name in folder.names(path)]
        except (struct.error, IndexError):
            raise ValueError(f"{image}: a damaged image") from None
    return frozenset(found)


class _Image:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        magic, _, _, bits, _, root = struct.unpack("<IIIBBH", self._at(SUPERBLOCK, 16))
        if magic != MAGIC or not 9 <= bits <= 16:
            raise ValueError("not an EROFS image")
        (meta,) = struct.unpack("<I", self._at(SUPERBLOCK + 40, 4))
        self._block = 1 << bits
        self._inodes = meta * self._block
        self._root = root

    def names(self, path: str) -> list[str]:
        """Names in a folder; none if there is no such folder."""
        inode = self._root
        for part in path.split("/"):
            entries = dict(self._entries(inode))
            if part not in entries:
                return []
            inode = entries[part]
        return [name for name, _ in self._entries(inode)]

    def _at(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)

    def _entries(self, inode: int) -> Iterator[tuple[str, int]]:
        """The entries of a folder with their inodes; none of what is no folder."""
        data = self._content(inode)
        for start in range(0, len(data), self._block):
            block = data[start : start + self._block]
            (first,) = struct.unpack_from("<H", block, 8)
            heads = [struct.unpack_from("<QH", block, at) for at in range(0, first, 12)]
            ends = [*(at for _, at in heads[1:]), len(block)]
            for (number, at), end in zip(heads, ends, strict=True):
                yield block[at:end].split(b"\0")[0].decode("utf-8", "replace"), number

    def _content(self, inode: int) -> bytes:
        place = self._inodes + 32 * inode
        head = self._at(place, 64)
        layout, more, mode = struct.unpack_from("<HHH", head)
        (size,) = struct.unpack_from("<Q" if layout & 1 else "<I", head, 8)
        (block,) = struct.unpack_from("<I", head, 16)
        if mode >> 12 != 4 or size > MOST_FOLDER_BYTES:
            return b""
        whole = size
        tail = b""
        if layout >> 1 & 7 == INLINE:
            whole = size // self._block * self._block
            extended = 64 if layout & 1 else 32
            attributes = 12 + 4 * (more - 1) if more else 0
            tail = self._at(place + extended + attributes, size - whole)
        elif layout >> 1 & 7 != PLAIN:
            raise IndexError
        return self._at(block * self._block, whole) + tail

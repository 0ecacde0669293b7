"""Archives that Linux unpacks as its first file system (cpio, format `newc`).

Archives may follow one another in one file. Owners are root and dates are 0, so the
same files give the same bytes. The format is described in Linux, in
Documentation/driver-api/early-userspace/buffer-format.rst.
"""

import stat
from pathlib import Path
from typing import IO

MAGIC = b"070701"
TRAILER = "TRAILER!!!"
ALIGNED = 4
MOST_BYTES = 0xFFFFFFFF
PIECE_BYTES = 1 << 20


class Writer:
    """Writes one archive. `close` completes it.

    output : open for writing, at a place that is a multiple of 4 bytes
    """

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._number = 0
        self._names: set[str] = set()

    def folder(self, name: str, mode: int = 0o755) -> None:
        """An empty folder, and the folders above it that are not there yet."""
        self._parents(name)
        if name not in self._names:
            self._entry(name, stat.S_IFDIR | mode, 0)

    def device(self, name: str, major: int, minor: int) -> None:
        """A character device."""
        self._parents(name)
        self._entry(name, stat.S_IFCHR | 0o600, 0, (major, minor))

    def link(self, name: str, target: str) -> None:
        """A symbolic link."""
        self._parents(name)
        text = target.encode()
        self._entry(name, stat.S_IFLNK | 0o777, len(text))
        self._content(text)

    def text(self, name: str, content: str, mode: int = 0o644) -> None:
        """A file with this content."""
        self._parents(name)
        encoded = content.encode()
        self._entry(name, stat.S_IFREG | mode, len(encoded))
        self._content(encoded)

    def file(self, name: str, source: Path, mode: int = 0o644) -> None:
        """A file with the content of another file, read piece by piece."""
        self._parents(name)
        with source.open("rb") as content:
            size = source.stat().st_size
            self._entry(name, stat.S_IFREG | mode, size)
            left = size
            while left:
                piece = content.read(min(left, PIECE_BYTES))
                if not piece:
                    raise ValueError(f"{source}: shorter than it was")
                self._output.write(piece)
                left -= len(piece)
            self._pad(size)

    def tree(self, name: str, source: Path) -> None:
        """A folder with all files and folders below `source`, links left out."""
        self.folder(name)
        for path in sorted(source.rglob("*")):
            inside = f"{name}/{path.relative_to(source).as_posix()}"
            if path.is_symlink():
                continue
            if path.is_dir():
                self.folder(inside)
            elif path.is_file():
                mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
                self.file(inside, path, mode)

    def close(self) -> None:
        """End the archive. The output stays open."""
        self._entry(TRAILER, 0, 0)

    def _parents(self, name: str) -> None:
        parts = name.split("/")
        for count in range(1, len(parts)):
            above = "/".join(parts[:count])
            if above not in self._names:
                self._entry(above, stat.S_IFDIR | 0o755, 0)

    def _entry(
        self, name: str, mode: int, size: int, device: tuple[int, int] = (0, 0)
    ) -> None:
        """The head of an entry: its numbers in hexadecimal, and its name."""
        if name in self._names:
            raise ValueError(f"{name}: for the second time")
        if size > MOST_BYTES:
            raise ValueError(f"{name}: {size} bytes; the format has {MOST_BYTES}")
        self._names.add(name)
        self._number += 1
        number = 0 if name == TRAILER else self._number
        links = 2 if stat.S_ISDIR(mode) else 1
        encoded = name.encode() + b"\0"
        fields = (number, mode, 0, 0, links, 0, size, 0, 0, *device, len(encoded), 0)
        head = MAGIC + b"".join(b"%08X" % field for field in fields) + encoded
        self._output.write(head)
        self._pad(len(head))

    def _content(self, content: bytes) -> None:
        self._output.write(content)
        self._pad(len(content))

    def _pad(self, written: int) -> None:
        self._output.write(bytes(-written % ALIGNED))

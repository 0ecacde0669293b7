"""Read the files of a run that a machine sent through a serial line.

    mpbench-files 1
    NAME SIZE       and as many bytes, for each file
    end COUNT

The machine may be a stranger's, so each name, number and size is checked before a file
is written. kernel/guest/qemu-init.c is the writer.
"""

import os
import re
from pathlib import Path
from typing import IO

FIRST = b"mpbench-files 1\n"
HEAD = re.compile(rb"([A-Za-z0-9][A-Za-z0-9._+=@,-]{0,199}) (0|[1-9][0-9]{0,14})\n")
END = re.compile(rb"end (0|[1-9][0-9]{0,8})\n")
LONGEST_HEAD = 256
PIECE_BYTES = 1 << 20
CONSOLE = "console.log"
"""A file that the host writes itself; one of this name is left out."""


class StreamError(Exception):
    """A stream that no machine of mpbench's sends, or that was cut short."""


def receive(stream: IO[bytes], folder: Path, files: int, total_bytes: int) -> int:
    """Write the files of a stream into a folder. Returns how many there were.

    folder : is there, and has none of these files
    files, total_bytes : at most so many

    Raises StreamError, one line, for anything but a whole stream; files before the
    fault are there.
    """
    if stream.read(len(FIRST)) != FIRST:
        raise StreamError("it does not begin with files of a run")
    count = 0
    left_bytes = total_bytes
    seen: set[str] = set()
    while True:
        line = stream.readline(LONGEST_HEAD)
        if end := END.fullmatch(line):
            break
        name, size = _head(line)
        count += 1
        if count > files:
            raise StreamError(f"it has more than {files} files")
        if size > left_bytes:
            raise StreamError(f"its files have more than {total_bytes >> 20} MiB")
        if name in seen:
            raise StreamError(f"{name}: for the second time")
        seen.add(name)
        left_bytes -= size
        path = Path(os.devnull) if name == CONSOLE else folder / name
        with path.open("wb") as target:
            _copy(stream, target, size, name)
    if int(end[1]) != count:
        raise StreamError(f"it says {end[1].decode()} files, and has {count}")
    if stream.read(1):
        raise StreamError("it goes on after its end")
    return count


def _head(line: bytes) -> tuple[str, int]:
    found = HEAD.fullmatch(line)
    if found is None:
        if not line.endswith(b"\n"):
            raise StreamError("it ends before its last file")
        raise StreamError(f"{line[:60]!r} is no name and size of a file")
    return found[1].decode(), int(found[2])


def _copy(stream: IO[bytes], target: IO[bytes], size: int, name: str) -> None:
    while size:
        piece = stream.read(min(size, PIECE_BYTES))
        if not piece:
            raise StreamError(f"it ends within the file {name}")
        target.write(piece)
        size -= len(piece)

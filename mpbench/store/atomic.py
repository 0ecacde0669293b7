"""Writing files so that a reader, or a crash, finds the old or the new one, whole."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEMPORARY = ".new-"


def encode(value: Any) -> bytes:
    """JSON for people and machines: two spaces, a final newline.

    Raises ValueError for NaN and infinity, which are not JSON.
    """
    text = json.dumps(value, indent=2, allow_nan=False)
    return (text + "\n").encode()


def write_json(path: Path, value: Any) -> None:
    write_bytes(path, encode(value))


def write_bytes(path: Path, data: bytes) -> None:
    write_with(path, lambda temporary: _put(temporary, data))


def write_out(path: Path, data: bytes) -> None:
    """Write the file that the user of a command named.

    A device, a named pipe or a socket is no file to replace: the data go into it. So
    `--out /dev/null` leaves the device, and `--out /dev/stdout` prints.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:
            file.write(data)
        return
    write_bytes(path, data)


def put_json(path: Path, value: Any) -> None:
    """As `write_json`, but left to the system to flush: for a file that a power cut
    may take, as those of a run in flight, which are flushed together when it ends."""
    data = encode(value)
    write_with(path, lambda temporary: _put(temporary, data), flush=False)


def write_with(path: Path, write: Callable[[Path], object], flush: bool = True) -> None:
    """Let `write` make a file beside `path`, then put it in its place.

    flush : whether the file is on the disk when this returns

    The lock of the results folder ensures that there is one writer at a time. What
    stands under the temporary name is removed first, so that no link there is
    followed.
    """
    temporary = path.with_name(f"{TEMPORARY}{path.name}")
    temporary.unlink(missing_ok=True)
    try:
        write(temporary)
        if flush:
            _sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if flush:
        _sync(path.parent)


def sync_tree(root: Path) -> None:
    """Flush everything below `root` to the disk, files before their folders."""
    for folder, _, names in os.walk(root, topdown=False):
        for name in names:
            _sync(Path(folder, name))
        _sync(Path(folder))


def rename(source: Path, target: Path) -> None:
    """Move a folder within its parent, and flush that to the disk too."""
    source.rename(target)
    _sync(target.parent)


def _put(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _sync(path: Path) -> None:
    if path.is_symlink():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

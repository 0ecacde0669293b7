"""Reading files of published values, which may come from a stranger.

An experiment names such a file under `expect`, and results may come with both.
"""

import csv
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 1 << 20
"""Sixteen times the largest file of `results/published`."""


def text(path: Path) -> str:
    """The content of a file, in UTF-8.

    Raises ValueError, `file:line: what`, for a device, a pipe, or too large a file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"{path}:1: not a regular file")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"{path}:1: larger than {MOST_BYTES >> 20} MiB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}:1: is not UTF-8") from None


def columns(path: Path) -> tuple[str, ...]:
    """The names in the first line of a table. Raises ValueError as `text`."""
    return tuple(text(path).partition("\n")[0].strip().split(","))


def rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """`file:line` and the values of each row of a table, by its columns.

    Raises ValueError, `file:line: what`, if it is no table.
    """
    reader = csv.DictReader(io.StringIO(text(path), newline=""))
    try:
        for row in reader:
            yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num + 1}: {error}") from None

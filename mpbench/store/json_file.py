"""JSON files of a results folder, read as if a stranger had written them.

A results folder may come from anywhere. A link or a device in place of a file, an
endless file, nesting that overflows the stack, a key that is there twice, and numbers
that are none are all refused with a reason of one line.
"""

import json
import math
import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 16 << 20
"""Far above what a run writes; the plan of a campaign has a bound of its own."""

MOST_DIGITS = 100
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class DamagedError(ValueError):
    """A file is not what mpbench writes; the message is one line, without the path."""


def read_object(path: Path, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """The JSON object in the file `path`.

    Raises DamagedError if the file is missing or holds anything else.
    """
    return parse_object(read_bytes(path, most_bytes))


def read_bytes(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The content of a regular file of at most `most_bytes`; links are not followed.

    Raises DamagedError.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most_bytes:
            raise DamagedError(f"larger than {most_bytes >> 20} MiB")
        try:
            data = file.read(most_bytes + 1)
        except OSError as error:
            raise DamagedError(f"cannot be read: {error.strerror}") from error
    if len(data) > most_bytes:
        raise DamagedError(f"larger than {most_bytes >> 20} MiB")
    return data


def open_regular(path: Path) -> BinaryIO:
    """A regular file, opened for reading; links are not followed.

    Raises DamagedError.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise DamagedError(_unopened(path, error)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError("not a regular file")
    return os.fdopen(descriptor, "rb")


def parse_object(data: bytes) -> dict[str, Any]:
    """The JSON object in `data`; raises DamagedError if it holds anything else."""
    try:
        value = json.loads(
            data,
            object_pairs_hook=_without_duplicates,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=_no_number,
        )
        if _SURROGATE.search(data):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise DamagedError("nested too deeply") from error
    except UnicodeError as error:
        raise DamagedError("not text in UTF-8") from error
    except ValueError as error:
        raise DamagedError(" ".join(str(error).split())) from error
    if not isinstance(value, dict):
        raise DamagedError("not a JSON object")
    return value


def _unopened(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "missing"
    if path.is_symlink():
        return "a symbolic link"
    return f"cannot be read: {error.strerror}"


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DamagedError(f"key {twice[:40]!r} is there twice")
    return content


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise DamagedError(f"a number of more than {MOST_DIGITS} digits")
    return int(text)


def _decimal(text: str) -> float:
    if math.isfinite(value := float(text)):
        return value
    raise DamagedError(f"{text[:40]} is too large for a number")


def _no_number(word: str) -> Any:
    raise DamagedError(f"{word} is not a JSON number")

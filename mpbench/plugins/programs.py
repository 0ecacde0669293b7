"""Programs of users, which guests execute: `plugins: {programs: {NAME: FILE}}`.

A program is read and its head examined here, and never executed on this machine.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jobs.plugins import MOST_PROGRAMS, PROGRAM_NAME
from mpbench.errors import UserError
from mpbench.plugins import elf
from mpbench.spec import text_files
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import KEY, MOST_PROGRAM_BYTES, PROGRAMS
from mpbench.store import content

HOW = "expected {NAME: FILE}, such as {sender: build/sender}"


def described(given: object, place: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Name to SHA-256, size and needs of each program of a file.

    given : the value of `programs`
    place : where it stands, for messages
    folder : the folder that the names of files are relative to

    Each program is put into the cache. Raises UserError, one line.
    """
    at = f"{place}: {KEY}.{PROGRAMS}"
    if not isinstance(given, Mapping) or len(given) > MOST_PROGRAMS:
        raise UserError(f"{at}: {HOW}, up to {MOST_PROGRAMS} of them")
    return dict(_each(given, at, folder))


def _each(
    given: Mapping[Any, Any], at: str, folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, path in given.items():
        if not isinstance(name, str) or not PROGRAM_NAME.fullmatch(name):
            reason = "not the name of a program; up to 30 small letters, digits, '_'"
            raise UserError(f"{at}: '{shortened(name)}': {reason} and '-' work")
        if not isinstance(path, str) or not path:
            raise UserError(f"{at}.{name}: {HOW}")
        where = f"{at}.{name}: {shortened(path, 200)}"
        yield name, _program(text_files.placed(folder, path, where), where)


def _program(path: Path, at: str) -> dict[str, Any]:
    remedy = "strip it (`strip FILE`)"
    found = text_files.content_of(path, at, MOST_PROGRAM_BYTES, remedy)
    try:
        return elf.described(found, content.add)
    except ValueError as error:
        raise UserError(f"{at}: {error}") from None

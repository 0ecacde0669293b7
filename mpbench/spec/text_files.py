"""Texts and bytes of files that an experiment file names."""

import os
import stat
from pathlib import Path

from mpbench.errors import UserError

WITHOUT_OTHERS = "results hold what their experiment names, and no other file is read"
"""The reason why no file is opened that `experiment.yaml` of results names."""


def placed(folder: Path | None, name: str, at: str) -> Path:
    """The path of a file that an experiment file names.

    folder : what the name is relative to; None for an experiment of a results folder
    at : where the file is named, and the name, for messages

    Raises UserError for a link as `held` does, and for any file of a results folder.
    """
    if folder is None:
        raise UserError(f"{at}: {WITHOUT_OTHERS}")
    held(folder, name, folder / name, at)
    return folder / name


def held(folder: Path, name: str, path: Path, at: str) -> None:
    """Raises UserError for a link that leads out of the folder, unless the name does.

    name : what the experiment file says, `/x` and `../x` of files elsewhere
    path : one of the files that this name means

    A folder from a stranger can hold links to this user's files.
    """
    if name.startswith("/") or ".." in Path(name).parts:
        return
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # too long, or links in a circle
        reason = "no file can have this name; name another file"
        raise UserError(f"{at}: {reason}") from None
    if not inside:
        reason = "a link that leads out of the experiment's folder"
        raise UserError(f"{at}: {reason}; name the file that it leads to")


def read(path: Path, at: str, most_bytes: int, remedy: str) -> str:
    """The text of a regular file of bounded size.

    at : where the file is named, for messages
    most_bytes : whole KiB
    remedy : what the user can do about a file that is too large

    Raises UserError, one line, for a file that cannot be read or is no text.
    """
    content = content_of(path, at, most_bytes, remedy)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{at}: not text in UTF-8; name another file") from None
    if "\0" in text:
        raise UserError(f"{at}: a NUL stands in it; save it as text")
    return text


def content_of(path: Path, at: str, most_bytes: int, remedy: str) -> bytes:
    """The bytes of a regular file of bounded size; as `read`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        hint = "paths are relative to the file that names them"
        raise UserError(f"{at}: {reason}; {hint}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UserError(f"{at}: not a regular file; name another")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(f"{at}: {error.strerror}; name another file") from None
    finally:
        os.close(descriptor)
    if len(content) > most_bytes:
        shift, unit = (20, "MiB") if most_bytes >= 1 << 20 else (10, "KiB")
        raise UserError(f"{at}: larger than {most_bytes >> shift} {unit}; {remedy}")
    return content

"""Refusals of a disk (no space, no permission), told as a line for the user."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError

SPACE_NEEDED_BYTES = 4 * 2**20
"""With less space than this, what a run has written cannot be trusted."""

_FULL = {errno.ENOSPC: "no space left", errno.EDQUOT: "the disk quota is used up"}
_NOT_OURS = {
    errno.EACCES: "no permission to write",
    errno.EPERM: "no permission to write",
    errno.EROFS: "the file system is read-only",
}


class NoSpaceError(UserError):
    """The disk is full: nothing that can be written now can be trusted."""


@contextlib.contextmanager
def explained(root: Path) -> Iterator[None]:
    """Turn what the system says about writing below `root` into a UserError.

    Errors that have another cause pass through.
    """
    try:
        yield
    except OSError as error:
        told = explain(error, root)
        if told is None:
            raise
        raise told from error


def explain(error: OSError, root: Path) -> UserError | None:
    if error.errno in _FULL:
        return no_space(root, _FULL[error.errno])
    if error.errno in _NOT_OURS:
        return UserError(
            f"{error.filename or root}: {_NOT_OURS[error.errno]}; "
            "give a folder that you may write to with --out"
        )
    if error.errno in (errno.ENOENT, None) and not root.exists():  # None: of pandas
        return UserError(
            f"{root}: is gone: it was moved or removed while mpbench worked in it; "
            "put it back and give the same command again, or give another with --out"
        )
    if error.errno == errno.EISDIR:
        place = error.filename2 or error.filename or root
        return UserError(f"{place}: is a folder where a file belongs; remove it")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return UserError(
            f"{error.filename or root}: is a file, not a folder; "
            "give another folder with --out"
        )
    if error.errno == errno.EIO:
        return UserError(f"{error.filename or root}: the disk reports an error (EIO)")
    return None


def no_space(root: Path, what: str = "no space left") -> NoSpaceError:
    """The error for a full disk; it says whether bytes or inodes are used up."""
    again = "then give the same command again: finished runs are kept"
    if not root.exists():
        return NoSpaceError(f"{root}: {what}; free some, {again}")
    state = os.statvfs(root)
    free_mb = state.f_bavail * state.f_frsize / 1e6
    if state.f_files and not state.f_favail:
        return NoSpaceError(
            f"{root}: no inodes left, so no further file can be made "
            f"({free_mb:.1f} MB are free); remove files, {again}"
        )
    return NoSpaceError(f"{root}: {what} ({free_mb:.1f} MB free); free some, {again}")


def check_space(root: Path) -> None:
    """Raise NoSpaceError if the file system of `root` is all but full."""
    state = os.statvfs(root)
    enough = state.f_bavail * state.f_frsize >= SPACE_NEEDED_BYTES
    if not enough or (state.f_files and not state.f_favail):
        raise no_space(root)

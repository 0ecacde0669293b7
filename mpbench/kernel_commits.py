"""Commits that kernels of an experiment file name, read from their git repositories.

The commit's hash, the hash of its files and the version of Linux take the place of the
name when an experiment is read, so that its results need the repository no more. What
is in no commit becomes a patch.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from jobs import writing
from jobs.linux import MOST_PATCH_BYTES, Tree
from mpbench.errors import UserError, printable
from mpbench.kernel import commits, git, git_fetch
from mpbench.kernel.git import Repository
from mpbench.spec import kernels
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened

KEY = "kernels"
UNCOMMITTED = "uncommitted.patch"
SHOWN = 3
KERNEL: TypeAdapter[kernels.Kernel] = TypeAdapter(kernels.Kernel)


@dataclass(frozen=True)
class Locked:
    """A commit of a lock file. name : of the commit, as the file asked for it"""

    name: str | None
    tree: Tree


def in_place(
    document: Document,
    folder: Path,
    locked: Mapping[str, Locked],
    lock_name: str,
    again: bool = False,
) -> Document:
    """The document with the commit of every kernel that has `git`.

    folder : the folder that names of repositories are relative to
    locked : commits of the lock file, by label; lock_name : the name of that file
    again : whether a commit that is not as it was locked is taken

    Raises UserError, `file:line: what`, for a commit that is not there, and for a
    repository with changes that are in no commit.
    """
    labels = document.values.get(KEY)
    changed: dict[Any, Any] = {}
    for label, kernel in labels.items() if isinstance(labels, dict) else ():
        asked = _asked(kernel)
        if asked is None:
            continue
        reader = _Reader(document, label, asked, folder)
        known = None if again else locked.get(label)
        tree, patch = reader.read(known, lock_name)
        more: dict[str, Any] = {"tree": writing.plain(tree)}
        if patch is not None:
            listed = kernel.get("patches", ())
            more["patches"] = [patch, *listed]
        changed[label] = {**kernel, **more}
    if not changed:
        return document
    assert isinstance(labels, dict)
    values = {**document.values, KEY: {**labels, **changed}}
    return replace(document, values=values, rewritten=True)


def _asked(kernel: Any) -> kernels.Kernel | None:
    """A kernel whose repository is to be read; None for any other, and for a faulty
    one, which whoever validates the document tells."""
    if not isinstance(kernel, dict) or "git" not in kernel:
        return None
    try:
        found = KERNEL.validate_python(kernel)
    except ValidationError:
        return None
    wrong = found.linux or found.base or found.machine or found.release or found.tree
    other = "://" in (found.git or "") and not kernels.is_address(found.git or "")
    both = found.dirty and (
        found.commit is not None or kernels.is_address(found.git or "")
    )
    return None if wrong or other or both else found


class _PlacedError(UserError):
    """A fault whose message begins with `file:line`."""


class _Reader:
    """Reads the commit of one kernel, and tells faults with the line of the file."""

    def __init__(
        self, document: Document, label: str, kernel: kernels.Kernel, folder: Path
    ) -> None:
        assert kernel.git is not None
        self._document = document
        self._label = label
        self._kernel = kernel
        self._name = kernel.commit or "HEAD"
        self._address = kernel.git if kernels.is_address(kernel.git) else None
        self._path = Path()
        if self._address is None:
            with self._told("git"):
                self._path = _folder(folder, kernel.git)

    def read(
        self, known: Locked | None, lock: str
    ) -> tuple[Tree, dict[str, str] | None]:
        """The commit, and a patch with what is in no commit, if it is asked for."""
        if known is not None and known.name == self._kernel.commit:
            if self._address is not None or not self._path.is_dir():
                self._note(known.tree)
                return known.tree, None
        elif known is not None:
            had = f"'{shortened(known.name)}'" if known.name else "no commit"
            remedy = f"`mpbench kernel lock {self._document.name}` locks it"
            raise _PlacedError(f"{self._at('commit')}: {lock} has {had}; {remedy}")
        with self._told("git"), self._opened() as (repository, name):
            with self._told("commit"):
                commit = repository.commit(name)
                tree = repository.linux(commit)
            if known is not None and known.tree.commit != commit:
                remedy = f"`mpbench kernel lock {self._document.name}` takes it"
                raise _PlacedError(
                    f"{self._at('commit')}: '{self._name}' is {commit[:12]} now, and"
                    f" {lock} has {known.tree.commit[:12]}; {remedy}"
                )
            patch = self._difference(repository)
        self._note(tree)
        return tree, patch

    def _difference(self, repository: Repository) -> dict[str, str] | None:
        """Changes that are in no commit, as a patch; None where they do not count."""
        if self._kernel.commit is not None or self._address is not None:
            return None
        changed = repository.changed()
        if not changed:
            return None
        names = ", ".join(printable(name)[:100] for name in changed[:SHOWN])
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        if not self._kernel.dirty:
            raise UserError(
                f"{repository.shown} has changes that are in no commit ({names}{more});"
                " commit them, or write 'dirty: true' to use them or 'commit: HEAD' not"
                " to"
            )
        text = repository.difference()
        if "\nBinary files " in f"\n{text}":
            raise UserError(
                f"{repository.shown} has changes of files that are no text; commit them"
            )
        if len(text) > MOST_PATCH_BYTES:
            raise UserError(
                f"{repository.shown}: its changes have more than"
                f" {MOST_PATCH_BYTES >> 10} KiB; commit them"
            )
        return {"name": UNCOMMITTED, "text": text}

    def _note(self, tree: Tree) -> None:
        commits.note(tree, self._address or str(self._path.absolute()))

    @contextlib.contextmanager
    def _opened(self) -> Iterator[tuple[Repository, str]]:
        if self._address is None:
            with git.opened(self._path) as repository:
                yield repository, self._name
        else:
            with git_fetch.fetched(self._address, self._name) as found:
                yield found

    @contextlib.contextmanager
    def _told(self, key: str) -> Iterator[None]:
        """Put `file:line: key` before the message of a fault that has none yet."""
        try:
            yield
        except UserError as error:
            if isinstance(error, _PlacedError):
                raise
            raise _PlacedError(f"{self._at(key)}: {error}") from None

    def _at(self, key: str) -> str:
        place = (KEY, self._label, key)
        known = key if place in self._document.lines else "git"
        where = self._document.where((KEY, self._label, known))
        return f"{where}: {KEY}.{shortened(self._label)}.{known}"


def _folder(folder: Path, name: str) -> Path:
    """The folder of a repository, `~` being the user's."""
    if "\0" in name:
        raise UserError("no folder can have this name")
    try:
        return folder / Path(name).expanduser()
    except RuntimeError as error:
        raise UserError(f"{shortened(name)}: {error}") from None

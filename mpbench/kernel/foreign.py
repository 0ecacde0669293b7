"""The work tree of a commit of a git repository, which may be a stranger's.

make sees this tree alone (`confined`), and no file of it is a link into the cache. It
begins as a copy of a finished tree, of which only the files that differ are written, so
that make compiles what they change. A tree in which a stranger's make ran counts only
for commits of the same repository, and every copy is searched for links that lead out
of it before anything is written into it.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from mpbench.errors import UserError
from mpbench.kernel import cache, git, releases
from mpbench.kernel.recipe import SERIES, Recipe
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source
from mpbench.kernel.worktree import COMPLETE, read_state, write_layer

BLOCK = 1 << 20


class ForeignTree:
    """The work tree of a commit, to be used under the cache's lock.

    origin : the repository, in any words that are always the same
    """

    hostile = True

    def __init__(self, recipe: Recipe, source: Source, compiler: str, origin: str):
        self.folder = cache.root() / "work" / f"{recipe.name}-{source.identity[:8]}"
        self.tree = self.folder / "tree"
        self.objects = self.tree / "objects"
        self._recipe = recipe
        self._source = source
        self._state = self.folder / COMPLETE
        self._made_of = {
            "source": source.folder.name,
            "compiler": compiler,
            "recipe": recipe.digest,
            "origin": origin,
        }

    @property
    def complete(self) -> bool:
        """Whether its objects are those of this commit and recipe."""
        state = read_state(self._state)
        return all(state.get(name) == value for name, value in self._made_of.items())

    def prepare(self, shell: Shell) -> bool:
        """Make the tree, with mpbench's overlay and patches. Returns true if it has no
        objects yet."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        layer = write_layer(self._recipe, self._source, self.folder / "layer", shell)
        begin = self._begin()
        shell.run(["cp", "-a", str(begin or self._source.tree), str(self.tree)])
        git.require_plain(self.tree, self._source.origin)
        if begin is not None:
            _same(self._source.tree, self.tree, {*layer, self.objects.name})
        self.objects.mkdir(exist_ok=True)
        for name, path in layer.items():
            _put(path, self.tree / name)
        return begin is None

    def keep(self) -> None:
        """Note that the objects are complete, so that other commits begin with them."""
        series = self._source.version.partition("-")[0].rpartition(".")[0]
        self._state.write_text(json.dumps({**self._made_of, "series": series}))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def result(self, name: str) -> Path:
        """A file that make left. Raises UserError if it is no plain file."""
        return plain_result(self.objects, name)

    def _begin(self) -> Path | None:
        """The finished tree that is most like this one; None if there is none."""
        found: list[tuple[tuple[bool, bool, float], Path]] = []
        for path in self.folder.parent.glob(f"*/{COMPLETE}"):
            state = read_state(path)
            tree = path.parent / "tree"
            if state.get("compiler") != self._made_of["compiler"] or not tree.is_dir():
                continue
            origin = state.get("origin")
            if origin not in (None, self._made_of["origin"]):
                continue
            same = state.get("recipe") == self._recipe.digest
            if not same and (origin is not None or not self._is_own(state)):
                continue
            order = (same, origin is not None, path.stat().st_mtime)
            found.append((order, tree))
        return max(found)[1] if found else None

    def _is_own(self, state: dict[str, Any]) -> bool:
        """Whether a tree is of mpbench's own series, as this commit is."""
        series = self._recipe.own.series
        wanted = series == SERIES or (series is not None and releases.is_newer(series))
        return wanted and str(state.get("source", "")).startswith(f"{SERIES}.")


def plain_result(objects: Path, name: str) -> Path:
    """A file that a stranger's make left. Raises UserError if it is no plain file."""
    path = objects / name
    if not is_plain(path):
        raise UserError(f"the patched Linux leaves no plain file {name}")
    return path


def is_plain(path: Path) -> bool:
    """Whether a path is that of a file, without a link on the way."""
    return path.resolve() == path.absolute() and path.is_file()


def _same(source: Path, tree: Path, but: set[str]) -> None:
    """Make a tree what a source is. A file that is the same keeps its time.

    but : names that are left alone
    """
    wanted = {name for name in _listed(source) if name not in but}
    for name in set(_listed(tree)) - wanted:
        if name not in but and name.split("/")[0] not in but:
            (tree / name).unlink()
    for name in sorted(wanted):
        here, there = source / name, tree / name
        if here.is_symlink():
            link = here.readlink()
            if not there.is_symlink() or there.readlink() != link:
                _clear(there, tree)
                there.symlink_to(link)
        elif there.is_symlink() or not there.is_file() or not _equal(here, there):
            _clear(there, tree)
            shutil.copyfile(here, there)
            shutil.copymode(here, there)


def _listed(top: Path) -> list[str]:
    """All files and links below a folder, without following links."""
    found = []
    for where, folders, names in os.walk(top):
        base = os.path.relpath(where, top)
        links = [name for name in folders if Path(where, name).is_symlink()]
        if base == "." and "objects" in folders:
            folders.remove("objects")
        for name in (*names, *links):
            found.append(name if base == "." else f"{base}/{name}")
    return found


def _clear(path: Path, top: Path) -> None:
    """Remove what has the name of a new file, and make the folders above it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    for parent in reversed(path.relative_to(top).parents):
        folder = top / parent
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        folder.mkdir(exist_ok=True)


def _equal(one: Path, other: Path) -> bool:
    a, b = one.lstat(), other.lstat()
    if a.st_size != b.st_size or (a.st_mode ^ b.st_mode) & 0o111:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(BLOCK):
            if block != second.read(BLOCK):
                return False
    return True


def _put(source: Path, target: Path) -> None:
    """Write a file's content to the target, unless the target has it already."""
    if target.is_file() and not target.is_symlink() and _equal(source, target):
        return
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)

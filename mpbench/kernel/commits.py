"""Source trees of commits of git repositories, and where these repositories are.

A job names a commit by its hash and not its repository, which lies elsewhere on another
machine. So the cache notes where a commit was seen, and MPBENCH_GIT names further
repositories, separated by blanks.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.linux import Tree
from mpbench.errors import UserError
from mpbench.kernel import cache, releases, unpack
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.released import DESCRIPTION, FOLDER, replace_part
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

if TYPE_CHECKING:
    from mpbench.kernel.git import Repository

VARIABLE = "MPBENCH_GIT"
KEPT = 4
"""Unpacked commits that stay in the cache, each of 350 MB."""
PREFIX = "commit-"
LONGEST_BYTES = 1 << 12


@dataclass(frozen=True)
class Committed(Source):
    """A tree of a commit, in a folder of its own in the cache."""

    @property
    def folder(self) -> Path:
        name = f"{PREFIX}{self.identity[:16]}-{self.rules}"
        return cache.root() / FOLDER / name


def taken(tree: Tree) -> tuple[str, ...]:
    """The parts that come from mpbench's own Linux, as for a release of that series.

    Raises UserError for an older series that has no port.
    """
    if tree.series == SERIES or releases.is_newer(tree.series):
        return ()
    return releases.port(tree.series).taken


def identity(tree: Tree, donor: str) -> str:
    """The hash that enters the key of a kernel: two commits with the same files have
    one.

    donor : the identity of mpbench's own Linux
    """
    parts = taken(tree)
    text = "\n".join(["git", tree.tree, *([donor, *parts] if parts else ())])
    return hashlib.sha256(text.encode()).hexdigest()


def note(tree: Tree, place: str) -> None:
    """Note where a commit was seen: the path of a repository, or its address."""
    folder = _notes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / tree.commit
        part = folder / f".{tree.commit}.{os.getpid()}"
        part.write_text(place)
        part.replace(file)
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; set XDG_CACHE_HOME") from error


def origin(tree: Tree) -> str:
    """The repository in which a commit was last seen; empty if none is known."""
    try:
        with (_notes() / tree.commit).open("rb") as file:
            return file.read(LONGEST_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return ""


@contextlib.contextmanager
def repository_of(tree: Tree) -> Iterator["Repository"]:
    """A repository that has the commit.

    Raises UserError, one line, if none is known.
    """
    from mpbench.kernel import git, git_fetch  # only where a commit is looked for

    asked = []
    for place in (origin(tree), *os.environ.get(VARIABLE, "").split()):
        if not place:
            continue
        asked.append(place)
        try:
            with contextlib.ExitStack() as stack:
                if git.ADDRESS.fullmatch(place):
                    found, _ = stack.enter_context(
                        git_fetch.fetched(place, tree.commit)
                    )
                else:
                    found = stack.enter_context(git.opened(Path(place)))
                if found.has(tree.commit):
                    kept = stack.pop_all()
                    break
        except UserError:
            continue
    else:
        there = f"; it is not in {', '.join(asked)}" if asked else ""
        raise UserError(
            f"commit {tree.commit[:12]} of Linux {tree.version} is not on this machine"
            f"{there}; name a repository that has it in {VARIABLE}"
        )
    with kept:
        yield found


def obtain(tree: Tree, donor: Source, shell: Shell, progress: Progress) -> Committed:
    """The tree, from the cache or unpacked now. The caller holds the cache's lock.

    Raises UserError, one line, for a commit that no known repository has.
    """
    source = Committed(
        tree.version,
        f"commit {tree.commit}",
        identity(tree, donor.identity),
        True,
    )
    if (source.folder / DESCRIPTION).is_file():
        os.utime(source.folder)
        return source
    home = cache.root() / FOLDER
    home.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=cache.NEW, dir=home) as scratch,
        repository_of(tree) as repository,
    ):
        new = Path(scratch) / "new"
        new.mkdir(mode=0o755)
        with progress.step("unpack", f"commit {tree.commit[:12]}"):
            _require_same(repository, tree)
            repository.write(tree.commit, shell, new / "tree", unpack.excludes("linux"))
        for name in taken(tree):
            replace_part(donor.tree / name, new / "tree" / name, shell)
        (new / DESCRIPTION).write_text(json.dumps(asdict(source), indent=2) + "\n")
        shutil.rmtree(source.folder, ignore_errors=True)
        new.replace(source.folder)
    _forget_old(home, source.folder)
    return source


def _require_same(repository: "Repository", tree: Tree) -> None:
    found = repository.linux(tree.commit)
    if found != tree:
        raise UserError(
            f"commit {tree.commit[:12]} of {repository.shown} is Linux {found.version}"
            f" with the tree {found.tree[:12]}, and not Linux {tree.version} with"
            f" {tree.tree[:12]}"
        )


def _forget_old(home: Path, present: Path) -> None:
    """Keep the trees of the last few commits."""
    trees = [path for path in home.glob(f"{PREFIX}*") if path != present]
    dated = sorted(trees, key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in dated[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _notes() -> Path:
    from mpbench.kernel import git_fetch

    return cache.root() / git_fetch.FOLDER / "places"

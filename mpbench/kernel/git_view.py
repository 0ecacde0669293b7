"""The view through which git sees a repository: a folder of ours.

It has copies of the repository's references and index, a configuration of ours, and no
objects: git reads them where they are.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError

MIB = 1 << 20
MOST_REFERENCES = 20_000
MOST_REFERENCE_BYTES = 64 * MIB
MOST_ALTERNATES = 5
CONFIG = """\
[core]
    repositoryformatversion = 0
    bare = {bare}
    checkStat = minimal
    trustctime = false
    hooksPath = /dev/null
    fsmonitor = false
    untrackedCache = false
    symlinks = true
    attributesFile = /dev/null
    excludesFile = /dev/null
    packedGitWindowSize = 256m
    packedGitLimit = 1g
[gc]
    auto = 0
[submodule]
    recurse = false
[diff]
    ignoreSubmodules = all
[fetch]
    recurseSubmodules = false
    fsckObjects = true
[protocol]
    allow = never
"""
ATTRIBUTES = "* -export-ignore -export-subst -filter -ident -text -eol !diff\n"


@dataclass(frozen=True)
class Place:
    """The folders of a repository.

    own : with HEAD and the index; another one than `common` in a further work tree
    common : with references and objects
    work : with the files that a commit is made of; None for a bare repository
    """

    own: Path
    common: Path
    work: Path | None


def write(view: Path, place: Place, shown: str) -> None:
    """Write the view of a repository into a new folder.

    Raises UserError, one line, for a repository beyond the bounds, and for none.
    """
    for name in ("objects", "refs", "info"):
        (view / name).mkdir(parents=True)
    bare = "true" if place.work is None else "false"
    (view / "config").write_text(CONFIG.format(bare=bare))
    (view / "info/attributes").write_text(ATTRIBUTES)
    left = MOST_REFERENCE_BYTES
    left -= _copy(place.own / "HEAD", view / "HEAD", left)
    left -= _copy(place.common / "packed-refs", view / "packed-refs", left)
    left -= _copy(place.common / "shallow", view / "shallow", left)
    for index in ("index", *_names(place.own, "sharedindex.*")):
        left -= _copy(place.own / index, view / index, left)
    refs = place.common / "refs"
    number = 0
    for folder, _, names in os.walk(refs):
        for name in names:
            number += 1
            if number > MOST_REFERENCES:
                raise UserError(
                    f"{shown}: more than {MOST_REFERENCES} files in"
                    " refs; `git pack-refs --all` puts them into one"
                )
            source = Path(folder, name)
            target = view / "refs" / source.relative_to(refs)
            target.parent.mkdir(parents=True, exist_ok=True)
            left -= _copy(source, target, left)
    if not (view / "HEAD").exists():
        raise UserError(f"{shown}: no git repository")


def folders(path: Path, shown: str) -> Place:
    """The folders of the repository at a path."""
    if not path.is_dir():
        raise UserError(f"{shown}: no such folder")
    path = path.resolve()
    inner = path / ".git"
    if inner.is_dir():
        own, work = inner, path
    elif inner.is_file():
        words = _line(inner)
        if not words.startswith("gitdir: "):
            raise UserError(f"{shown}/.git: names no folder of git")
        own, work = (path / words.removeprefix("gitdir: ")).resolve(), path
    else:
        own, work = path, None
    shared = own / "commondir"
    common = (own / _line(shared)).resolve() if shared.is_file() else own
    if not (own / "HEAD").is_file() or not (common / "objects").is_dir():
        raise UserError(f"{shown}: no git repository")
    if ":" in str(common) or "\n" in str(common) or '"' in str(common):
        raise UserError(
            f"{shown}: git takes no objects of a folder with ':' in its name"
        )
    return Place(own, common, work)


def _line(file: Path) -> str:
    try:
        with file.open("rb") as handle:
            text = handle.read(4096).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    return text.strip()


def objects(place: Place) -> list[Path]:
    """Folders with the objects of a repository, and of those that it borrows from."""
    own = place.common / "objects"
    found: list[Path] = []
    waiting = [own]
    while waiting and len(found) < MOST_ALTERNATES:
        borrower = waiting.pop()
        for line in _line(borrower / "info/alternates").splitlines():
            path = (borrower / line).resolve()
            if path.is_dir() and path not in found and ":" not in str(path):
                found.append(path)
                waiting.append(path)
    return [own, *found[:MOST_ALTERNATES]]


def _names(folder: Path, pattern: str) -> list[str]:
    return [path.name for path in list(folder.glob(pattern))[:5]]


def _copy(source: Path, target: Path, most: int) -> int:
    """Copy a plain file of at most `most` bytes; returns its size, 0 for none."""
    if source.is_symlink() or not source.is_file():
        return 0
    about = source.stat()
    size = about.st_size
    if size > most:
        raise UserError(f"{source}: more than {MOST_REFERENCE_BYTES >> 20} MiB")
    with source.open("rb") as handle:
        content = handle.read(size)
    target.write_bytes(content)
    # By the index's time, git knows which files may have changed after it was written.
    os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
    return size

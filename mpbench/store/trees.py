"""Folders that a guest, a worker or a stranger filled, with folders in any depth.

Functions of Python that walk through folders call themselves once per level, so they
end with RecursionError below about a thousand.
"""

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

MOST_DEPTH = 8
"""Levels of folders below a run's; mpbench makes one. Eight names of the greatest
length are a path that the kernel takes."""
BELOW_RESULTS = MOST_DEPTH + 2
"""Levels of folders below a results folder, which has runs two levels down."""
_ATTEMPTS = 5
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def below(root: Path, levels: int = MOST_DEPTH) -> Iterator[tuple[Path, bool]]:
    """Everything below a folder, and whether it is a folder that was entered.

    No link is followed, and no folder entered that stands deeper than `levels`.
    """
    folders = [(root, 0)]
    while folders:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError:
            continue
        for entry in entries:
            enters = depth < levels and entry.is_dir(follow_symlinks=False)
            if enters:
                folders.append((Path(entry.path), depth + 1))
            yield Path(entry.path), enters


def remove_tree(root: Path) -> None:
    """Remove a folder, though a dying process may still add to it.

    A link or a file is removed itself; what a link leads to stays.
    """
    if root.is_symlink() or not root.is_dir():
        root.unlink(missing_ok=True)
        return
    for _ in range(_ATTEMPTS):
        if not root.exists():
            return
        try:
            shutil.rmtree(root, ignore_errors=True)
        except RecursionError:
            _flatten(root)
    if root.exists():
        _flatten(root)
        shutil.rmtree(root)


def _flatten(root: Path) -> None:
    """Move folders that stand deep below `root` up into it, until none does.

    Each is reached by descriptors from `root` on, so that no link leads elsewhere.
    """
    unused = (name for n in count() if not (root / (name := f"deep-{n}")).exists())
    top = os.open(root, _FOLDER)
    try:
        left = [entry.name for entry in os.scandir(top) if _is_folder(entry)]
        while left:
            left += _lifted(top, left.pop(), top, unused, 1)
    finally:
        os.close(top)


def _lifted(
    above: int, name: str, top: int, unused: Iterator[str], depth: int
) -> list[str]:
    """Move what stands deep below the folder `name` in `above`; its names in `top`."""
    folder = os.open(name, _FOLDER, dir_fd=above)
    moved = []
    try:
        for inner in [entry.name for entry in os.scandir(folder) if _is_folder(entry)]:
            if depth < MOST_DEPTH:
                moved += _lifted(folder, inner, top, unused, depth + 1)
                continue
            moved.append(next(unused))
            os.rename(inner, moved[-1], src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    return moved


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)

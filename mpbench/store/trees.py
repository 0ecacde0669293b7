"""Removal of folders that a dying process may still write to."""

import shutil
from pathlib import Path

_ATTEMPTS = 5


def remove_tree(root: Path) -> None:
    """Remove a folder, though a dying process may still add to it.

    A link or a file is removed itself; what a link leads to stays.
    """
    if root.is_symlink() or root.is_file():
        root.unlink(missing_ok=True)
        return
    for _ in range(_ATTEMPTS):
        if not root.exists():
            return
        shutil.rmtree(root, ignore_errors=True)
    if root.exists():
        shutil.rmtree(root)

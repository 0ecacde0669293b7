"""Folders in any depth, as a guest, a worker or a stranger can leave them."""

import os
from pathlib import Path

import pytest

from mpbench.store import manifest, trees
from tests.calls import Command
from tests.hostile import folders

DEEP = 1500
"""Folders in each other, more than Python's functions enter."""


def deepen(folder: Path, name: str = "a", levels: int = DEEP) -> None:
    """Make folders in each other; with a long name, deeper than any path leads."""
    folder.mkdir(exist_ok=True)
    above = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=above)
        inner = os.open(name, os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = inner
    os.symlink("/", "link", dir_fd=above)
    os.close(above)


@pytest.mark.parametrize("name", ["a", "n" * 200])
def test_deep_folders_are_removed(tmp_path: Path, name: str) -> None:
    root, beside = tmp_path / "root", tmp_path / "beside"
    deepen(root, name)
    beside.mkdir()
    (beside / "kept").touch()
    (root / "link").symlink_to(beside)
    trees.remove_tree(root)
    assert not root.exists()
    assert (beside / "kept").exists()


def test_folders_that_are_too_deep_are_strange(tmp_path: Path) -> None:
    root = tmp_path / "root"
    deepen(root)
    (root / "file").touch()
    found = manifest.strange(root)
    trees.remove_tree(root)  # pytest, which removes old folders, cannot
    assert [path.relative_to(root).as_posix() for path in found] == ["/".join("a" * 9)]


def test_folders_of_the_most_levels_are_entered(tmp_path: Path) -> None:
    deepen(tmp_path, levels=8)
    found = manifest.strange(tmp_path)
    assert [path.name for path in found] == ["link"]


@pytest.mark.slow
def test_commands_tell_of_deep_folders(tmp_path: Path, command: Command) -> None:
    out = folders.make(command, tmp_path)
    deepen(folders.first_run(out).artefacts)
    for words in (("verify", "--stored"), ("analyse",)):
        done = command(*words, out)
        assert done.status in (0, 1, 2)
        assert "Traceback" not in done.err + done.out
    assert "is not a regular file" in command("verify", "--stored", out).out
    trees.remove_tree(out)
    assert not out.exists()

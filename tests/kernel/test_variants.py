"""Work trees of variants in the cache: which ones stay."""

import os
from pathlib import Path

import pytest

from mpbench.kernel import cache, variants
from mpbench.kernel.shell import CommandFailed
from mpbench.kernel.worktree import COMPLETE


def tree(name: str, used: int, complete: bool = True) -> Path:
    """A work tree that was used so many seconds after the epoch."""
    folder = cache.root() / "work" / f"guest-{name}"
    folder.mkdir(parents=True)
    if complete:
        (folder / COMPLETE).write_text("{}")
    os.utime(folder, (used, used))
    return folder


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def left() -> set[str]:
    return {path.name.removeprefix("guest-") for path in cache.root().glob("work/*")}


def test_trees_that_were_given_up_drive_no_other_out() -> None:
    """An option that Linux does not take over leaves a tree without objects, and a
    release costs minutes to build again."""
    release = tree("release", 1)
    for number in range(2, 7):
        tree(f"refused-{number}", number, complete=False)
    variants._forget_old_trees(tree("present", 10, complete=False))
    assert left() == {"release", "present"}
    assert (release / COMPLETE).exists()


def test_the_trees_that_were_used_last_stay() -> None:
    for number in range(1, 5):
        tree(str(number), number)
    variants._forget_old_trees(cache.root() / "work/guest-1")
    variants._forget_old_trees(tree("new", 5))
    assert left() == {"1", "3", "4", "new"}


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (
            [
                "  CC  net/mptcp/pm.o",
                "../net/mptcp/pm.c:7:9: error: no such \x1b[1m",
                "../net/mptcp/pm.c:8:1: error: another",
                "make: *** Error 1",
            ],
            "net/mptcp/pm.c:7:9: error: no such ?[1m; ",
        ),
        (["make: *** Error 1"], ""),
        (["x error: " + "y" * 1000], "x error: " + "y" * 291 + "; "),
        ([], ""),
    ],
)
def test_the_first_error_of_a_compiler(output: list[str], words: str) -> None:
    failed = CommandFailed("make linux", 2, Path("log"), [], output)
    assert variants._first_error(failed) == words

"""The work tree of a commit: a copy of a finished one, in which little changes."""

import os
from pathlib import Path

import pytest

from jobs.linux import Linux, Tree
from mpbench.errors import UserError
from mpbench.kernel import recipe
from mpbench.kernel.commits import Committed
from mpbench.kernel.foreign import ForeignTree
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source
from mpbench.kernel.worktree import Worktree

from .conftest import MAKEFILE, Lab

LONG_AGO = (1_000_000, 1_000_000)


class Commits:
    """Sources of commits, and the trees that they become."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.shell = Shell(lab.folder / "log")
        own = Linux(
            lab=False, tree=Tree(commit="a" * 40, tree="b" * 40, version="7.3.9")
        )
        self.recipe = recipe.variant(own)

    def source(self, digit: str, **files: str) -> Committed:
        made = Committed("7.3.9", f"commit {digit}", digit * 64, True)
        self._write(made.tree / "Makefile", MAKEFILE)
        for name, text in {"lib__one": "one\n", **files}.items():
            self._write(made.tree / f"{name.replace('__', '/')}.c", text)
        return made

    def tree(self, source: Committed, origin: str = "here") -> ForeignTree:
        return ForeignTree(self.recipe, source, "gcc", origin)

    def finished(self, source: Committed, origin: str = "here") -> ForeignTree:
        made = self.tree(source, origin)
        made.prepare(self.shell)
        self._write(made.objects / "one.o", source.identity)
        for path in made.tree.rglob("*"):
            os.utime(path, LONG_AGO, follow_symlinks=False)
        made.keep()
        return made

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def commits(lab: Lab) -> Commits:
    return Commits(lab)


def old(path: Path) -> bool:
    return path.stat().st_mtime == LONG_AGO[1]


def test_a_first_tree_has_patches_and_no_objects(commits: Commits) -> None:
    made = commits.tree(commits.source("1"))
    assert made.prepare(commits.shell)
    assert (made.tree / "lib/one.c").read_text() == "two\n"
    assert not (made.tree / "net/ours.c").exists()
    assert not made.complete


def test_only_what_differs_is_written(commits: Commits) -> None:
    first = commits.finished(commits.source("1", net__a="a\n", net__b="b\n"))
    assert first.complete
    (first.tree / "net/left.c").write_text("of make\n")
    second = commits.tree(commits.source("2", net__a="changed\n", net__c="c\n"))
    assert not second.prepare(commits.shell)
    assert (second.objects / "one.o").read_text() == "1" * 64
    assert old(second.objects / "one.o") and old(second.tree / "lib/one.c")
    assert old(second.tree / "Makefile")
    assert (second.tree / "net/a.c").read_text() == "changed\n"
    assert not old(second.tree / "net/a.c")
    names = {path.name for path in (second.tree / "net").iterdir()}
    assert names == {"a.c", "c.c"}
    assert (first.tree / "net/a.c").read_text() == "a\n"


def test_a_file_in_the_place_of_a_folder_and_the_other_way(commits: Commits) -> None:
    commits.finished(commits.source("1", net__a="a\n", net__x__y="y\n"))
    other = commits.source("2", net__a__z="z\n")
    (other.tree / "net/x").write_text("file\n")
    (other.tree / "net/link").symlink_to("x")
    second = commits.tree(other)
    second.prepare(commits.shell)
    assert (second.tree / "net/a/z.c").read_text() == "z\n"
    assert (second.tree / "net/x").read_text() == "file\n"
    assert (second.tree / "net/link").readlink() == Path("x")


def test_no_file_is_a_link_into_the_cache(commits: Commits) -> None:
    source = commits.source("1", net__a="a\n")
    made = commits.tree(source)
    made.prepare(commits.shell)
    for path in made.tree.rglob("*"):
        assert path.is_dir() or path.stat().st_nlink == 1, path


def test_a_strangers_objects_stay_with_his_repository(commits: Commits) -> None:
    commits.finished(commits.source("1", net__a="a\n"), "there")
    second = commits.tree(commits.source("2"), "here")
    assert second.prepare(commits.shell)
    plain = Worktree(commits.recipe, commits.source("3"), "gcc")
    assert plain.prepare(commits.shell, anew=False)


def test_a_plain_tree_is_a_beginning_too(commits: Commits) -> None:
    source = Source("7.3.9", "Debian", "3" * 64, True)
    source.folder.mkdir(parents=True)
    commits.source("3").tree.rename(source.tree)
    plain = Worktree(recipe.read("guest"), source, "gcc")
    plain.prepare(commits.shell, anew=False)
    (plain.objects / "one.o").write_text("plain")
    plain.keep()
    made = commits.tree(commits.source("2"))
    assert not made.prepare(commits.shell)
    assert (made.objects / "one.o").read_text() == "plain"
    assert not (made.tree / "net/ours.c").exists()  # of the overlay


@pytest.mark.parametrize("name", ["net", "objects/initramfs", "lib/one.c"])
def test_links_that_a_strangers_make_left(
    commits: Commits, tmp_path: Path, name: str
) -> None:
    """The next copy would otherwise be written through them."""
    first = commits.finished(commits.source("1", net__a="a\n"))
    outside = tmp_path / "outside"
    outside.mkdir()
    path = first.tree / name
    if path.is_dir():
        path.rename(first.tree / "away")
    path.unlink(missing_ok=True)
    path.symlink_to(outside)
    second = commits.tree(commits.source("2", net__a="changed\n"))
    with pytest.raises(
        UserError, match=rf"{name} is a link that leads out of the tree"
    ):
        second.prepare(commits.shell)
    assert not list(outside.iterdir())


@pytest.mark.parametrize("kind", ["fifo", "link"])
def test_a_result_that_is_no_plain_file(commits: Commits, kind: str) -> None:
    made = commits.finished(commits.source("1"))
    if kind == "fifo":
        os.mkfifo(made.objects / "linux")
    else:
        (made.objects / "linux").symlink_to("/bin/true")
    with pytest.raises(UserError, match="no plain file linux"):
        made.result("linux")

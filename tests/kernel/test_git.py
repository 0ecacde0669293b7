"""Commits of git repositories, which may be a stranger's."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.linux import Tree
from mpbench.errors import UserError
from mpbench.kernel import commits, git, git_fetch, unpack
from mpbench.kernel.barriers import Bounds
from mpbench.kernel.git import Repository
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

from .small_linux import SmallLinux, small_linux

pytestmark = pytest.mark.slow


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallLinux:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MPBENCH_GIT", raising=False)
    return small_linux(tmp_path / "linux")


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    made = Shell(tmp_path / "log")
    yield made
    made.close()


def head(linux: SmallLinux) -> Tree:
    with git.opened(linux.folder) as repository:
        return repository.linux(repository.commit("HEAD"))


def write(linux: SmallLinux, shell: Shell, target: Path, name: str = "HEAD") -> None:
    with git.opened(linux.folder) as repository:
        commit = repository.commit(name)
        repository.write(commit, shell, target, unpack.excludes("linux"))


@pytest.mark.parametrize("name", ["HEAD", "main", "v7.3.9", "{}", "{:.9}", "main~0"])
def test_names_of_a_commit(linux: SmallLinux, name: str) -> None:
    wanted = linux.git("rev-parse", "HEAD")
    with git.opened(linux.folder) as repository:
        found = repository.commit(name.format(wanted))
        about = repository.linux(found)
    assert found == wanted
    assert about == Tree(
        commit=wanted, tree=linux.git("rev-parse", "HEAD^{tree}"), version="7.3.9"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("v9", r"no commit 'v9' in \S+/linux; a branch, a tag or a hash works"),
        ("f" * 40, r"no commit 'f+' in \S+"),
        ("-x", "'-x' is no name of a commit"),
        ("a..b", "no name of a commit"),
        ("--upload-pack=x", "no name of a commit"),
        ("main:Makefile", "no name of a commit"),
    ],
)
def test_no_commit(linux: SmallLinux, name: str, words: str) -> None:
    with git.opened(linux.folder) as repository, pytest.raises(UserError, match=words):
        repository.commit(name)


@pytest.mark.parametrize(
    ("extra", "version"),
    [("-rc2", "7.4.0-rc2"), ("", "7.4.0"), ("-mptcp; rm", "7.4.0")],
)
def test_the_version_is_that_of_the_makefile(
    linux: SmallLinux, extra: str, version: str
) -> None:
    text = f"VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = {extra}\n"
    linux.write("Makefile", text)
    linux.commit("next")
    assert head(linux).version == version


@pytest.mark.parametrize("makefile", ["all:\n", "VERSION = x\nPATCHLEVEL = 1\n", None])
def test_what_is_not_linux(linux: SmallLinux, makefile: str | None) -> None:
    if makefile is None:
        (linux.folder / "Makefile").unlink()
    else:
        linux.write("Makefile", makefile)
    linux.commit("other")
    with pytest.raises(UserError, match=r"commit \w{12} of .*(Makefile)"):
        head(linux)


def test_files_of_a_commit_without_those_that_no_kernel_needs(
    linux: SmallLinux, shell: Shell, tmp_path: Path
) -> None:
    linux.commit("two", net__mptcp__pm="two\n")
    target = tmp_path / "tree"
    write(linux, shell, target, "v7.3.9")
    files = {str(p.relative_to(target)) for p in target.rglob("*") if p.is_file()}
    assert files == {"Makefile", "net/mptcp/pm.c", "drivers/gpu/Kconfig"}
    assert (target / "net/mptcp/pm.c").read_text() == "one\n"


def test_a_bare_repository_and_a_further_work_tree(linux: SmallLinux) -> None:
    bare, more = linux.folder.parent / "bare", linux.folder.parent / "more"
    linux.git("clone", "-q", "--bare", "--shared", str(linux.folder), str(bare))
    linux.git("worktree", "add", "-q", "--detach", str(more), "v7.3.9")
    wanted = linux.git("rev-parse", "HEAD")
    linux.git("pack-refs", "--all")
    for place in (bare, more):
        with git.opened(place) as repository:
            assert repository.commit("v7.3.9") == wanted
            assert repository.changed() == ()
    (more / "net/mptcp/pm.c").write_text("changed\n")
    with git.opened(more) as repository:
        assert repository.changed() == ("net/mptcp/pm.c",)


@pytest.mark.parametrize("kind", ["missing", "empty", "file", "link to nothing"])
def test_what_is_no_repository(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("x")
    elif kind != "missing":
        place.mkdir()
    if kind == "link to nothing":
        (place / ".git").write_text("gitdir: /nowhere\n")
    words = r"no such folder|no git repository"
    with pytest.raises(UserError, match=words), git.opened(place):
        pass


def test_changes_that_are_in_no_commit(linux: SmallLinux) -> None:
    linux.write("net/mptcp/pm.c", "two\n")
    linux.write("net/mptcp/new.c", "git does not know it\n")
    linux.write("net/mptcp/added.c", "added\n")
    linux.git("add", "net/mptcp/added.c")
    with git.opened(linux.folder) as repository:
        assert repository.changed() == ("net/mptcp/added.c", "net/mptcp/pm.c")
        text = repository.difference()
    assert "-one\n+two\n" in text
    assert "+++ b/net/mptcp/added.c" in text
    assert "new.c" not in text


def test_a_tree_that_was_only_touched_has_no_changes(linux: SmallLinux) -> None:
    os.utime(linux.folder / "Makefile", (1, 1))
    with git.opened(linux.folder) as repository:
        assert repository.changed() == ()


def test_nothing_of_a_strangers_repository_is_executed(
    linux: SmallLinux, shell: Shell, tmp_path: Path
) -> None:
    """Every setting and hook of git that names a program names one that leaves a
    file."""
    mark = tmp_path / "executed"
    evil = linux.folder / ".git/evil"
    evil.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    evil.chmod(0o755)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(evil, linux.folder / ".git/hooks" / name)
    linux.write(".gitattributes", "*.c filter=evil diff=evil merge=evil export-subst\n")
    linux.commit("attributes", net__mptcp__pm="$Format:%H$\n")
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
        *("diff.evil.textconv", "diff.evil.command", "uploadpack.packObjectsHook"),
        *("core.alternateRefsCommand", "tar.tar.command", "alias.archive"),
        *("gpg.program", "log.showSignature", "core.editor", "credential.helper"),
    ):
        linux.git("config", key, str(evil))
    linux.git("config", "core.hooksPath", str(linux.folder / ".git/hooks"))
    (linux.folder / "net/mptcp/pm.c").write_text("changed\n")
    linux.git("status")
    assert mark.exists()  # a plain git does execute it
    mark.unlink()
    with git.opened(linux.folder) as repository:
        commit = repository.commit("HEAD")
        assert repository.changed() == ("net/mptcp/pm.c",)
        assert "+changed" in repository.difference()
        assert len(repository.between(repository.commit("v7.3.9"), commit)) == 1
        repository.write(commit, shell, tmp_path / "tree", [])
    assert (tmp_path / "tree/net/mptcp/pm.c").read_text() == "$Format:%H$\n"
    assert not mark.exists()


def test_submodules_are_left_out(
    linux: SmallLinux, shell: Shell, tmp_path: Path
) -> None:
    other = small_linux(tmp_path / "other")
    commit = other.git("rev-parse", "HEAD")
    linux.write(".gitmodules", f'[submodule "s"]\npath = s\nurl = {other.folder}\n')
    linux.git("update-index", "--add", "--cacheinfo", f"160000,{commit},s")
    linux.commit("submodule")
    write(linux, shell, tmp_path / "tree")
    assert not list((tmp_path / "tree").glob("s/*"))


@pytest.mark.parametrize("target", ["/etc", "../../outside", "net/mptcp/../../../x"])
def test_links_that_lead_out_of_the_tree(
    linux: SmallLinux, shell: Shell, tmp_path: Path, target: str
) -> None:
    (linux.folder / "scripts").symlink_to(target)
    linux.commit("link")
    with pytest.raises(UserError, match="scripts is a link that leads out of the tree"):
        write(linux, shell, tmp_path / "tree")


def test_links_within_the_tree_stay(
    linux: SmallLinux, shell: Shell, tmp_path: Path
) -> None:
    (linux.folder / "net/link").symlink_to("../Makefile")
    linux.commit("link")
    write(linux, shell, tmp_path / "tree")
    assert (tmp_path / "tree/net/link").is_symlink()


@pytest.mark.parametrize("bound", ["MOST_FILES", "MOST_TREE_BYTES"])
def test_a_commit_that_is_too_large(
    linux: SmallLinux,
    shell: Shell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
) -> None:
    monkeypatch.setattr(git, bound, 2)
    with pytest.raises(UserError, match="so this is not Linux"):
        write(linux, shell, tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_a_range_by_first_parents(linux: SmallLinux) -> None:
    good = linux.git("rev-parse", "HEAD")
    one = linux.commit("one", net__a="1\n")
    linux.git("checkout", "-q", "-b", "side", good)
    linux.commit("aside", net__b="1\n")
    linux.git("checkout", "-q", "main")
    linux.git("merge", "-q", "--no-ff", "-m", "merge \x1b[31m", "side")
    merge = linux.git("rev-parse", "HEAD")
    with git.opened(linux.folder) as repository:
        found = repository.between(good, merge)
        assert found == [(one, "one"), (merge, "merge ?[31m")]
        with pytest.raises(UserError, match="is not before"):
            repository.between(merge, good)
        side = repository.commit("side")
        with pytest.raises(UserError, match="is not before"):
            repository.between(side, merge)


def test_an_address_is_fetched_once(linux: SmallLinux) -> None:
    address = f"file://{linux.folder}"
    linux.git("config", "uploadpack.allowAnySHA1InWant", "true")
    with git_fetch.fetched(address, "v7.3.9", "file") as (repository, name):
        about = repository.linux(repository.commit(name))
    assert about == head(linux)
    shutil.rmtree(linux.folder)
    with git_fetch.fetched(address, about.commit, "file") as (repository, name):
        assert repository.commit(name) == about.commit
    with (
        pytest.raises(UserError, match="'v9' cannot be fetched"),
        git_fetch.fetched(address, "v9", "file"),
    ):
        pass


def test_no_other_protocol_than_the_one_that_is_asked_for(linux: SmallLinux) -> None:
    with (
        pytest.raises(UserError, match="transport 'file' not allowed"),
        git_fetch.fetched(f"file://{linux.folder}", "v7.3.9"),
    ):
        pass
    assert not git.ADDRESS.fullmatch("ext::sh -c touch% /tmp/x")
    assert not git.ADDRESS.fullmatch("https://host/a b")
    assert not git.ADDRESS.fullmatch("https://-host/a")


DONOR = Source("7.3.9", "here", "d" * 64, True)


def test_a_tree_is_unpacked_where_the_commit_was_seen(
    linux: SmallLinux, shell: Shell
) -> None:
    tree = head(linux)
    with pytest.raises(UserError, match=r"commit \w{12} of Linux 7\.3\.9 is not on th"):
        commits.obtain(tree, DONOR, shell, Progress())
    commits.note(tree, str(linux.folder))
    made = commits.obtain(tree, DONOR, shell, Progress())
    assert (made.tree / "net/mptcp/pm.c").read_text() == "one\n"
    shutil.rmtree(linux.folder)
    assert commits.obtain(tree, DONOR, shell, Progress()) == made


def test_a_repository_of_the_environment(
    linux: SmallLinux, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = head(linux)
    monkeypatch.setenv("MPBENCH_GIT", f"/nowhere {linux.folder}")
    assert commits.obtain(tree, DONOR, shell, Progress()).version == "7.3.9"


def test_a_job_that_names_other_files_than_the_commit_has(
    linux: SmallLinux, shell: Shell
) -> None:
    tree = head(linux)
    other = Tree(commit=tree.commit, tree="0" * 40, version="7.3.9")
    commits.note(other, str(linux.folder))
    with pytest.raises(UserError, match=r"with the tree \w{12}, and not Linux"):
        commits.obtain(other, DONOR, shell, Progress())


def test_two_commits_with_the_same_files_have_one_source(linux: SmallLinux) -> None:
    first = head(linux)
    linux.commit("nothing")
    second = head(linux)
    assert first.commit != second.commit
    assert commits.identity(first, "d") == commits.identity(second, "d")
    old = Tree(commit="0" * 40, tree=first.tree, version="6.12.1")
    assert commits.identity(old, "d") != commits.identity(old, "e")


def test_few_unpacked_commits_stay(linux: SmallLinux, shell: Shell) -> None:
    for number in range(commits.KEPT + 2):
        linux.commit("more", net__mptcp__pm=f"{number}\n")
        tree = head(linux)
        commits.note(tree, str(linux.folder))
        made = commits.obtain(tree, DONOR, shell, Progress())
    assert len(list(made.folder.parent.glob("commit-*"))) == commits.KEPT
    assert made.folder.is_dir()


def test_without_git_one_line_says_what_to_install(
    linux: SmallLinux, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    words = r"no git .* \(Debian package git\)"
    with pytest.raises(UserError, match=words), git.opened(linux.folder):
        pass


def test_bounds_of_what_git_prints(
    linux: SmallLinux, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Bounds(1024, 1 << 20, address_bytes=1 << 32, cpu_s=60)
    monkeypatch.setattr(git, "BOUNDS", small)
    linux.write("net/mptcp/pm.c", "x\n" * 5000)
    with git.opened(linux.folder) as repository, pytest.raises(git.GitFailedError):
        repository.difference()
    assert isinstance(repository, Repository)

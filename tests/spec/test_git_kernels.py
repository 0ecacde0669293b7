"""Commits of git repositories in experiment files, and in the lock beside them."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jobs import dump
from jobs import load as load_job
from jobs.linux import Linux, Tree
from mpbench import kernel_locks
from mpbench.commands.kernel import command
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.kernel import commits, git
from mpbench.plan import make_plan
from tests.kernel.small_linux import SmallLinux, small_linux

pytestmark = pytest.mark.slow

HEAD = """\
name: commits
topology: two_path
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
cases:
  ours: {protocol: mptcp, congestion_control: cubic}
  theirs: {protocol: mptcp, congestion_control: cubic, kernel: mine}
kernels:
"""
MINE = "  mine: {git: linux, lab: none}\n"


class Written:
    """An experiment file beside a repository."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "e.yaml"
        self.linux: SmallLinux = small_linux(folder / "linux")

    def kernel(self, kernels: str = MINE) -> Linux | None:
        self.file.write_text(HEAD + kernels)
        plan = make_plan(load(self.file), {})
        (run,) = (run for run in plan.runs if run.case == "theirs")
        assert load_job(dump(run.job)) == run.job
        return run.job.linux

    def tree(self, name: str = "HEAD") -> Tree:
        with git.opened(self.linux.folder) as repository:
            return repository.linux(repository.commit(name))

    def lock(self) -> str:
        done = CliRunner().invoke(command, ["lock", str(self.file)])
        if done.exception is not None:
            raise done.exception
        return kernel_locks.place(self.file).read_text()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Written(tmp_path)


def test_the_commit_that_is_checked_out(written: Written) -> None:
    linux = written.kernel()
    assert linux == Linux(lab=False, tree=written.tree())
    assert commits.origin(written.tree()) == str(written.linux.folder)
    second = written.linux.commit("two", net__mptcp__pm="two\n")
    linux = written.kernel()
    assert linux is not None and linux.tree is not None
    assert linux.tree.commit == second
    assert linux.words == f"stock Linux 7.3.9 of commit {second[:12]}"


@pytest.mark.parametrize("place", ["linux", "./linux", "~/linux", "{}/linux"])
def test_where_a_repository_lies(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    kernels = f"  mine: {{git: {place.format(tmp_path)}, lab: none}}\n"
    assert written.kernel(kernels) == Linux(lab=False, tree=written.tree())


def test_a_branch_or_tag_with_patches_and_options(written: Written) -> None:
    first = written.tree()
    written.linux.commit("two", net__mptcp__pm="two\n")
    (written.file.parent / "a.patch").write_text("--- a/x.c\n+++ b/x.c\n")
    linux = written.kernel(
        "  old: {git: linux, commit: v7.3.9, lab: none}\n"
        "  mine: {base: old, patches: a.patch, options: {CONFIG_HZ: 1000}}\n"
    )
    assert linux is not None
    assert linux.tree == first
    assert [patch.name for patch in linux.patches] == ["a.patch"]
    assert dict(linux.options or {}) == {"CONFIG_HZ": "1000"}


def test_results_need_no_repository(written: Written, tmp_path: Path) -> None:
    linux = written.kernel()
    text = load(written.file).text
    shutil.rmtree(written.linux.folder)
    results = tmp_path / "results/experiment.yaml"
    results.parent.mkdir()
    results.write_text(text)
    (run,) = (
        run
        for run in make_plan(load(results, of_results=True), {}).runs
        if run.case == "theirs"
    )
    assert run.job.linux == linux


def test_changes_that_are_in_no_commit(written: Written) -> None:
    path = written.linux.write("net/mptcp/pm.c", "two\n")
    words = (
        r"e\.yaml:8: kernels\.mine\.git: \S+/linux has changes that are in no commit"
        r" \(net/mptcp/pm\.c\); commit them, or write 'dirty: true' .* 'commit: HEAD'"
    )
    with pytest.raises(UserError, match=words):
        written.kernel()
    clean = written.kernel("  mine: {git: linux, commit: HEAD, lab: none}\n")
    assert clean is not None and not clean.patches
    dirty = written.kernel("  mine: {git: linux, dirty: true, lab: none}\n")
    assert dirty is not None
    (patch,) = dirty.patches
    assert patch.name == "uncommitted.patch"
    assert "-one\n+two\n" in patch.text
    path.write_bytes(b"\0" * 100)
    with pytest.raises(UserError, match="changes of files that are no text"):
        written.kernel("  mine: {git: linux, dirty: true, lab: none}\n")


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("{git: linux, commit: v9}", r"8: kernels\.mine\.commit: no commit 'v9' in"),
        ("{git: nowhere}", r"8: kernels\.mine\.git: \S+nowhere: no such folder"),
        ("{git: .}", r"8: kernels\.mine\.git: \S+: no git repository"),
        ("{git: 'ssh://h/x'}", "'ssh://h/x' is no folder and no https address; clone"),
        ("{git: 'ext::sh -c x'}", "no such folder"),
        ("{git: linux, commit: -x}", "'-x' is no name of a commit"),
        ("{git: linux, commit: 1234567}", "1234567 is no text; write it in quotes"),
        ("{git: linux, linux: '7.2'}", r"mine\.linux: git says already which Linux"),
        ("{git: linux, machine: qemu}", r"mine\.machine: git says already which Li"),
        ("{git: linux, commit: main, dirty: true}", r"mine\.dirty: .* take 'commit'"),
        ("{git: 'https://h/x', dirty: true}", r"dirty: an address has no changes"),
        ("{commit: main}", r"mine\.commit: only a kernel with git has one"),
        ("{dirty: true}", r"mine\.dirty: only a kernel with git has one"),
        ("{git: linux}\n  b: {git: linux, commit: main}", r"the same kernel as 'mine'"),
    ],
)  # fmt: skip
def test_faults_of_a_file(written: Written, kernel: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as error:
        written.kernel(f"  mine: {kernel}\n")
    assert "\n" not in str(error.value) or "kernels" in str(error.value)


@pytest.mark.parametrize(
    ("version", "lab", "words"),
    [
        ((7, 4), "all", r"for Linux 7\.3, and this commit is Linux 7\.4\.0; write lab"),
        ((7, 2), "all", r"for Linux 7\.3, and this commit is Linux 7\.2\.0; write lab"),
        ((6, 13), "none", r"Linux 6\.13 has no port to User Mode Linux here"),
        ((6, 1), "none", r"Linux 6\.1 has no interface for schedulers of MPTCP"),
    ],
)
def test_a_commit_that_cannot_be_built(
    written: Written, version: tuple[int, int], lab: str, words: str
) -> None:
    first, second = version
    text = f"VERSION = {first}\nPATCHLEVEL = {second}\nSUBLEVEL = 0\n"
    written.linux.write("Makefile", text)
    written.linux.commit("other")
    with pytest.raises(UserError, match=rf"e\.yaml:8: kernels\.mine: .*{words}"):
        written.kernel(f"  mine: {{git: linux, lab: {lab}}}\n")


def test_a_newer_series_is_taken_as_mpbenchs_own(written: Written) -> None:
    text = "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc1\n"
    written.linux.write("Makefile", text)
    written.linux.commit("next")
    linux = written.kernel()
    assert linux is not None and linux.tree is not None
    assert linux.tree.version == "7.4.0-rc1"


def test_a_lock_names_the_commit(written: Written) -> None:
    linux = written.kernel("  mine: {git: linux, commit: main, lab: none}\n")
    tree = written.tree()
    text = written.lock()
    assert f"commit: {tree.commit}" in text and f"tree: {tree.tree}" in text
    assert "asked: main" in text and "version: 7.3.9" in text
    (tip,) = [written.linux.commit("two", net__mptcp__pm="two\n")]
    words = (
        rf"kernels\.mine\.commit: 'main' is {tip[:12]} now, and e\.yaml\.lock has"
        rf" {tree.commit[:12]}; `mpbench kernel lock \S+e\.yaml` takes it"
    )
    with pytest.raises(UserError, match=words):
        load(written.file)
    written.lock()
    assert load(written.file)
    shutil.rmtree(written.linux.folder)
    assert load(written.file).kernels["mine"].tree is not None
    assert linux is not None


def test_a_lock_holds_what_is_in_no_commit(written: Written) -> None:
    kernels = "  mine: {git: linux, dirty: true, lab: none}\n"
    written.linux.write("net/mptcp/pm.c", "two\n")
    written.kernel(kernels)
    assert "uncommitted.patch" in written.lock()
    written.linux.write("net/mptcp/pm.c", "three\n")
    with pytest.raises(UserError, match=r"uncommitted\.patch: not as in e\.yaml\.lock"):
        load(written.file)


@pytest.mark.parametrize("key", ["commit", "tree"])
def test_a_lock_with_a_hash_that_is_none(written: Written, key: str) -> None:
    written.kernel()
    text = written.lock()
    tree = getattr(written.tree(), key)
    kernel_locks.place(written.file).write_text(text.replace(tree, "../../etc"))
    with pytest.raises(UserError, match=r"e\.yaml\.lock:\d+: kernels\.mine: .* remove"):
        load(written.file)


def test_a_text_names_no_repository(written: Written) -> None:
    with pytest.raises(UserError, match="commit is not known yet"):
        make_plan(loads(HEAD + MINE), {})

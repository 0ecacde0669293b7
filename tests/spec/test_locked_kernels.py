"""Releases of Linux in experiment files, and the lock beside the file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from jobs import dump
from jobs import load as load_job
from jobs.linux import Linux, Release
from mpbench import kernel_locks
from mpbench.backends.qemu import pins
from mpbench.commands.kernel import command
from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.kernel import pinned
from mpbench.plan import make_plan

HEAD = """\
name: releases
topology: two_path
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
cases:
  ours: {protocol: mptcp, congestion_control: cubic}
  theirs: {protocol: mptcp, congestion_control: cubic, kernel: old}
kernels:
"""
OLD = '  old: {linux: "6.12", lab: none}\n'
FOUND = {
    "6.12": Release(package="6.12.118-1", sha256="a" * 64),
    "6.12.118": Release(package="6.12.118-1", sha256="a" * 64),
    "7.2": Release(package="7.2.13-1", sha256="b" * 64),
}
Asked = list[str]
Write = Callable[[str], Path]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The releases that were looked up, in an archive that has those of FOUND."""
    done: Asked = []

    def look_up(linux: str) -> Release:
        done.append(linux)
        if linux not in FOUND:
            raise UserError(f"Linux {linux} is not in Debian's archive")
        return FOUND[linux]

    monkeypatch.setattr(kernel_locks, "look_up", look_up)
    return done


@pytest.fixture
def write(tmp_path: Path, asked: Asked) -> Write:
    def written(kernels: str) -> Path:
        file = tmp_path / "e.yaml"
        file.write_text(HEAD + kernels)
        return file

    return written


def kernel_of(
    file: Path, case: str = "theirs", of_results: bool = False
) -> Linux | None:
    plan = make_plan(load(file, of_results=of_results), {})
    (run,) = (run for run in plan.runs if run.case == case)
    assert load_job(dump(run.job)) == run.job
    return run.job.linux


def test_a_series_is_looked_up_once_and_told(
    write: Write, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(OLD)
    old = Linux(lab=False, release=FOUND["6.12"])
    assert kernel_of(file) == old
    said = capsys.readouterr().err
    assert f"{file}:8: kernels.old.linux: Linux 6.12 is 6.12.118 (Debian" in said
    assert f"{file}.lock: locks the kernels of e.yaml" in said
    assert kernel_of(file) == old
    assert kernel_of(file, "ours") is None
    assert asked == ["6.12"]
    assert capsys.readouterr().err == ""


def test_the_lock_has_what_a_kernel_is_built_of(write: Write, tmp_path: Path) -> None:
    patch = "--- a/net/mptcp/pm.c\n+++ b/net/mptcp/pm.c\n@@ -1 +1 @@\n-x\n+y\n"
    (tmp_path / "own.patch").write_text(patch)
    file = write(OLD + "  mine: {base: old, patches: own.patch}\n")
    done = CliRunner().invoke(command, ["lock", str(file)])
    assert done.exit_code == 0, done.output
    entries = yaml.safe_load((tmp_path / "e.yaml.lock").read_text())["kernels"]
    old, mine = entries["old"], entries["mine"]
    assert (old["linux"], old["version"], old["package"]) == (
        "6.12",
        "6.12.118",
        "6.12.118-1",
    )
    assert old["sha256"] == mine["sha256"] == "a" * 64
    assert list(mine["patches"]) == ["own.patch"]
    assert len(old["key"]) == len(mine["key"]) == 16
    assert old["key"] != mine["key"]
    (tmp_path / "own.patch").write_text(patch + " \n")
    with pytest.raises(
        UserError, match=r"e\.yaml:9: kernels\.mine\.patches: own\.patch"
    ):
        load(file)


def test_a_lock_again_looks_up_only_what_is_new(write: Write, asked: Asked) -> None:
    file = write(OLD)
    load(file)
    file = write(OLD + '  mid: {linux: "7.2", lab: none}\n')
    with pytest.raises(UserError, match=r"e\.yaml:9: kernels\.mid\.linux: not in e\.y"):
        load(file)
    assert CliRunner().invoke(command, ["lock", str(file)]).exit_code == 0
    load(file)
    assert asked == ["6.12", "7.2"]
    write(OLD.replace("6.12", "7.2"))
    with pytest.raises(
        UserError, match=r"kernels\.old\.linux: e\.yaml\.lock has '6\.12'"
    ):
        load(file)


def test_results_need_no_lock(write: Write, tmp_path: Path, asked: Asked) -> None:
    spec = load(write(OLD))
    stored = tmp_path / "results" / "experiment.yaml"
    stored.parent.mkdir()
    stored.write_text(spec.text)
    assert load(stored, of_results=True).digest == spec.digest
    assert kernel_of(stored, of_results=True) == Linux(lab=False, release=FOUND["6.12"])
    assert asked == ["6.12"]


def test_a_binary_is_locked_too(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write('  old: {linux: "6.12", machine: qemu}\n')
    kernel = kernel_of(file)
    assert not kernel_locks.place(file).exists()
    assert CliRunner().invoke(command, ["lock", str(file)]).exit_code == 0
    monkeypatch.setattr(pins, "of", lambda release: pytest.fail("looked up again"))
    assert kernel is not None
    assert kernel_of(file) == kernel
    assert kernel.in_qemu


def test_middleboxes_leave_the_release(write: Write) -> None:
    file = write(OLD + "middlebox: {path1: [strip: syn]}\n")
    kernel = kernel_of(file)
    assert kernel is not None
    assert kernel.release == FOUND["6.12"]
    assert kernel.options


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            "scheduler: lowrtt",
            r"scheduler: kernel 'old' is stock Linux and has no sched",
        ),
        (
            "path_manager: {name: ndiffports, subflows: 2}",
            r"path_manager: kernel 'old'",
        ),
    ],
)
def test_what_stock_linux_lacks_is_refused_with_its_line(
    write: Write, case: str, words: str
) -> None:
    file = write(OLD)
    file.write_text(file.read_text().replace("kernel: old", f"kernel: old, {case}"))
    with pytest.raises(UserError, match=rf"e\.yaml:6: cases\.theirs\.{words}"):
        load(file)


def test_mpbenchs_own_linux_is_not_looked_up(write: Write, asked: Asked) -> None:
    version = pinned.read().version
    file = write(f"  old: {{linux: {version}}}\n  stock: {{linux: '7.3', lab: none}}\n")
    assert kernel_of(file) is None
    assert asked == []
    assert not kernel_locks.place(file).exists()


@pytest.mark.parametrize(
    ("kernels", "words"),
    [
        ("  old: {linux: 6.12, lab: none}\n", r"6\.12 is no text; write it in quotes"),
        ("  old: {linux: '6.12-1'}\n", "is no release of Linux; write e.g. '6.12'"),
        ("  old: {linux: '6.12'}\n", r"is for Linux 7\.3, not 6\.12; write lab: none"),
        ("  old: {linux: '6.1', lab: none}\n", "no interface for schedulers of MPTCP"),
        ("  old: {linux: '5.4', lab: none}\n", "no interface for schedulers of MPTCP"),
        (
            "  old: {linux: '6.19', lab: none}\n",
            r"no port .*; 6\.12, 7\.2 and 7\.3 work",
        ),
        ("  old: {linux: '7.4-rc3'}\n", r"no release of Linux; .* or '7\.4~rc3'"),
        ("  old: {linux: 7.4~rc3}\n", r"for Linux 7\.3, not 7\.4~rc3; write lab: none"),
    ],
)
def test_a_release_that_cannot_be_is_refused_before_it_is_looked_up(
    write: Write, asked: Asked, kernels: str, words: str
) -> None:
    file = write(kernels)
    with pytest.raises(UserError, match=words) as told:
        load(file)
    assert f"{file}:8: kernels.old" in str(told.value)
    assert "\n" not in str(told.value)
    assert asked == []


def test_a_release_that_the_archive_dropped(write: Write) -> None:
    file = write("  old: {linux: 6.12.3, lab: none}\n")
    words = rf"{file}:8: kernels\.old\.linux: Linux 6\.12\.3 is not in"
    with pytest.raises(UserError, match=words):
        load(file)


def test_two_labels_for_one_kernel_are_told(write: Write) -> None:
    file = write(OLD + "  same: {linux: 6.12.118, lab: none}\n")
    with pytest.raises(UserError, match=r"kernels\.same: the same kernel as 'old'"):
        load(file)


def test_a_folder_that_takes_no_lock(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "e.yaml.lock").symlink_to(tmp_path / "nowhere" / "lock")
    assert kernel_of(write(OLD)) == Linux(lab=False, release=FOUND["6.12"])
    assert "e.yaml.lock" in capsys.readouterr().err


def test_a_text_is_not_looked_up(asked: Asked) -> None:
    spec = loads(HEAD + OLD)
    with pytest.raises(
        UserError, match=r"Linux 6\.12 is not known yet; `mpbench kernel"
    ):
        make_plan(spec, {})
    assert asked == []


def test_a_damaged_lock_is_told_with_its_line(write: Write, tmp_path: Path) -> None:
    file = write(OLD)
    (tmp_path / "e.yaml.lock").write_text("format: 2\nkernels: {}\n")
    with pytest.raises(UserError, match=r"e\.yaml\.lock:1: format"):
        load(file)


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "empty"])
def test_a_lock_that_is_no_file_is_told(
    write: Write, tmp_path: Path, kind: str
) -> None:
    file = write(OLD)
    lock = tmp_path / "e.yaml.lock"
    if kind == "pipe":
        os.mkfifo(lock)
    elif kind == "folder":
        lock.mkdir()
    elif kind == "device":
        lock.symlink_to("/dev/null")
    else:
        lock.write_text("# nothing\n")
    with pytest.raises(UserError) as told:
        load(file)
    what = ":1: empty" if kind == "empty" else ": not a regular file"
    remedy = "remove it, and `mpbench kernel lock e.yaml` writes it again"
    assert str(told.value) == f"{lock}{what}; {remedy}"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("package: 6.12.118-1", "package: 7.2-1", "'7.2-1' is not the version"),
        ("sha256: " + "a" * 64, "sha256: x", "sha256"),
    ],
)
def test_a_locked_package_that_is_none(
    write: Write, tmp_path: Path, before: str, after: str, words: str
) -> None:
    file = write(OLD)
    load(file)
    lock = tmp_path / "e.yaml.lock"
    text = lock.read_text()
    assert before in text
    lock.write_text(text.replace(before, after))
    with pytest.raises(UserError, match=words) as told:
        load(file)
    assert f"{lock}:4: kernels.old: " in str(told.value)
    assert len(str(told.value).splitlines()) == 1


def test_a_file_without_kernels(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text(HEAD.partition("  theirs")[0])
    done = CliRunner().invoke(command, ["lock", str(file)])
    assert "no kernels in it" in str(done.exception)
